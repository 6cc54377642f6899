import type { Disposable } from '../../base/disposable.ts';
import type { Entry, QuestionEntry } from '../../model/entries.ts';
import { isBusy, type SessionState } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { InboxItem } from '../../view/pickers/inbox.ts';
import { sanitise } from '../../view/sanitise.ts';
import { questionPrompt } from '../../view/transcript/question.ts';
import type { ViewContext } from '../../view/transcript/view-context.ts';
import type { ChangeTracker } from '../../workspace/changes/change-tracker.ts';
import { countsOf, isChanged } from '../../workspace/changes/review/file-review.ts';
import type { Scope } from '../../workspace/changes/review/line-review.ts';
import type { TrackedFile } from '../../workspace/files/file-record.ts';
import { chatStatus, type Outcome, titleOf } from './chat-status.ts';
import { ChatEvents, type EditorEvent } from './events.ts';
import { Notifications } from './notifications.ts';
import { PromptCallbacks } from './prompt-callbacks.ts';
import { type QuestionData, questionData } from './question-data.ts';

/** The end of a turn is reported with its files, but not later than this. */
const maxComparisonMs = 5_000;
const recountMs = 100;
/** The whole status is sent with each change, so it has the oldest questions only. */
const maxQuestions = 50;

interface AttentionParts {
  readonly chat: number;
  readonly state: SessionState;
  readonly view: ViewContext;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly changes: Pick<ChangeTracker, 'files' | 'ready' | 'watch' | 'watchAgent'> | undefined;
  /** The number of the version of what a question shows. */
  revisionOf(entry: QuestionEntry): number;
  /** The files that a turn changed are known. */
  onTurnCompared?(files: readonly ChangedFile[]): void;
  /** Called when the status has changed, which may be without an event. */
  readonly onActivity?: () => void;
}

interface ChangedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

/** The files are compared after each turn, and after the end of the agent. */
interface Comparison {
  readonly event: SessionEvent;
}

interface HeldEvent {
  readonly event: EditorEvent;
  /** What the end of a turn waits for. */
  readonly comparison?: Comparison | undefined;
  onEmitted?(data: EditorEvent['data']): void;
}

/** Tells Neovim what the user may want to know of a chat: events, its status, and what waits for them. */
export class ChatAttention {
  private readonly parts: AttentionParts;
  private readonly events: ChatEvents;
  private readonly notifications: Notifications;
  readonly callbacks: PromptCallbacks;
  private readonly watches: readonly Disposable[];
  /** The end of a turn, whose files are being compared, and all events after it, also the ends of later turns. */
  private held: readonly HeldEvent[] = [];
  private holding: Disposable | undefined;
  /** The comparisons of files that the tracker has begun or will begin, in their order. */
  private comparisons: readonly Comparison[] = [];
  private recounting: Disposable | undefined;
  /** How the last turn ended, until the user looks at the chat. */
  private outcome: { readonly kind: Outcome; readonly at: number; readonly text: string } | undefined;
  /** Files with changes that are not reviewed. */
  unreviewed = 0;
  private changedAt = 0;
  private readonly described = new WeakMap<QuestionEntry, QuestionData>();
  private sentStatus: string | undefined;
  private turnBegan = 0;

  constructor(parts: AttentionParts) {
    this.parts = parts;
    this.events = new ChatEvents(parts.state);
    this.notifications = new Notifications(parts.state);
    this.callbacks = new PromptCallbacks({
      done: (id, turn) => parts.editor.send('prompt.done', { chat: parts.chat, id, turn }),
      answer: () => this.answer(),
    });
    const { changes } = parts;
    this.watches = changes
      ? [
          changes.watch(() => this.recountSoon()),
          changes.watchAgent({
            onAgentChange: (file) => this.fileChanged(file),
            onTurnCompared: () => this.turnCompared(),
          }),
        ]
      : [];
  }

  /** Called after each event of the session, except for chunks and what a journal replays. */
  onEvent(event: SessionEvent, changed: readonly Entry[]): void {
    const { editor, chat } = this.parts;
    this.follow(event);
    const note = this.notifications.forEvent(event, changed);
    if (note) {
      editor.send('chat.notify', { chat, ...note });
      if (note.kind !== 'waiting') this.outcome = { ...note, kind: note.kind, at: this.parts.clock.now() };
    }
    const describe = (entry: QuestionEntry) => this.describe(entry);
    for (const each of this.events.forEvent(event, changed, describe)) this.add(each, event);
    this.sendStatus();
  }

  /** The user looks at the chat. */
  seen(): void {
    this.outcome = undefined;
    this.sendStatus();
  }

  /** Sends the status again, to a Neovim that has lost it. */
  redraw(): void {
    this.sentStatus = undefined;
    this.sendStatus();
  }

  /** How the last turn ended, if the user has not looked at it. */
  get unseen(): Outcome | undefined {
    return this.outcome?.kind;
  }

  /** What waits for the user or was not looked at. */
  inboxItems(): readonly InboxItem[] {
    const { chat, state, view } = this.parts;
    const about = { chat, agent: state.agent.title, title: titleOf(state) };
    const items: InboxItem[] = state.questions.map((entry) => ({
      ...about,
      kind: 'question',
      id: entry.question.id,
      at: entry.at,
      text: questionPrompt(entry, view),
    }));
    if (state.phase === 'login') items.push({ ...about, kind: 'login', at: state.phaseSince });
    // What a running turn does is not ready yet.
    if (isBusy(state)) return items;
    if (this.outcome) items.push({ ...about, ...this.outcome });
    if (this.unreviewed > 0) {
      items.push({ ...about, kind: 'changes', at: this.changedAt, files: this.unreviewed });
    }
    return items;
  }

