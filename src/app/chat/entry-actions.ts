import { isMediaFile } from '../../media/media-file.ts';
import type { Entry, TerminalState } from '../../model/entries.ts';
import type { AttachmentFiles } from '../../session/journal/attachment-files.ts';
import type { AttachmentTarget } from '../../view/line.ts';
import { type TranscriptSymbol, transcriptSymbols } from '../../view/outline.ts';
import { hiddenText, hoverText } from '../../view/transcript/body.ts';
import { terminalsOf } from '../../view/transcript/terminal.ts';
import type { TerminalWindows } from '../terminals.ts';
import type { QuestionContext, QuestionDialogs } from './question-dialogs.ts';

interface EntryContext extends QuestionContext {
  readonly questions: QuestionDialogs;
  /** Pictures of the agent are written after they are shown. */
  readonly attachments: Pick<AttachmentFiles, 'written'>;
  readonly terminals: Pick<TerminalWindows, 'show'> | undefined;
}

/** Whether an entry can be folded, so that its text is only shown when it is open. */
const canBeFolded: Readonly<Record<Entry['kind'], boolean>> = {
  message: true,
  attachments: true,
  tool: true,
  plan: false,
  notice: false,
  question: true,
  compaction: true,
  unknown: true,
};

function isFoldable(entry: Entry): boolean {
  if (entry.kind === 'message') return entry.role === 'thought';
  return canBeFolded[entry.kind] && (entry.kind !== 'question' || entry.answer !== undefined);
}

/** What the user does with the entry under the cursor. */
export class EntryActions {
  private readonly context: EntryContext;

  constructor(context: EntryContext) {
    this.context = context;
  }

  /** Opens the file or the question of a line, or the terminal of its entry; else folds or unfolds the entry. */
  async open(block: number, line: number): Promise<void> {
    const { view, diffs, questions } = this.context;
    const { entry, target } = view.targetAt(block, line) ?? {};
    if (target && ('file' in target || 'url' in target)) await this.openAttachment(target);
    else if (entry?.kind === 'tool' && target) await diffs.open(entry, target);
    else if (entry?.kind === 'question' && entry.answer === undefined)
      questions.show({ id: entry.question.id });
    else await this.openTerminal(block);
  }

  /** Shows the change of a line side by side, or all changes of its tool call. */
  async compare(block: number, line: number): Promise<void> {
    const { view, diffs, editor, questions } = this.context;
    const { entry } = view.targetAt(block, line) ?? {};
    if (entry?.kind === 'question' && questions.isConflict(entry))
      return questions.preview(entry.question.id);
    const tool = entry?.kind === 'question' ? entry.tool : entry;
    if (tool?.kind !== 'tool' || view.diffs.of(tool).length === 0)
      return editor.notify('warn', 'there is no change here');
    const change = view.changeAt(block, line);
    await (change === undefined ? diffs.compareAll(tool) : diffs.compare(tool, change));
  }

  /** The turns and tool calls, for an outline. */
  symbols(): readonly TranscriptSymbol[] {
    return transcriptSymbols(this.context.session.state.entries);
  }

  /** What the transcript does not show of an entry. */
  hover(block: number, line: number): string | undefined {
    const { entry, target } = this.context.view.targetAt(block, line) ?? {};
    return entry && hoverText(entry, target);
  }

  /** Folds or unfolds an entry. */
  toggle(block: number): void {
    const { view, renderLoop } = this.context;
    view.toggle(block);
    renderLoop.request(view);
  }

  /** Opens or closes the entry, or without one every entry that can be folded. A question that waits stays as it is. */
  fold(block: number | undefined, isOpen: boolean): void {
    const { view, renderLoop, session } = this.context;
    const { entries } = session.state;
    const folded =
      block === undefined ? entries.filter(isFoldable) : entries.filter(({ id }) => id === block);
    view.fold(folded, isOpen);
    renderLoop.request(view);
  }

  // The program for pictures may be any program, so it gets only files that are pictures or sounds by name and content.
  private async openAttachment(target: AttachmentTarget): Promise<void> {
    const { chat, editor } = this.context;
    if ('url' in target) return editor.send('browser.open', { url: target.url });
    const { file, line, isMedia } = target;
    await this.context.attachments.written();
    if (isMedia && (await isMediaFile(file))) editor.send('media.open', { path: file });
    else editor.send('file.open', { chat, path: file, line });
  }

  private async openTerminal(block: number): Promise<void> {
    const { session, terminals } = this.context;
    const { state } = session;
    const entry = state.entries.find(({ id }) => id === block);
    const [terminal] = entry?.kind === 'tool' ? terminalsOf(entry, state.terminals) : [];
    const whole = terminal ?? (entry && this.longText(entry));
    if (!whole || !terminals) return this.toggle(block);
    await terminals.show(whole.terminalId, whole);
  }

  // An unfolded entry whose text is too long for the transcript opens like the output of a command.
  private longText(entry: Entry): TerminalState | undefined {
    const { chat, view } = this.context;
    const isShown = !canBeFolded[entry.kind] || view.isOpen(entry.id);
    const text = isShown ? hiddenText(entry) : undefined;
    const command = entry.kind === 'tool' ? entry.title : entry.kind;
    return text === undefined
      ? undefined
      : { terminalId: `text ${chat}/${entry.id}`, command, cwd: undefined, text, exit: undefined };
  }
}
