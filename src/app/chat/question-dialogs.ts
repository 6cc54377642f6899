import { isDeepStrictEqual } from 'node:util';
import { shorten } from '../../base/text.ts';
import { withConflictMarkers } from '../../diff/conflict-markers.ts';
import type { QuestionEntry } from '../../model/entries.ts';
import type { FormAction } from '../../model/form-progress.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import type { RenderLoop } from '../../nvim/render-loop.ts';
import type { Editor } from '../../ports/editor.ts';
import type { AgentAction, Verdict } from '../../ports/permissions.ts';
import type { Conflict } from '../../ports/workspace.ts';
import type { ConflictQuestions } from '../../session/questions/conflict-questions.ts';
import type { Session } from '../../session/session.ts';
import {
  consents,
  describeQuestion,
  questionPicker,
  type ShownQuestion,
} from '../../view/pickers/question.ts';
import { type Choice, type QuestionOffers, questionChoices } from '../../view/questions/choices.ts';
import { isWholeInChat, questionPrompt } from '../../view/transcript/question.ts';
import { isPlanAbove } from '../../view/transcript/tools/plan-call.ts';
import type { TranscriptView } from '../../view/transcript/transcript.ts';
import type { RuleMaking } from '../permissions/rule-making.ts';
import type { ChatQuestions, QuestionLists } from '../question-lists.ts';
import { FormDialogs, type PageChoice } from './form-dialogs.ts';
import type { ToolDiffs } from './tool-diffs.ts';

/** Characters of a question in a notification. */
const maxNews = 180;

export interface QuestionContext {
  readonly chat: number;
  readonly session: Session;
  readonly view: TranscriptView;
  readonly diffs: ToolDiffs;
  readonly editor: Editor;
  readonly renderLoop: RenderLoop;
  readonly lists: QuestionLists;
  /** Absent: the user can't make rules. */
  readonly rules?: RuleMaking | undefined;
}

interface QuestionShowing {
  /** Of all questions, if it is not the oldest one. */
  readonly id?: number;
  readonly opensByItself?: boolean;
  /** In a window of ours, whatever the option says. */
  readonly isInFloat?: boolean;
}

/** The number of a version of what a question shows. */
interface Revision {
  readonly subject: readonly unknown[];
  readonly number: number;
}

/** What was done with an open question so far. */
interface QuestionRecord {
  entry?: QuestionEntry;
  revision?: Revision;
  /** It was shown in a dialog. `postponed`: the user wants to answer later. */
  dialog?: 'shown' | 'postponed' | undefined;
  /** The revision that the transcript shows. */
  drawn?: number;
  /** Whether a rule can answer it, for the revision that this was found out for. */
  rule?: { readonly revision: number; readonly canMake: boolean };
  /** The windows with its conflict are open. */
  isMerging?: boolean;
}

/** Shows the questions of a chat. Each may open by itself once, later only when the user asks for it. */
export class QuestionDialogs implements ChatQuestions {
  readonly chat: number;
  private readonly forms: FormDialogs;
  private readonly context: QuestionContext;
  private readonly conflicts: ConflictQuestions;
  private readonly records = new Map<number, QuestionRecord>();
  /** The questions of which Neovim does not know yet that they are open, are shown elsewhere or otherwise, or are gone. */
  private readonly unsent = new Set<number>();
  private sending: Promise<void> | undefined;

  constructor(context: QuestionContext) {
    this.chat = context.chat;
    this.context = context;
    this.conflicts = context.session.questions.conflicts;
    this.forms = new FormDialogs(context.chat, context.session, context.editor, {
      describe: (entry) => describeQuestion(entry, context.view),
      onClose: (questionId) => this.close(questionId),
      onGone: () => this.notifyGone(),
    });
    context.lists.add(this);
  }

  get agent(): string {
    return this.context.session.state.agent.name;
  }

  get waiting(): readonly QuestionEntry[] {
    return this.context.session.state.questions;
  }

  shownNow(entry: QuestionEntry): ShownQuestion {
    const { chat, view } = this.context;
    return { chat, entry, context: view, revision: this.revisionOf(entry) };
  }

  /** Shows the given question or the oldest one. */
  show({ opensByItself = false, id, isInFloat = false }: QuestionShowing = {}): void {
    const entry = id === undefined ? this.next(opensByItself) : this.find(id);
    if (!entry) return;
    this.recordOf(entry.question.id).dialog = 'shown';
    if (entry.question.elicitation) this.forms.show(entry);
    else this.open(entry, { opensByItself, isInFloat });
    if (opensByItself) this.sendWaiting();
  }

