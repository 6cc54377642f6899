import type { QuestionEntry } from '../../model/entries.ts';
import type { FormAction } from '../../model/form-progress.ts';
import type { Picker } from '../../ports/dialogs.ts';
import type { Editor } from '../../ports/editor.ts';
import type { Session } from '../../session/session.ts';
import { elicitationPrompt } from '../../view/transcript/form.ts';
import { type Dialog, formDialog, pageDialog } from '../../view/transcript/form-dialogs.ts';
import { parsePageAddress } from '../../view/web-page.ts';

export type PageChoice = 'open' | 'copy' | 'decline' | 'cancel' | 'close';

interface FormDialogEvents {
  /** What a window of ours shows of the form or page. */
  describe(entry: QuestionEntry): Pick<Picker, 'title' | 'body'>;
  /** The user closed a dialog to continue later. */
  onClose(questionId: number): void;
  /** The user answered a question that was withdrawn. */
  onGone(): void;
}

/** The dialogs of elicitations: the steps of a form, and the consent to open a web page. */
export class FormDialogs {
  private readonly chat: number;
  private readonly session: Session;
  private readonly editor: Editor;
  private readonly dialogs: FormDialogEvents;

  constructor(chat: number, session: Session, editor: Editor, dialogs: FormDialogEvents) {
    this.chat = chat;
    this.session = session;
    this.editor = editor;
    this.dialogs = dialogs;
  }

  /** Shows the current step of an elicitation. */
  show(entry: QuestionEntry): void {
    const asking = this.dialogOf(entry);
    const { id } = entry.question;
    if (!asking) return;
    const about = asking.op === 'picker.open' ? this.dialogs.describe(entry) : {};
    this.editor.send(asking.op, {
      chat: this.chat,
      id,
      ...asking.payload,
      ...about,
    });
  }

  /** Applies what the user did at one step of a form. */
  fill(questionId: number, turn: number, act: FormAction): void {
    const entry = this.find(questionId);
    if (!entry) return this.dialogs.onGone();
    if (entry.formProgress?.revision !== turn) return;
    this.session.questions.applyFormAction(questionId, turn, act);
    if (act.kind === 'close') this.dialogs.onClose(questionId);
    else if (this.find(questionId)) this.show(entry);
  }

  /** Applies what the user decided about a web page. */
  visitPage(questionId: number, choice: PageChoice): void {
    const entry = this.find(questionId);
    if (!entry) return this.dialogs.onGone();
    const { elicitation } = entry.question;
    if (elicitation?.kind !== 'page') return;
    const { url } = elicitation;
    if (choice === 'close') return this.dialogs.onClose(questionId);
    if (choice === 'decline' || choice === 'cancel')
      return this.session.questions.answerPage(questionId, { action: choice });
    if (!parsePageAddress(url).canOpen) return;
    if (choice === 'copy') this.editor.send('text.copy', { text: url });
    else this.editor.send('browser.open', { url });
    this.session.questions.answerPage(
      questionId,
      { action: 'accept' },
      choice === 'copy' ? 'address copied' : 'opened',
    );
  }

  private dialogOf(entry: QuestionEntry): Dialog | undefined {
    const { question, formProgress } = entry;
    const { id, elicitation } = question;
    const { chat } = this;
    const agent = this.session.state.agent.title;
    const prompt = elicitationPrompt(entry, agent);
    if (elicitation?.kind === 'page') return pageDialog(chat, id, prompt, elicitation.url);
    return (
      elicitation &&
      formProgress &&
      formDialog({ ...elicitation, chat, id, agent, prompt, progress: formProgress })
    );
  }

  private find(questionId: number): QuestionEntry | undefined {
    return this.session.state.questions.find(({ question }) => question.id === questionId);
  }
}
