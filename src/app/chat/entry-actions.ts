import { isMediaFile } from '../../media/media-file.ts';
import type { Entry, TerminalState, ToolEntry } from '../../model/entries.ts';
import type { BodyLoader } from '../../session/body-loader.ts';
import type { AttachmentFiles } from '../../session/journal/attachment-files.ts';
import type { AttachmentTarget, LineTarget } from '../../view/line.ts';
import { type TranscriptSymbol, transcriptSymbols } from '../../view/outline.ts';
import { linkTargetAt } from '../../view/references/find-reference.ts';
import { hiddenText, hoverText } from '../../view/transcript/body.ts';
import { groupText } from '../../view/transcript/tools/group-lines.ts';
import { terminalsOf } from '../../view/transcript/tools/terminal.ts';
import type { TerminalWindows } from '../terminals.ts';
import type { QuestionContext, QuestionDialogs } from './question-dialogs.ts';
import type { DividedLine, References } from './references.ts';

interface EntryContext extends QuestionContext {
  readonly questions: QuestionDialogs;
  readonly references: References;
  /** Pictures of the agent are written after they are shown. */
  readonly attachments: Pick<AttachmentFiles, 'written'>;
  readonly bodyLoader: Pick<BodyLoader, 'restore'>;
  readonly terminals: Pick<TerminalWindows, 'show'> | undefined;
  /** Undefined if changes are not tracked. */
  openReview(): Promise<void> | undefined;
}

interface HoverPlace {
  readonly block: number;
  readonly line: number;
  readonly text: string;
  readonly column: number;
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
  summary: false,
  unknown: true,
};

function isFoldable(entry: Entry): boolean {
  if (entry.kind === 'message') return entry.role !== 'agent';
  return canBeFolded[entry.kind] && (entry.kind !== 'question' || entry.answer !== undefined);
}

function isAttachment(target: LineTarget): target is AttachmentTarget {
  return 'file' in target || 'url' in target;
}

/** What the user does with the entry under the cursor. */
export class EntryActions {
  private readonly context: EntryContext;

  constructor(context: EntryContext) {
    this.context = context;
  }

  /**
   * Opens what is under the cursor: the question, the attachment, the path or link, the change or the terminal; else
   * folds or unfolds the entry.
   */
  async open(block: number, line: number, text: DividedLine): Promise<void> {
    const { view, questions } = this.context;
    const { entry, target } = view.targetAt(block, line) ?? {};
    if (entry?.kind === 'question' && entry.answer === undefined) questions.show({ id: entry.question.id });
    else if (entry?.kind === 'summary') await this.context.openReview();
    else if (target && isAttachment(target)) await this.openAttachment(target);
    else await this.openReference(block, line, text);
  }

  /** Goes to the path or link under the cursor, or to the file of its line; tells if there is none. */
  async visit(block: number, line: number, text: DividedLine): Promise<void> {
    const { entry, target } = this.context.view.targetAt(block, line) ?? {};
    if (!target) return this.context.references.open(text, this.folderOf(entry));
    if (isAttachment(target)) return this.openAttachment(target);
    await this.openReference(block, line, text);
  }

  /** Shows the change of a line side by side, or all changes of its tool call. */
  async compare(block: number, line: number): Promise<void> {
    const { view, diffs, editor, questions } = this.context;
    const { entry } = view.targetAt(block, line) ?? {};
    if (entry?.kind === 'question' && questions.isConflict(entry))
      return questions.preview(entry.question.id);
    const tool = entry?.kind === 'question' ? entry.tool : entry;
    const change = view.changeAt(block, line);
    if (tool?.kind === 'tool') await this.context.bodyLoader.restore(tool);
    if (tool?.kind !== 'tool' || view.diffs.of(tool).length === 0)
      return editor.notify('warn', 'there is no change here');
    await (change === undefined ? diffs.compareAll(tool) : diffs.compare(tool, change));
  }

  /** The turns and tool calls, for an outline. */
  symbols(): readonly TranscriptSymbol[] {
    const { session, view } = this.context;
    return transcriptSymbols(session.state.entries, (entry) => view.shownAt(entry));
  }