  /** Answers with an option, unless the question shows something else than in the picker. */
  answer(id: number, revision: number, option: number): void {
    if (this.choose(id, revision, option)) return;
    if (!this.find(id)) return this.notifyGone();
    this.notifyChanged();
    this.show({ id });
  }

  /** Takes the choice with this number, as the chat shows it. `isWhole`: all of the question is on the screen. */
  press(
    { id, revision }: { readonly id: number; readonly revision: number },
    number: number,
    isWhole: boolean,
  ): void | Promise<void> {
    const entry = this.find(id);
    if (!entry) return this.notifyGone();
    if (revision !== this.revisionOf(entry)) return this.notifyChanged();
    const choice = this.choicesOf(entry)[number - 1];
    if (!choice) return this.context.editor.notify('warn', `the question has no choice ${number}`);
    const isSeen = isWhole && isWholeInChat(entry, this.context.view);
    if (isSeen || !consents(entry, choice)) return this.take(entry, choice);
    this.context.editor.notify('warn', 'not answered: not all of the question was on the screen');
    this.show({ id, isInFloat: true });
  }

  choose(id: number, revision: number, option: number): boolean {
    const entry = this.find(id);
    if (!entry || revision !== this.revisionOf(entry)) return false;
    return this.context.session.questions.choose(id, option);
  }

  actionOf(id: number): AgentAction | undefined {
    return this.context.session.questions.actionOfQuestion(id);
  }

  offers(id: number, verdict: Verdict): boolean {
    return this.context.session.questions.offers(id, verdict);
  }

  answerByRule(id: number, revision: number): boolean {
    const entry = this.find(id);
    if (!entry || revision !== this.revisionOf(entry)) return false;
    return this.context.session.questions.answerByRule(id);
  }

  /** What the user can choose besides the options of the agent. */
  offersIn(entry: QuestionEntry): QuestionOffers {
    return {
      alike: this.context.lists.count(entry),
      canMakeRule: this.canMakeRule(entry),
      canMerge: this.isConflict(entry),
      canPreview: this.canPreview(entry),
    };
  }

  private canPreview(entry: QuestionEntry): boolean {
    if (!entry.tool || this.isConflict(entry)) return false;
    return this.context.view.diffs.of(entry.tool).length > 0;
  }

  // All waiting questions are drawn again when one is answered, and it takes a while to find the rules.
  private canMakeRule(entry: QuestionEntry): boolean {
    const record = this.recordOf(entry.question.id);
    const revision = this.revisionOf(entry);
    if (record.rule?.revision === revision) return record.rule.canMake;
    const canMake = this.context.rules?.canMake(this, entry) ?? false;
    record.rule = { revision, canMake };
    return canMake;
  }

  /** Lets the user make a rule from the question, unless it shows something else than in the picker. */
  makeRule(id: number, revision: number): void {
    const entry = this.find(id);
    if (!entry) return this.notifyGone();
    if (revision === this.revisionOf(entry)) return this.context.rules?.open(this, entry);
    this.notifyChanged();
    this.show({ id });
  }

  /** Lists all open questions like this one. */
  list(id: number): void {
    const entry = this.find(id);
    if (entry) this.context.lists.open(this, entry);
    else this.notifyGone();
  }

  /** The user wants to answer later. */
  close(id: number): void {
    if (this.find(id)) this.recordOf(id).dialog = 'postponed';
    this.sendWaiting();
  }

  /** The question could not be shown now; it opens by itself later. */
  postpone(id: number): void {
    if (this.find(id)) this.recordOf(id).dialog = undefined;
    this.sendWaiting();
  }

  /** Shows the change or conflict that a question is about; the question stays open. */
  async preview(id: number): Promise<void> {
    const entry = this.find(id);
    if (!entry) return this.notifyGone();
    if (this.isConflict(entry)) return this.merge(id);
    if (entry.tool) await this.context.diffs.compareAll(entry.tool);
    this.postpone(id);
  }

  /** Whether it is an open conflict, which `preview` shows line by line. */
  isConflict({ question }: QuestionEntry): boolean {
    return this.conflicts.conflictOf(question.id) !== undefined;
  }

  /** Resolves a conflict with the lines that the user has merged. */
  settle(id: number, lines: readonly string[]): void {
    if (!this.find(id)) return this.notifyGone();
    this.conflicts.resolveWithLines(id, lines);
  }

  /** Applies what the user did at one step of a form. */
  fillForm(id: number, turn: number, action: FormAction): void {
    this.forms.fill(id, turn, action);
  }

