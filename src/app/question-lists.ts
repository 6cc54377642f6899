import type { QuestionEntry } from '../model/entries.ts';
import type { Editor } from '../ports/editor.ts';
import type { AgentAction, Verdict } from '../ports/permissions.ts';
import { kindKey } from '../session/questions/alike.ts';
import { questionListPicker, type ShownQuestion } from '../view/pickers/question.ts';
import { AlikeQuestions } from './alike-questions.ts';

/** The open questions of one chat. */
export interface ChatQuestions {
  readonly chat: number;
  readonly agent: string;
  readonly waiting: readonly QuestionEntry[];
  /** The question as the user sees it now. */
  shownNow(entry: QuestionEntry): ShownQuestion;
  /** Chooses an option of the question. False if it is not open, or shows something else than in that revision. */
  choose(id: number, revision: number, option: number): boolean;
  /** What the question is about; undefined if no rule can be about it. */
  actionOf(id: number): AgentAction | undefined;
  /** Whether a rule with this verdict can answer the question with one of its options. */
  offers(id: number, verdict: Verdict): boolean;
  /** Lets the rules answer the question. False under the same conditions, or if they do not decide. */
  answerByRule(id: number, revision: number): boolean;
  /** The question shows something else now. */
  redraw(entry: QuestionEntry): void;
}

interface QuestionList {
  readonly id: number;
  readonly members: readonly {
    readonly source: ChatQuestions;
    readonly id: number;
    readonly revision: number;
  }[];
}

/** Gives one answer to several open questions of one agent, in any of its chats, after the user has read all of them. */
export class QuestionLists {
  private readonly editor: Editor;
  private readonly sources = new Set<ChatQuestions>();
  /** The list on the screen: only one dialog is open at a time. */
  private list: QuestionList | undefined;
  private lastId = 0;
  private readonly asked = new AlikeQuestions<ChatQuestions>();

  constructor(editor: Editor) {
    this.editor = editor;
  }

  /** The questions of all chats. */
  get all(): readonly ChatQuestions[] {
    return [...this.sources];
  }

  add(source: ChatQuestions): void {
    this.sources.add(source);
  }

  remove(source: ChatQuestions): void {
    this.sources.delete(source);
    this.redraw(this.asked.removeAll(source));
  }

  /** How many open questions are like this one, itself included. */
  count(entry: QuestionEntry): number {
    return this.asked.count(entry);
  }

  /** A question of a chat was asked, or is about something else now. */
  noteOpen(source: ChatQuestions, entry: QuestionEntry): void {
    this.redraw(this.asked.add(source, entry));
  }

  /** A question is no longer open. */
  noteSettled(entry: QuestionEntry): void {
    this.redraw(this.asked.remove(entry));
  }

  // They show another number now.
  private redraw(
    questions: readonly { readonly source: ChatQuestions; readonly entry: QuestionEntry }[],
  ): void {
    for (const { source, entry } of questions) source.redraw(entry);
  }

  /** Shows all questions like this one, whole. */
  open(source: ChatQuestions, entry: QuestionEntry): void {
    const all = this.alike(source, entry).map((one) => ({
      source: one.source,
      shown: one.source.shownNow(one.entry),
    }));
    this.lastId += 1;
    this.list = {
      id: this.lastId,
      members: all.map(({ source: from, shown: { entry: member, revision } }) => ({
        source: from,
        id: member.question.id,
        revision,
      })),
    };
    const picker = questionListPicker(
      this.lastId,
      source.shownNow(entry),
      all.map(({ shown }) => shown),
    );
    this.editor.send('picker.open', { chat: source.chat, id: entry.question.id, ...picker });
  }

  /** Answers the questions of the list. One that has changed since, or is not open any more, is left out. */
  answer(list: number, option: number): void {
    if (this.list?.id !== list)
      return this.editor.notify('warn', 'nothing was answered: the list is out of date');
    const { members } = this.list;
    this.list = undefined;
    const answered = members.filter(({ source, id, revision }) => source.choose(id, revision, option));
    const left = members.length - answered.length;
    const rest = left === 0 ? '' : `; left out, because they changed or were withdrawn meanwhile: ${left}`;
    this.editor.notify(
      left === 0 ? 'info' : 'warn',
      `answered ${answered.length} of ${members.length} questions${rest}`,
    );
  }

  private alike(source: ChatQuestions, entry: QuestionEntry) {
    const key = kindKey(entry);
    if (key === undefined) return [{ source, entry }];
    const ofAgent = [...this.sources].filter(({ agent }) => agent === source.agent);
    return ofAgent.flatMap((one) =>
      one.waiting.filter((other) => kindKey(other) === key).map((other) => ({ source: one, entry: other })),
    );
  }
}