  /** Nothing is sent afterwards. */
  dispose(): void {
    for (const watch of [...this.watches, this.holding, this.recounting]) watch?.dispose();
    this.held = [];
  }

  private follow(event: SessionEvent): void {
    const { state, changes } = this.parts;
    if (event.kind === 'turn_started') {
      this.outcome = undefined;
      this.turnBegan = state.entries.length;
      this.callbacks.turnStarted(event.id);
    }
    if (event.kind === 'prompt_injected') this.callbacks.injected(event.id);
    if (changes && isCompared(event) && !state.isReplaying)
      this.comparisons = [...this.comparisons, { event }];
    // Changes of an earlier host are loaded then. `ready` never rejects.
    if (event.kind === 'session_opened') void changes?.ready().then(() => this.recountSoon());
  }

  private add(event: EditorEvent, cause: SessionEvent): void {
    const full = { ...event, data: { ...this.common(), ...event.data } };
    const isEnd = event.name === 'AcpTurnEnded';
    const comparison = isEnd ? this.comparisons.find((each) => each.event === cause) : undefined;
    const held = { event: full, comparison, ...(isEnd && { onEmitted: this.endOfPrompt(event) }) };
    this.held = [...this.held, held];
    if (!this.held[0]?.comparison) this.release();
    else this.holding ??= this.releaseLater();
  }

  private endOfPrompt({ data }: EditorEvent): (turn: EditorEvent['data']) => void {
    if (data.stop_reason !== 'login_needed') {
      return this.callbacks.turnEnded(this.parts.state.queue.length === 0);
    }
    this.callbacks.turnPaused();
    return () => undefined;
  }

  private turnCompared(): void {
    const [comparison, ...others] = this.comparisons;
    this.comparisons = others;
    if (comparison && this.held[0]?.comparison === comparison) this.release();
  }

  private releaseLater(): Disposable {
    return this.parts.clock.after(maxComparisonMs, () => this.release());
  }

  // Sends the end of a turn with its files, and the events after it up to the end of the next turn.
  private release(): void {
    const next = this.held.findIndex(({ comparison }, index) => index > 0 && comparison !== undefined);
    const released = next === -1 ? this.held : this.held.slice(0, next);
    this.held = this.held.slice(released.length);
    this.holding?.dispose();
    this.holding = this.held.length > 0 ? this.releaseLater() : undefined;
    for (const { event, onEmitted } of released) {
      const files = event.name === 'AcpTurnEnded' ? this.changedFiles('turn') : undefined;
      const data = files ? { ...event.data, files } : event.data;
      this.emit({ ...event, data });
      onEmitted?.(data);
      if (files) this.parts.onTurnCompared?.(files);
    }
  }

  private emit({ name, data }: EditorEvent): void {
    this.parts.editor.send('event.emit', { chat: this.parts.chat, name, data });
  }

  private common(): EditorEvent['data'] {
    const { chat, state } = this.parts;
    return { chat, agent: state.agent.name, session: state.sessionId };
  }

  private fileChanged({ path, review }: TrackedFile): void {
    this.changedAt = this.parts.clock.now();
    const { added, removed } = countsOf(review, 'session');
    this.emit({ name: 'AcpFileChanged', data: { ...this.common(), path, added, removed } });
  }

  private changedFiles(scope: Scope): readonly ChangedFile[] {
    const files = this.parts.changes?.files ?? [];
    return files
      .filter(({ review }) => isChanged(review, scope))
      .map(({ path, review }) => {
        const { added, removed } = countsOf(review, scope);
        return { path, added, removed };
      });
  }

  private recountSoon(): void {
    this.recounting?.dispose();
    this.recounting = this.parts.clock.after(recountMs, () => {
      const files = this.parts.changes?.files ?? [];
      this.unreviewed = files.filter(({ review }) => isChanged(review, 'session')).length;
      this.sendStatus();
    });
  }

  private sendStatus(): void {
    const { chat, state, view, editor } = this.parts;
    const status = chatStatus(state, {
      cwd: view.cwd,
      unreviewed: this.unreviewed,
      questions: state.questions.slice(0, maxQuestions).map((entry) => this.describe(entry)),
      unseen: this.outcome?.kind,
    });
    const written = JSON.stringify(status);
    if (written === this.sentStatus) return;
    this.sentStatus = written;
    editor.send('chat.status', { chat, status });
    this.parts.onActivity?.();
  }

  private describe(entry: QuestionEntry): QuestionData {
    const { view, revisionOf } = this.parts;
    const revision = revisionOf(entry);
    const known = this.described.get(entry);
    if (known?.revision === revision) return known;
    const data = questionData(entry, questionPrompt(entry, view), revision);
    this.described.set(entry, data);
    return data;
  }

  private answer(): string {
    const texts = this.parts.state.entries
      .slice(this.turnBegan)
      .map((entry) => (entry.kind === 'message' && entry.role === 'agent' ? entry.text.toString() : ''));
    return sanitise(texts.filter((text) => text !== '').join('\n\n'));
  }
}

function isCompared({ kind }: SessionEvent): boolean {
  return kind === 'turn_ended' || kind === 'agent_gone';
}
