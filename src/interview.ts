import { AcpError } from './errors.ts';
import type { Editor } from './ports/host.ts';
import type { Act } from './session/form-walk.ts';
import type { QuestionEntry } from './session/model.ts';
import type { Session } from './session/session.ts';
import { elicitationPrompt } from './view/elicitation.ts';
import { type Asking, formStep, pageStep } from './view/form-steps.ts';
import { pageAt } from './view/page.ts';

/** What becomes of the question that a step belongs to. */
export interface InterviewDialogs {
  /** The user wants to go on later. */
  close(questionId: number): void;
  /** The user did something about a question that is no longer asked. */
  isGone(): void;
}

/** Asks the user what agents want beside permissions: leads them through forms, and to pages if they consent. */
export class Interview {
  private readonly chat: number;
  private readonly session: Session;
  private readonly editor: Editor;
  private readonly dialogs: InterviewDialogs;

  constructor(chat: number, session: Session, editor: Editor, dialogs: InterviewDialogs) {
    this.chat = chat;
    this.session = session;
    this.editor = editor;
    this.dialogs = dialogs;
  }

  /** Shows where a question stands. */
  show(entry: QuestionEntry, isUnasked = false): void {
    const asking = this.askingOf(entry);
    const { id } = entry.question;
    if (!asking) return;
    this.editor.tell(asking.op, { chat: this.chat, id, ...(isUnasked && { isUnasked }), ...asking.payload });
  }

  /** Takes what the user did at one step of a form. */
  fill(questionId: number, turn: number, act: Act): void {
    const entry = this.find(questionId);
    if (!entry) return this.dialogs.isGone();
    if (entry.walk?.turn !== turn) return;
    this.session.asking.fill(questionId, turn, act);
    if (act.kind === 'close') this.dialogs.close(questionId);
    else if (this.find(questionId)) this.show(entry);
  }

  /** Takes what the user decided about a page. */
  visit(questionId: number, choice: string): void {
    const entry = this.find(questionId);
    if (!entry) return this.dialogs.isGone();
    const { elicitation } = entry.question;
    if (elicitation?.kind !== 'page') return;
    const { url } = elicitation;
    if (choice === 'close') return this.dialogs.close(questionId);
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

  private askingOf(entry: QuestionEntry): Asking | undefined {
    const { question, walk } = entry;
    const { id, elicitation } = question;
    const { chat } = this;
    const agent = this.session.state.agent.title;
    const prompt = elicitationPrompt(entry, agent);
    if (elicitation?.kind === 'page') return pageStep(chat, id, prompt, elicitation.url);
    return elicitation && walk && formStep({ ...elicitation, chat, id, agent, prompt, walk });
  }

  private find(questionId: number): QuestionEntry | undefined {
    return this.session.state.questions.find(({ question }) => question.id === questionId);
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
