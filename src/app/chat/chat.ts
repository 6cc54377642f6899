import os from 'node:os';
import { AcpError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { absolutePath } from '../../base/paths.ts';
import type { AuthMethod } from '../../model/agent.ts';
import type { Entry } from '../../model/entries.ts';
import { type JoinedPrompts, newPromptId, type WaitingPrompt } from '../../model/prompt.ts';
import { isBusy } from '../../model/session.ts';
import type { NoticeEvent, SessionEvent } from '../../model/session-events.ts';
import type { ChatSummary } from '../../model/session-list.ts';
import type { RenderLoop } from '../../nvim/render-loop.ts';
import { resolveLinks } from '../../permissions/policy.ts';
import { isProtectedFile } from '../../permissions/protected-files.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Editor } from '../../ports/editor.ts';
import type { OpenFile } from '../../ports/editor-operations.ts';
import type { Log } from '../../ports/log.ts';
import type { HostOptions } from '../../ports/options.ts';
import type { Workspace } from '../../ports/workspace.ts';
import { commandsForNeovim } from '../../prompt/completion.ts';
import { BodyLoader } from '../../session/body-loader.ts';
import { AttachmentFiles, attachmentsFolder } from '../../session/journal/attachment-files.ts';
import { changesFolder, deleteJournal, type Journal } from '../../session/journal/journal.ts';
import { JournalReader } from '../../session/journal/reader.ts';
import { damagedRecords, hostRestarted } from '../../session/notices.ts';
import { sentPrompts } from '../../session/queue/sent-prompts.ts';
import { Session, type SessionPorts, type SessionWatcher } from '../../session/session.ts';
import { toolDetails } from '../../view/export/tool-details.ts';
import { type ToolStyle, transcriptMarkdown } from '../../view/export/transcript.ts';
import { PlanView } from '../../view/transcript/plan.ts';
import { TranscriptView } from '../../view/transcript/transcript.ts';
import type { ViewContext } from '../../view/transcript/view-context.ts';
import type { ChangeTracker } from '../../workspace/changes/change-tracker.ts';
import { ChatAttention } from '../attention/chat-attention.ts';
import { canRest } from '../idle-agents.ts';
import type { RuleMaking } from '../permissions/rule-making.ts';
import { type ChatPromptPorts, ChatPrompts } from '../prompt/chat-prompts.ts';
import { QuestionLists } from '../question-lists.ts';
import { ChatSettings, settingWords } from '../settings/chat-settings.ts';
import type { TerminalWindows } from '../terminals.ts';
import { ChatTraffic } from '../traffic/chat-traffic.ts';
import { ChatDrawing } from './chat-drawing.ts';
import { CodeBlocks } from './code-blocks.ts';
import { EntryActions } from './entry-actions.ts';
import { LoginDialogs } from './login.ts';
import { QuestionDialogs } from './question-dialogs.ts';
import { References } from './references.ts';
import { ChatRestore } from './restore.ts';
import { ChatReview } from './review.ts';
import { summariseSession } from './summary.ts';
import { ToolDiffs } from './tool-diffs.ts';
import { TurnSummaries } from './turn-summaries.ts';
import { warmUp } from './warm-up.ts';

interface ChatWorkspace extends Workspace {
  trackerOf(chat: number): ChangeTracker | undefined;
}

type ChatOptions = Pick<
  HostOptions,
  'hasHistory' | 'models' | 'modes' | 'editorFolders' | 'isPlain' | 'leavesMarkdown' | 'keys'
>;

interface ChatPorts extends SessionPorts, ChatPromptPorts {
  readonly workspace?: ChatWorkspace;
  readonly editor: Editor;
  readonly options: { get(): ChatOptions };
  readonly renderLoop: RenderLoop;
  readonly terminals?: Pick<TerminalWindows, 'show'>;
  readonly questionLists?: QuestionLists;
  readonly ruleMaking?: RuleMaking;
  /** Called after every event of the session. */
  readonly onActivity?: () => void;
}

/** A session to continue, and its journal. */
export interface EarlierSession {
  readonly session: string;
  readonly earlierJournal?: string | undefined;
  /** The title that its agent reported. */
  readonly title?: string | undefined;
  /** The chat continues with a copy of the session. */
  readonly isFork?: boolean;
}

/** What Neovim knows of prompts that were not sent. */
export interface WaitingPrompts {
  /** The prompts that waited in a chat that has ended. */
  readonly queue?: readonly WaitingPrompt[] | undefined;
  /** The journal of that chat. It knows which of them were sent. */
  readonly queueJournal?: string | undefined;
  /** The ids of prompts that were given back, or that the last host had not accepted. They are in the prompt buffer. */
  readonly recovered?: readonly string[] | undefined;
  /** The queue that Neovim knew last. The host may have exited before Neovim heard that it gave prompts back. */
  readonly lastQueue?: readonly WaitingPrompt[] | undefined;
}

interface SendOptions {
  readonly id?: string | undefined;
  readonly callback?: number | undefined;
  /** Sends it into the running turn, if the agent can take it. */
  readonly isSteering?: boolean;
  /** The files that were open when the user sent it. */
  readonly openFiles?: readonly OpenFile[] | undefined;
}

interface ChatChanges {
  readonly tracker: ChangeTracker;
  readonly review: ChatReview;
  readonly restore: ChatRestore;
}

/** A session and the buffer that shows it. */
export class Chat implements SessionWatcher {
  readonly id: number;
  readonly session: Session;
  readonly traffic: ChatTraffic;
  readonly prompts: ChatPrompts;
  private readonly spec: AgentSpec;
  private readonly diffs: ToolDiffs;
  private readonly view: TranscriptView;
  readonly drawing: ChatDrawing;
  private readonly changes: ChatChanges | undefined;
  private readonly journal: Journal;
  private readonly attachments: AttachmentFiles;
  private readonly bodyLoader: BodyLoader;
  private readonly editor: Editor;
  private readonly log: Log;
  private readonly renderLoop: RenderLoop;
  readonly questions: QuestionDialogs;
  readonly entries: EntryActions;
  readonly references: References;
  readonly codeBlocks: CodeBlocks;
  readonly login: LoginDialogs;
  readonly settings: ChatSettings;
  readonly attention: ChatAttention;
  private readonly summaries: TurnSummaries;
  private readonly onActivity: () => void;
  private isEnded = false;
  /** The state that was sent to Neovim with `chat.state`. */
  private sentState: readonly unknown[] = [];
  /** The ids of all sessions that the transcript shows. */
  private readonly sessionIds = new Set<string>();

  constructor(id: number, spec: AgentSpec, journal: Journal, ports: ChatPorts) {
    this.id = id;
    this.spec = spec;
    this.journal = journal;
    this.editor = ports.editor;
    this.log = ports.log;
    this.renderLoop = ports.renderLoop;
    this.onActivity = ports.onActivity ?? (() => undefined);
    this.attachments = new AttachmentFiles(attachmentsFolder(journal.file), ports.log);
    const { attachments } = this;
    const resolvePrompt = (text: string) => this.prompts.resolve(text);
    this.session = new Session(
      spec,
      { ...ports, attachments, resolvePrompt, isPrivate: !journal.isKept },
      this,
      id,
      journal.changesFolder,
    );
    this.bodyLoader = new BodyLoader(this.session, journal, ports.log);
    this.traffic = new ChatTraffic(id, ports, () => this.session.lastLink?.agent.traffic);
    const lists = ports.questionLists ?? new QuestionLists(ports.editor);
    this.view = new TranscriptView(this.session.state, {
      chat: id,
      cwd: spec.cwd,
      directories: spec.directories?.map((name) => absolutePath(name, spec.cwd)),
      home: os.homedir(),
      // Everything on the screen is also on disk.
      onFrame: () => journal.flush(),
      onError: (error) => ports.log.error('could not draw an entry', error),
      onQuestion: (entry) => this.questions.noteDrawn(entry),
      // It reports its failures, and the entry changes when it is done.
      onCutCall: (entry) => void this.bodyLoader.restore(entry),
      resolveLinks: (file) => resolveLinks(file),
      isProtected: (file) => isProtectedFile(file, ports.options.get().editorFolders),
      look: () => ports.options.get(),
      offers: (entry) => this.questions.offersIn(entry),
    });
    const plan = new PlanView(this.session.state, id, () => ports.options.get().isPlain);
    this.drawing = new ChatDrawing({ ...ports, state: this.session.state, view: this.view, plan });
    this.diffs = new ToolDiffs(id, this.view, ports, () => this.renderLoop.request(this.view));
    const { session, view, diffs } = this;
    const { editor, renderLoop } = ports;
    this.changes = this.createChanges(ports);
    const changes = this.changes?.tracker;
    const summaries = new TurnSummaries({
      state: session.state,
      clock: ports.clock,
      apply: (event) => session.summarise(event),
    });
    this.summaries = summaries;
    this.attention = new ChatAttention({
      ...ports,
      chat: id,
      state: session.state,
      view,
      changes,
      onTurnCompared: (files) => summaries.add(files),
      revisionOf: (entry) => this.questions.shownNow(entry).revision,
    });
    this.login = new LoginDialogs(id, session, spec, editor);
    this.settings = new ChatSettings(id, session, ports);
    const context = { chat: id, session, view, diffs, editor, renderLoop, lists, rules: ports.ruleMaking };
    this.questions = new QuestionDialogs(context);
    this.references = new References(id, view.roots, editor, ports.promptSources.index);
    this.codeBlocks = new CodeBlocks({ chat: id, view, editor, files: () => session.services?.files });
    const { questions, references } = this;
    const { terminals } = ports;
    this.entries = new EntryActions({
      ...context,
      questions,
      references,
      attachments,
      bodyLoader: this.bodyLoader,
      terminals,
      openReview: () => this.changes?.review.open('session'),
    });
    this.prompts = new ChatPrompts(
      {
        chat: id,
        spec,
        session,
        journal: journal.file,
        attachments,
        giveBack: (prompt) => this.giveBack([prompt.id], prompt.text),
        removed: (ids) => this.attention.callbacks.giveUp(ids),
      },
      ports,
    );
    journal.onWriteStateChange = (notice) => this.session.notify(notice);
  }

  get review(): ChatReview {
    return this.trackedChanges.review;
  }

  get restore(): ChatRestore {
    return this.trackedChanges.restore;
  }

  /** The user has saved a file. */
  async saved(file: string): Promise<void> {
    await this.changes?.tracker.onSaved(file);
  }

  /** The user has reloaded a file. */
  async reloaded(file: string): Promise<void> {
    await this.changes?.tracker.onReread(file);
  }

  /** Replays the journal of an earlier host, or continues the session that the user chose; then starts the agent. */
  start(before?: EarlierSession, waiting: WaitingPrompts = {}): void {
    const { recovered = [] } = waiting;
    const unsent = this.unsentOf(waiting);
    const isBack = this.replayJournal(this.journal.reader(), hostRestarted, recovered);
    if (!isBack && before) this.reopen(before, unsent);
    // The changes of a session that was forked are reviewed there. Also for a host that was killed while it copied them.
    const { earlierJournal, isFork } = before ?? {};
    if (earlierJournal !== undefined && !isFork)
      this.changes?.tracker.continueFrom(changesFolder(earlierJournal));
    this.session.restoreQueue(unsent);
    if (waiting.queue) this.editor.send('queue.restored', { chat: this.id, count: unsent.length });
    this.session.start();
    this.prompts.history
      .load()
      .catch((error: unknown) => this.log.error('could not read the earlier prompts', error));
  }

  /** The agent and the folders of the session. */
  get place(): { readonly agent: string; readonly cwd: string; readonly roots: readonly string[] } {
    const { name: agent, cwd } = this.spec;
    return { agent, cwd, roots: this.view.roots };
  }

  get journalFile(): string {
    return this.journal.file;
  }

  /** What texts about the session depend on. */
  get viewContext(): ViewContext {
    return this.view;
  }

  /** The state of the session for the list of sessions. */
  summary(): ChatSummary {
    const { cwd } = this.view;
    const { begunAt } = this.journal;
    const shownIds = [...this.sessionIds];
    return summariseSession(this.session.state, { chat: this.id, cwd, shownIds, begunAt });
  }

  onChange(event: SessionEvent, changed: readonly Entry[], isFromJournal = false): void {
    if (this.isEnded) return;
    this.view.markChanged(changed);
    if (event.kind === 'session_opened') this.sessionIds.add(event.sessionId);
    if (isFromJournal) return;
    this.journal.record(event);
    this.onActivity();
    this.drawing.follow(event, changed);
    // Most events are chunks, and nothing below depends on their text.
    if (event.kind === 'chunk') return;
    if (event.kind === 'tool') this.diffs.follow(changed);
    if (event.kind === 'body_read') this.diffs.locateAll(changed);
    if (event.kind === 'question_asked') this.restoreAsked(changed);
    this.sendState();
    this.prompts.sendState();
    this.traffic.follow();
    this.questions
      .follow(event)
      .catch((error: unknown) => this.log.error('could not report a question', error));
    this.summaries.follow(event);
    this.attention.onEvent(event, changed);
  }

  // The user consents to the whole text.
  private restoreAsked(changed: readonly Entry[]): void {
    for (const entry of changed) {
      // It reports its failures, and the question changes when it is done.
      if (entry.kind === 'tool') void this.bodyLoader.restore(entry);
    }
  }

  onPromptReturned({ ids, text }: JoinedPrompts): void {
    this.giveBack(ids, text);
  }

  private giveBack(ids: readonly string[], text: string): void {
    this.attention.callbacks.giveUp(ids);
    this.editor.send('prompt.return', { chat: this.id, ids, text });
  }

  onTerminalLogin(spec: AgentSpec, method: AuthMethod & { kind: 'terminal' }): void {
    this.login.confirmCommand(spec, method);
  }

  onKeyWanted(method: string, variable: string): void {
    this.login.askForKey(method, variable);
  }

  /** The user has begun to write a prompt. */
  async prepareTurn(): Promise<void> {
    warmUp();
    await this.session.prepareTurn();
  }

  /**
   * Queues a prompt with what it mentions. Once it is in the journal, the prompt buffer is cleared. Neovim gets the end
   * of its turn with the id of `callback`.
   */
  send(
    text: string,
    { id = newPromptId(), callback, isSteering, openFiles }: SendOptions = {},
  ): Promise<void> {
    if (callback !== undefined) this.attention.callbacks.add(callback, id);
    if (openFiles) this.session.expectTurn(openFiles);
    return this.prompts.send({ id, text }, isSteering);
  }

  /** Stops the turn. The prompts that wait for it are held. */
  cancel(): void {
    this.prompts.cancel();
    this.session.cancel();
  }

  /** Another program has changed a file that has unsaved text in its buffer. */
  async changedOnDisk(file: string): Promise<void> {
    await this.session.services?.files?.changedOnDisk?.(file);
  }

  /** The context of extension methods in the user's Lua. */
  get context(): object {
    const { agent, sessionId } = this.session.state;
    return {
      chat: this.id,
      agent: agent.name,
      session: sessionId,
    };
  }

  private get changedFiles(): number {
    return this.changes?.review.openFiles ?? 0;
  }

  /** What the user can do now, for the list of `:Acp`. */
  situation() {
    const { state } = this.session;
    return {
      isBusy: isBusy(state),
      changedFiles: this.changedFiles,
      hasPrompts: this.prompts.last !== undefined,
      hasPlan: state.plans.size > 0,
    };
  }

  /** Whether the agent had nothing to do for some time, and can continue the session after it was ended. */
  isIdleFor(ms: number): boolean {
    const { state } = this.session;
    const hasOpenWork = this.prompts.isSending || this.traffic.isRecording || this.changedFiles > 0;
    return !hasOpenWork && canRest(state) && this.session.idleMs >= ms;
  }

  /** The transcript as Markdown. */
  async markdown(style?: ToolStyle): Promise<string> {
    const details = style === 'details' ? await this.readDetails() : undefined;
    return transcriptMarkdown(this.session.state, style, details);
  }

  /** The parts of an export about calls that are not in memory, by the id of their entry. */
  private async readDetails(): Promise<ReadonlyMap<number, string>> {
    const details = new Map<number, string>();
    for (const entry of [...this.session.state.entries]) {
      const whole = entry.kind === 'tool' ? await this.bodyLoader.readWhole(entry) : undefined;
      if (whole) details.set(entry.id, toolDetails(whole.call, whole.terminals));
    }
    return details;
  }

  /** Writes the transcript to disk. */
  flush(): void {
    this.journal.flush();
  }

  redraw(width?: number): void {
    this.sentState = [];
    this.sendState();
    this.prompts.sendState(true);
    if (width !== undefined) this.view.width = width;
    this.attention.redraw();
    this.drawing.show();
  }

  /** The windows of the chat have another width. */
  resize(width: number): void {
    if (this.view.width === width) return;
    this.view.resize(width);
    this.renderLoop.request(this.view);
    this.questions.resize();
  }

  /** Ends the session; resolves when its agent has ended and everything is on disk. Nothing is drawn afterwards. */
  readonly end = once(async () => {
    const ended = Promise.all([this.session.end(), this.changes?.tracker.end()]);
    this.isEnded = true;
    this.journal.dispose();
    this.prompts.dispose();
    this.traffic.dispose();
    this.attention.dispose();
    this.changes?.review.dispose();
    this.questions.dispose();
    this.drawing.dispose();
    await Promise.all([ended, this.attachments.end(), this.bodyLoader.end()]);
    // Attachments and checkpoints of a private chat exist while it is open.
    if (!this.journal.isKept) await deleteJournal(this.journal.file);
  });

  // The journal has more than the agent replays.
  private reopen(
    { session, earlierJournal, title, isFork = false }: EarlierSession,
    unsent: readonly WaitingPrompt[],
  ): void {
    if (!isFork) this.sessionIds.add(session);
    if (earlierJournal !== undefined) {
      this.journal.copyFrom(earlierJournal, isFork);
      this.replayJournal(isFork ? this.journal.reader() : new JournalReader(earlierJournal, this.log));
      // Neovim keeps it with the draft, and restores it where the user goes on.
      this.session.filterQueue((prompt) => unsent.some(({ id }) => id === prompt.id));
    }
    if (isFork) this.session.forkSession(session, title);
    else this.session.continueSession(session, title);
  }

  // The draft may be older than the end of the journal.
  private unsentOf({ queue = [], queueJournal, recovered = [], lastQueue = [] }: WaitingPrompts) {
    const isFromDraft = queueJournal !== undefined && queue.length > 0;
    const sent = isFromDraft ? sentPrompts(queueJournal, this.log) : new Set<string>();
    const isElsewhere = ({ id }: WaitingPrompt) => recovered.includes(id) || sent.has(id);
    return [...queue, ...lastQueue].filter((prompt) => !isElsewhere(prompt));
  }

  private replayJournal(reader: JournalReader, notice?: NoticeEvent, elsewhere?: readonly string[]): boolean {
    this.journal.usePlaces(reader.places);
    const isBack = this.session.replayJournal(reader.records(), notice, elsewhere);
    this.journal.begunAt = reader.begunAt ?? this.journal.begunAt;
    if (reader.damaged > 0) this.session.notify(damagedRecords(reader.damaged));
    return isBack;
  }

  private get trackedChanges(): ChatChanges {
    if (!this.changes) throw new AcpError('unsupported', 'the changes of this session are not tracked');
    return this.changes;
  }

  private createChanges(ports: ChatPorts): ChatChanges | undefined {
    const tracker = ports.workspace?.trackerOf(this.id);
    if (!tracker) return undefined;
    const { id: chat } = this;
    const { cwd } = this.view;
    const context = {
      chat,
      cwd,
      agent: () => this.session.state.agent.title,
      isPlain: () => ports.options.get().isPlain,
    };
    return {
      tracker,
      review: new ChatReview(tracker, context, ports),
      restore: new ChatRestore(tracker.checkpoints, chat, cwd, ports.editor),
    };
  }

  // Neovim reads these while the user types, and must not wait for the host then.
  private sendState(): void {
    const { commands, sessionId, settings } = this.session.state;
    const state = [commands, sessionId, settings];
    if (state.every((part, index) => part === this.sentState[index])) return;
    this.sentState = state;
    const { context } = this;
    this.editor.send('chat.state', {
      chat: this.id,
      commands: commandsForNeovim(commands),
      context,
      settings: settingWords(settings),
    });
  }
}