  /** What the transcript does not show of an entry, or of the link at a column of the line, which has this text. */
  hover({ block, line, text, column }: HoverPlace): string | undefined {
    const { view } = this.context;
    const group = view.groupAt(block, line);
    if (group) return groupText(group, view);
    const { entry, target } = view.targetAt(block, line) ?? {};
    const link = entry?.kind === 'message' ? linkTargetAt(text, column) : undefined;
    if (link !== undefined) return link;
    return view.sourceAt(block, line) ?? (entry && hoverText(entry, target));
  }

  /** Folds or unfolds an entry, or the group of calls whose line this is. */
  toggle(block: number, line?: number): void {
    const { view, renderLoop } = this.context;
    view.toggle(block, line);
    renderLoop.request(view);
  }

  /** Opens or closes the entry, or without one every entry that can be folded. A question that waits stays as it is. */
  fold(block: number | undefined, isOpen: boolean, line?: number): void {
    const { view, renderLoop, session } = this.context;
    const { entries } = session.state;
    const entry = entries.find(({ id }) => id === block);
    if (entry) view.fold(entry, isOpen, line);
    else if (block === undefined) view.foldAll(entries.filter(isFoldable), isOpen);
    renderLoop.request(view);
  }

  /** Stops the subagent whose call or one of whose calls is under the cursor, and not the turn. */
  stopSubagent(block: number): void {
    const { view, session, editor } = this.context;
    const subagent = view.subagentAt(block)?.subagent;
    if (!subagent)
      return editor.notify('warn', 'there is no running subagent here that can be stopped alone');
    session.stopSubagent(subagent.sessionId);
  }

  // The program for pictures may be any program, so it gets only files that are pictures or sounds by name and content.
  private async openAttachment(target: AttachmentTarget): Promise<void> {
    const { chat, editor, references } = this.context;
    if ('url' in target) return references.askAboutPage(target.url);
    const { file, line, isMedia, isOurs } = target;
    // The agent may give any name to any file, also in the prompts that it replays.
    if (!isOurs) return references.show({ file, line });
    await this.context.attachments.written();
    if (isMedia && (await isMediaFile(file))) editor.send('media.open', { path: file });
    else editor.send('file.open', { chat, path: file, line });
  }

  // A change knows its line in the file better than a path that names none.
  private async openReference(block: number, line: number, text: DividedLine): Promise<void> {
    const { view, diffs, references } = this.context;
    const { entry, target } = view.targetAt(block, line) ?? {};
    const change = entry?.kind === 'tool' && target && !isAttachment(target) ? { entry, target } : undefined;
    const found = await references.find(text, this.folderOf(entry));
    if (entry?.kind === 'tool' && (change || this.isShownWhole(entry)))
      await this.context.bodyLoader.restore(entry);
    const file = change && diffs.fileOf(change.entry, change.target);
    const isOfChange = found && 'file' in found && found.line === undefined && found.file === file;
    if (found && !isOfChange) await references.show(found);
    else if (change) await diffs.open(change.entry, change.target);
    else await this.openTerminal(block, line, text);
  }

  // A closed call is unfolded at once, and its text follows.
  private isShownWhole(call: ToolEntry): boolean {
    const { view, session } = this.context;
    return view.isOpen(call.id) || terminalsOf(call, session.state.terminals).length > 0;
  }

  // Commands print paths that are relative to the folder they run in.
  private folderOf(entry: Entry | undefined): string | undefined {
    if (entry?.kind !== 'tool') return undefined;
    return terminalsOf(entry, this.context.session.state.terminals)[0]?.cwd;
  }

  private async openTerminal(block: number, line: number, text: DividedLine): Promise<void> {
    const { session, terminals, view } = this.context;
    if (view.groupAt(block, line)) return this.toggle(block, line);
    const { state } = session;
    const entry = state.entries.find(({ id }) => id === block);
    const [terminal] = entry?.kind === 'tool' ? terminalsOf(entry, state.terminals) : [];
    const whole = terminal ?? (entry && this.longText(entry));
    if (!whole && entry && !isFoldable(entry)) this.context.references.tellMissing(text);
    if (!whole || !terminals) return this.toggle(block, line);
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