  /** Applies what the user decided about a web page. */
  visitPage(id: number, choice: PageChoice): void {
    this.forms.visitPage(id, choice);
  }

  /** Sends the open questions to Neovim when the transcript shows them. */
  async follow(event: SessionEvent): Promise<void> {
    if (!this.noteEvent(event)) return;
    await this.context.renderLoop.settled(this.context.view);
    await this.sendWaitingOnce();
    if (event.kind === 'question_asked') this.sendNews(event.question.id);
  }

  redraw(entry: QuestionEntry): void {
    this.draw([entry]);
  }

  /** Draws all questions for another width. */
  resize(): void {
    this.draw(this.waiting);
  }

  /** The transcript is about to show the question. */
  noteDrawn(entry: QuestionEntry): void {
    if (entry.answer !== undefined) return;
    const record = this.recordOf(entry.question.id);
    const before = record.drawn;
    record.drawn = this.revisionOf(entry);
    this.unsent.add(entry.question.id);
    // After the frame, which is sent without waiting for anything.
    if (before !== undefined && before !== record.drawn) queueMicrotask(() => this.sendWaiting());
  }

  /** The chat is closed. */
  dispose(): void {
    this.context.lists.remove(this);
  }

  private draw(entries: readonly QuestionEntry[]): void {
    const { view, renderLoop } = this.context;
    view.markChanged(entries);
    renderLoop.request(view);
  }

  /** Whether open questions have changed by the event. Only they are drawn again: there may be thousands. */
  private noteEvent(event: SessionEvent): boolean {
    switch (event.kind) {
      case 'question_asked': {
        const entry = this.waiting.findLast(({ question }) => question.id === event.question.id);
        if (entry) this.noteOpen(entry);
        return true;
      }
      case 'question_settled':
        this.forget(event.questionId, event.answer);
        return true;
      case 'tool': {
        const changed = this.changedBy(event);
        for (const entry of changed) this.noteOpen(entry);
        return changed.length > 0;
      }
      default:
        return false;
    }
  }

  private noteOpen(entry: QuestionEntry): void {
    const record = this.recordOf(entry.question.id);
    record.entry = entry;
    this.unsent.add(entry.question.id);
    this.context.lists.noteOpen(this, entry);
    if (record.drawn !== this.revisionOf(entry)) this.redraw(entry);
  }

  private changedBy({ patch }: Extract<SessionEvent, { kind: 'tool' }>): readonly QuestionEntry[] {
    // Agents report many calls that no question is about.
    if (this.context.session.state.tools.get(patch.toolCallId)?.askedContent === undefined) return [];
    return this.waiting.filter((entry) => {
      if (entry.question.toolCallId !== patch.toolCallId) return false;
      return this.recordOf(entry.question.id).revision?.number !== this.revisionOf(entry);
    });
  }

  private take(entry: QuestionEntry, choice: Choice): void | Promise<void> {
    const { id } = entry.question;
    const { session, lists } = this.context;
    if (choice.kind === 'option') session.questions.choose(id, choice.index);
    else if (choice.kind === 'stop') session.cancel();
    else if (choice.kind === 'merge') this.merge(id);
    else if (choice.kind === 'preview') return this.preview(id);
    else if (choice.kind === 'rule') this.context.rules?.open(this, entry);
    else lists.open(this, entry);
  }

  private choicesOf(entry: QuestionEntry): readonly Choice[] {
    return questionChoices(entry, this.offersIn(entry));
  }

  private revisionOf(entry: QuestionEntry): number {
    const record = this.recordOf(entry.question.id);
    const last = record.revision;
    const subject = subjectOf(entry);
    if (last && isSameSubject(subject, last.subject)) return last.number;
    const number = (last?.number ?? 0) + 1;
    record.revision = { subject, number };
    return number;
  }

  private open(
    entry: QuestionEntry,
    { opensByItself, isInFloat }: Required<Omit<QuestionShowing, 'id'>>,
  ): void {
    const { chat, editor } = this.context;
    const picker = questionPicker(this.shownNow(entry), this.choicesOf(entry));
    const { id } = entry.question;
    const way = { ...(opensByItself && { opensByItself }), ...(isInFloat && { isInFloat }) };
    editor.send('picker.open', { chat, id, ...picker, ...way });
  }

  private merge(id: number): void {
    const conflict = this.conflicts.conflictOf(id);
    if (conflict) this.openConflict(id, conflict);
    this.close(id);
  }

