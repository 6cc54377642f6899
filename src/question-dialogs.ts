import { isDeepStrictEqual } from 'node:util';
import type { ChatDiffs } from './chat-diffs.ts';
import { Interview } from './interview.ts';
import type { RenderLoop } from './nvim/render-loop.ts';
import type { Editor } from './ports/host.ts';
import type { Conflict } from './ports/workspace.ts';
import type { SessionEvent } from './session/events.ts';
import type { QuestionEntry } from './session/model.ts';
import type { Session } from './session/session.ts';
import type { ChatView } from './view/chat.ts';
import { diffsOf } from './view/diff.ts';
import { optionName, questionPrompt } from './view/entries.ts';
import { marked } from './workspace/conflict.ts';

export interface QuestionPlace {
  readonly chat: number;
  readonly session: Session;
  readonly view: ChatView;
  readonly diffs: ChatDiffs;
  readonly editor: Editor;
  readonly renderLoop: RenderLoop;
}

/** A question that came up: what it was about then, and whether the user has put it aside. */
interface Shown {
  readonly about: unknown;
  readonly isLeft: boolean;
}

/** Brings the questions of a chat to the user: by itself each comes up once, later ones on request. */
export class QuestionDialogs {
  readonly interview: Interview;
  private readonly place: QuestionPlace;
  private readonly shown = new Map<number, Shown>();
  private readonly splits = new Set<number>();

  constructor(place: QuestionPlace) {
    this.place = place;
    this.interview = new Interview(place.chat, place.session, place.editor, {
      close: (questionId) => this.close(questionId),
      isGone: () => this.sayGone(),
    });
  }

  /** Asks what waits longest, or what is named. `isUnasked`: it comes up by itself. */
  show({ isUnasked = false, id }: { readonly isUnasked?: boolean; readonly id?: number } = {}): void {
    const entry = id === undefined ? this.next(isUnasked) : this.find(id);
    if (!entry) return;
    this.shown.set(entry.question.id, { about: aboutOf(entry), isLeft: false });
    if (entry.question.elicitation) this.interview.show(entry, isUnasked);
    else this.open(entry, isUnasked);
    if (isUnasked) this.tellWaiting();
  }

  /** Takes an option by its place in the list, if it still stands for what the user saw. */
  answer(id: number, option: number): void {
    const entry = this.find(id);
    if (!entry) return this.sayGone();
    if (!isSame(aboutOf(entry), this.shown.get(id)?.about)) {
      this.say('what is asked has changed meanwhile; please read it again');
      return this.show({ id });
    }
    if (!this.place.session.asking.choose(id, option)) this.sayGone();
  }

  /** The user wants to answer later. */
  close(id: number): void {
    const entry = this.find(id);
    if (entry) this.shown.set(id, { about: aboutOf(entry), isLeft: true });
    this.tellWaiting();
  }

  /** It could not come up now: it may do so later. */
  postpone(id: number): void {
    this.shown.delete(id);
    this.tellWaiting();
  }

  /** Shows what a question is about, which goes on waiting. */
  async look(id: number): Promise<void> {
    const entry = this.find(id);
    if (!entry) return this.sayGone();
    const conflict = this.place.session.asking.conflicts.of(id);
    if (conflict) {
      this.openConflict(id, conflict);
      return this.close(id);
    }
    if (entry.tool) await this.place.diffs.compareAll(entry.tool);
    this.postpone(id);
  }

  /** Takes the merge that the user has made of a conflict. */
  settle(id: number, lines: readonly string[]): void {
    if (!this.find(id)) return this.sayGone();
    this.place.session.asking.conflicts.resolve(id, lines);
  }

  /** Tells the editor what waits, once it can be read in the chat. */
  async follow(event: SessionEvent): Promise<void> {
    if (event.kind === 'question_settled') this.forget(event.questionId, event.answer);
    else if (event.kind !== 'question_asked') return;
    await this.place.renderLoop.settled(this.place.view);
    this.tellWaiting();
    if (event.kind === 'question_asked') this.tellHidden(event.question.id);
  }

  private open(entry: QuestionEntry, isUnasked: boolean): void {
    const { chat, view, editor } = this.place;
    const { id, options } = entry.question;
    const prompt = questionPrompt(entry, view);
    const look = this.lookOf(entry);
    // Without it there would be no way to say no.
    const isOneWay = options.every(({ kind }) => kind.startsWith('allow'));
    editor.tell('question.open', {
      chat,
      id,
      prompt,
      options: options.map(optionName),
      ...(look && { look }),
      ...(isOneWay && { stop: 'Stop the turn' }),
      ...(isUnasked && { isUnasked }),
    });
  }

  private lookOf({ question, tool }: QuestionEntry): string | undefined {
    if (this.place.session.asking.conflicts.of(question.id)) return 'Choose line by line, in a split';
    return tool && diffsOf(tool).length > 0 ? 'See the change first' : undefined;
  }

  private openConflict(id: number, { path, ours, theirs, regions, cause }: Conflict): void {
    const { chat, editor } = this.place;
    this.splits.add(id);
    editor.tell('conflict.open', { chat, id, path, cause, ours, theirs, merged: marked(regions) });
  }

  private forget(id: number, answer: string): void {
    this.shown.delete(id);
    if (!this.splits.delete(id)) return;
    const { chat, session, editor } = this.place;
    const reason = session.asking.conflicts.isMerged(id) ? undefined : reasonOf(answer);
    editor.tell('conflict.close', { chat, id, ...(reason !== undefined && { reason }) });
  }

  // By itself only what has not come up yet; on request first what was not put aside.
  private next(isUnasked: boolean): QuestionEntry | undefined {
    const { questions } = this.place.session.state;
    const fresh = questions.find(({ question }) => !this.shown.has(question.id));
    if (isUnasked) return fresh;
    return fresh ?? questions.find(({ question }) => !this.shown.get(question.id)?.isLeft) ?? questions[0];
  }

  private tellWaiting(): void {
    const { chat, session, editor } = this.place;
    const ids = session.state.questions.map(({ question }) => question.id);
    const isQuiet = ids.length > 0 && ids.every((id) => this.shown.has(id));
    editor.tell('question.waiting', { chat, ids, ...(isQuiet && { isQuiet }) });
  }

  private tellHidden(id: number): void {
    const { chat, view, editor } = this.place;
    const entry = this.find(id);
    if (entry) editor.tell('chat.news', { chat, text: `${questionPrompt(entry, view)} · :AcpAnswer` });
  }

  private sayGone(): void {
    this.say('nothing was answered: this is no longer asked');
  }

  private say(message: string): void {
    this.place.editor.tell('user.notify', { message, level: 'warn' });
  }

  private find(id: number): QuestionEntry | undefined {
    return this.place.session.state.questions.find(({ question }) => question.id === id);
  }
}

// Everything that the user can read of it; how the call stands is no part of what is asked.
function aboutOf({ tool }: QuestionEntry): unknown {
  if (!tool) return undefined;
  const { title, toolKind, rawInput, content, diffs, locations } = tool;
  return { title, toolKind, rawInput, content, diffs, locations };
}

// Arguments nested without end can't be compared.
function isSame(one: unknown, other: unknown): boolean {
  try {
    return isDeepStrictEqual(one, other);
  } catch {
    return false;
  }
}

const reasons: Readonly<Record<string, string>> = {
  cancelled: 'the turn has ended',
  'taken back': 'the agent took its call back',
};

function reasonOf(answer: string): string {
  return reasons[answer] ?? `it was answered: ${answer}`;
}
