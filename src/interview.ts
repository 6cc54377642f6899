import { AcpError } from './errors.ts';
import type { Editor } from './ports/host.ts';
import type { Act } from './session/form-walk.ts';
import type { QuestionEntry } from './session/model.ts';
import type { Session } from './session/session.ts';
import { elicitationPrompt } from './view/elicitation.ts';
import { type Asking, formStep, pageStep } from './view/form-steps.ts';
import { pageAt } from './view/page.ts';

/** Asks the user what agents want beside permissions: leads them through forms, and to pages if they consent. */
export class Interview {
  private readonly chat: number;
  private readonly session: Session;
  private readonly editor: Editor;
  /** What was asked already, and what the user put aside then: it stays in the chat and opens when they want it. */
  private readonly asked = new Map<number, 'shown' | 'left'>();

  constructor(chat: number, session: Session, editor: Editor) {
    this.chat = chat;
    this.session = session;
    this.editor = editor;
  }

  /** The question that waits longest; those put aside come last. */
  next(): QuestionEntry | undefined {
    const { questions } = this.session.state;
    return questions.find((entry) => !this.isLeft(entry)) ?? questions[0];
  }

  /** Nothing waits but what the user has put aside. */
  get isQuiet(): boolean {
    const { questions } = this.session.state;
    return questions.length > 0 && questions.every((entry) => this.isLeft(entry));
  }

  /** Shows where a question stands. By itself it comes up once. */
  show(entry: QuestionEntry, isUnasked = false): void {
    const { id } = entry.question;
    const asking = this.askingOf(entry);
    if (!asking || (isUnasked && this.asked.has(id))) return;
    this.asked.set(id, 'shown');
    this.editor.tell(asking.op, { chat: this.chat, ...asking.payload });
  }

  /** Takes what the user did at one step of a form. */
  fill(questionId: number, turn: number, act: Act): void {
    const entry = this.find(questionId);
    if (entry?.walk?.turn !== turn) return;
    if (act.kind === 'close' && entry.walk.place.kind === 'review') return this.leave(questionId);
    this.session.asking.fill(questionId, turn, act);
    if (this.find(questionId)) this.show(entry);
  }

  /** Takes what the user decided about a page. */
  visit(questionId: number, choice: string): void {
    const elicitation = this.find(questionId)?.question.elicitation;
    if (elicitation?.kind !== 'page') return;
    const { url } = elicitation;
    if (choice === 'close') return this.leave(questionId);
    if (choice === 'decline' || choice === 'cancel')
      return this.session.asking.conclude(questionId, { action: choice });
    if (!pageAt(url).canOpen) return;
    if (choice !== 'open' && choice !== 'copy') return;
    if (choice === 'copy') this.editor.tell('text.copy', { text: url });
    else this.editor.tell('page.open', { url });
    this.session.asking.conclude(
      questionId,
      { action: 'accept' },
      choice === 'copy' ? 'address copied' : 'opened',
    );
  }

  private leave(questionId: number): void {
    this.asked.set(questionId, 'left');
    const count = this.session.state.questions.length;
    this.editor.tell('question.waiting', { chat: this.chat, count, ...(this.isQuiet && { isQuiet: true }) });
  }

  private askingOf(entry: QuestionEntry): Asking | undefined {
    const { question, walk } = entry;
    const { id, elicitation } = question;
    const { chat } = this;
    const agent = this.session.state.agent.title;
    const prompt = elicitationPrompt(entry, agent);
    if (elicitation?.kind === 'page') return pageStep(chat, id, prompt, elicitation.url);
    return elicitation && walk && formStep({ chat, id, agent, prompt, walk, form: elicitation.form });
  }

  private find(questionId: number): QuestionEntry | undefined {
    return this.session.state.questions.find(({ question }) => question.id === questionId);
  }

  private isLeft({ question }: QuestionEntry): boolean {
    return this.asked.get(question.id) === 'left';
  }
}

/** Reads what Lua says the user did; an input that was closed has no text. */
export function actFrom({ act, text, value, field }: Record<string, unknown>): Act {
  switch (act) {
    case 'type':
      return typeof text === 'string' ? { kind: 'type', text } : { kind: 'close' };
    case 'choose':
      return { kind: 'choose', value: typeof value === 'boolean' ? value : String(value) };
    case 'toggle':
      return { kind: 'toggle', value: String(value) };
    case 'edit':
      return { kind: 'edit', name: String(field) };
    case 'skip':
    case 'done':
    case 'close':
    case 'send':
    case 'decline':
    case 'cancel':
      return { kind: act };
    default:
      throw new AcpError(
        'bad_params',
        `act must be something one does to a form, not ${JSON.stringify(act)}`,
      );
  }
}