  private openConflict(id: number, { path, ours, theirs, regions, cause }: Conflict): void {
    const { chat, editor } = this.context;
    this.recordOf(id).isMerging = true;
    editor.send('conflict.open', {
      chat,
      id,
      path,
      cause,
      ours,
      theirs,
      merged: withConflictMarkers(regions),
    });
  }

  private forget(id: number, answer: string): void {
    const { isMerging, entry } = this.recordOf(id);
    this.records.delete(id);
    this.unsent.add(id);
    if (entry) this.context.lists.noteSettled(entry);
    if (!isMerging) return;
    const { chat, editor } = this.context;
    const reason = this.conflicts.isMerged(id) ? undefined : reasonOf(answer);
    editor.send('conflict.close', { chat, id, reason });
  }

  // On request, postponed questions come last.
  private next(opensByItself: boolean): QuestionEntry | undefined {
    const { questions } = this.context.session.state;
    if (opensByItself) return questions.find((entry) => this.mayOpenByItself(entry));
    const dialogOf = ({ question }: QuestionEntry) => this.recordOf(question.id).dialog;
    const fresh = questions.find((entry) => dialogOf(entry) === undefined);
    return fresh ?? questions.find((entry) => dialogOf(entry) === 'shown') ?? questions[0];
  }

  // Once, and never what is filled in step by step.
  private mayOpenByItself({ question }: QuestionEntry): boolean {
    return !question.elicitation && this.recordOf(question.id).dialog === undefined;
  }

  // One frame may show many new questions.
  private sendWaitingOnce(): Promise<void> {
    this.sending ??= Promise.resolve().then(() => {
      this.sending = undefined;
      this.sendWaiting();
    });
    return this.sending;
  }

  // Only what Neovim does not know yet: there may be thousands, with every frame.
  private sendWaiting(): void {
    const { chat, editor } = this.context;
    const ids = [...this.unsent];
    this.unsent.clear();
    const entryOf = (id: number) => this.records.get(id)?.entry;
    const questions = ids.flatMap((id) => entryOf(id) ?? []).map((entry) => this.waitingQuestion(entry));
    const gone = ids.filter((id) => !entryOf(id));
    const count = this.waiting.length;
    const isQuiet = count > 0 && !this.waiting.some((entry) => this.mayOpenByItself(entry));
    editor.send('question.waiting', { chat, questions, gone, count, ...(isQuiet && { isQuiet }) });
  }

  private waitingQuestion(entry: QuestionEntry) {
    const { id: block, tool } = entry;
    const { id, elicitation } = entry.question;
    return {
      id,
      block,
      ...(tool && isPlanAbove(entry) && { above: tool.id }),
      first: this.context.view.linesAboveOf(block),
      revision: this.recordOf(id).drawn ?? 0,
      ...(!elicitation && { hasChoices: true as const }),
    };
  }

  private sendNews(id: number): void {
    const { chat, view, editor } = this.context;
    const { entry } = this.records.get(id) ?? {};
    if (entry)
      editor.send('chat.notify', {
        chat,
        kind: 'waiting',
        text: `${shorten(questionPrompt(entry, view), maxNews)} · :AcpAnswer`,
      });
  }

  private notifyGone(): void {
    this.context.editor.notify('warn', 'nothing was answered: the question is no longer open');
  }

  private notifyChanged(): void {
    this.context.editor.notify('warn', 'the question has changed; please read it again');
  }

  private recordOf(id: number): QuestionRecord {
    const known = this.records.get(id);
    if (known) return known;
    const record: QuestionRecord = {};
    this.records.set(id, record);
    return record;
  }

  private find(id: number): QuestionEntry | undefined {
    return this.context.session.state.questions.find(({ question }) => question.id === id);
  }
}

// What the user reads of the tool call, except for its status.
function subjectOf({ tool }: QuestionEntry): readonly unknown[] {
  if (!tool) return [];
  const { title, toolNames, toolKind, rawInput, content, diffs, locations } = tool;
  return [title, toolNames, toolKind, rawInput, content, diffs, locations];
}

// Arguments that are nested too deeply cannot be compared.
function isSameSubject(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length === other.length && one.every((part, at) => part === other[at])) return true;
  try {
    return isDeepStrictEqual(one, other);
  } catch {
    return false;
  }
}

const reasons: Readonly<Record<string, string>> = {
  cancelled: 'the turn has ended',
  withdrawn: 'the agent withdrew its call',
};

function reasonOf(answer: string): string {
  return reasons[answer] ?? `it was answered: ${answer}`;
}
