import { once } from '../../../base/once.ts';
import { displayPath } from '../../../base/paths.ts';
import { isRecord } from '../../../base/record.ts';
import { countOf, shorten } from '../../../base/text.ts';
import type { Location, TerminalState, ToolContent, ToolEntry, ToolStatus } from '../../../model/entries.ts';
import { askedCall } from '../../../model/session.ts';
import type { Piece } from '../../../ports/frame.ts';
import type { FileDiff } from '../../diff/diff.ts';
import { diffCounts, diffHeadings, diffLines } from '../../diff/diff-lines.ts';
import { duration, elapsed } from '../../format.ts';
import { indentLines, type Line, makeLine } from '../../line.ts';
import { sanitise, sanitiseLine, sanitiseStart } from '../../sanitise.ts';
import * as signs from '../../signs.ts';
import { displayWidth } from '../../text/display-width.ts';
import { attachmentLine } from '../attachments.ts';
import { bodyLines, callText, maxBodyLines, readableRaw } from '../body.ts';
import type { ViewContext } from '../view-context.ts';
import { rawOutputText as outputText, reportsFailure } from './command-output.ts';
import { withoutConfirmation } from './confirmation.ts';
import { layOutHeading, verbWidth } from './heading-layout.ts';
import { askedPlan, opensPlan, planCallLines } from './plan-call.ts';
import { exitLine, exitPiece, hasFailed, outputLines, terminalsOf } from './terminal.ts';
import { displayTitle, mentions } from './tool-title.ts';

const maxTitle = 300;
const maxTailLines = 200;
const maxLiveLines = 6;
const maxReason = 300;
/** Lines of a diff that are shown while the entry is closed. */
const previewLines = 12;

interface ToolView {
  readonly entry: ToolEntry;
  readonly context: ViewContext;
  readonly diffs: readonly FileDiff[];
  readonly terminals: readonly TerminalState[];
  /** Cells for its lines, if a window shows them. */
  readonly width: number | undefined;
  /** The whole title as the chat shows it. */
  readonly title: () => string;
}

function toolView(entry: ToolEntry, context: ViewContext, indent = 0): ToolView {
  return {
    entry,
    context,
    diffs: context.diffs.of(entry),
    terminals: terminalsOf(entry, context.state.terminals),
    width: context.width === undefined ? undefined : context.width - indent,
    title: once(() => displayTitle(entry, context)),
  };
}

/** `indent`: cells to the left of every line. */
export function toolLines(entry: ToolEntry, context: ViewContext, indent = 0): readonly Line[] {
  const shown = toolView(entry, context, indent);
  const { diffs, width } = shown;
  const { lines, isUnfolded } = shownBody(shown);
  const { title, path, figures } = layOutHeading(
    {
      title: shownTitle(shown),
      path: unmentionedPath(shown),
      figures: [...diffCounts(diffs), ...toolFigures(shown, isUnfolded)],
    },
    width,
  );
  const heading: Line = {
    ...makeLine(
      signs.toolSigns[shownStatus(shown)],
      [` ${verbOf(shown).padEnd(verbWidth)} `, 'AcpToolKind'],
      [title, 'AcpToolTitle'],
      ...path,
    ),
    right: figures,
    target: diffs.length > 0 ? { diff: 0, row: undefined, isHeading: true } : undefined,
  };
  return indentLines([heading, ...lines], indent);
}

function verbOf({ entry, context }: ToolView): string {
  const isSubagent = entry.subagent !== undefined || namesSubagent(entry) || countCalls(entry, context) > 0;
  return isSubagent ? 'agent' : signs.toolVerbs[entry.toolKind];
}

// Some agents tell nothing else of the subagent that a call starts.
function namesSubagent({ rawInput }: ToolEntry): boolean {
  return isRecord(rawInput) && typeof rawInput.subagent_type === 'string';
}

function countCalls({ id }: ToolEntry, context: ViewContext): number {
  return context.childrenOf?.(id).length ?? 0;
}

/** Whether a closed call takes one line, and the user has not opened it. */
export function isOneLine(entry: ToolEntry, context: ViewContext): boolean {
  return !context.isOpen(entry.id) && shownBody(toolView(entry, context)).lines.length === 0;
}

function shownTitle({ title }: ToolView): string {
  return sanitiseStart(title(), maxTitle);
}

/** Whether the call shows all that it has. */
export function isToolUnfolded(entry: ToolEntry, context: ViewContext): boolean {
  return shownBody(toolView(entry, context)).isUnfolded;
}

// The exit status of the command overrides the status that the agent reports.
function shownStatus({ entry, terminals }: ToolView): ToolStatus {
  if (entry.isRejected) return 'cancelled';
  if (entry.status !== 'done' && entry.status !== 'unreported') return entry.status;
  if (terminals.some(hasFailed)) return 'failed';
  if (entry.toolKind === 'execute' && reportsFailure(entry.rawOutput)) return 'failed';
  const isOver = terminals.length > 0 && terminals.every(({ exit }) => exit !== undefined);
  return isOver ? 'done' : entry.status;
}

// The changed file is always named, even if the title does not mention it, or only where it is cut.
function unmentionedPath(shown: ToolView): readonly [] | readonly [Piece] {
  const { context, diffs } = shown;
  if (diffs.length !== 1) return [];
  const path = sanitiseLine(displayPath(diffs[0]!.path, context.cwd, context.home));
  const isTold = mentions(titles(shown), path) && !isCutBefore(shown, path);
  return isTold ? [] : [[path, 'AcpLink']];
}

// A short diff is shown until the user closes it; a long one as a preview until the user opens it.
function shownBody(shown: ToolView): { readonly lines: readonly Line[]; readonly isUnfolded: boolean } {
  const { entry, context, diffs } = shown;
  const isToggled = context.isOpen(entry.id);
  if (opensPlan(entry)) return { lines: isToggled ? [] : toolBody(shown), isUnfolded: !isToggled };
  if (diffs.length === 0 || entry.isRejected) {
    const lines = isToggled
      ? toolBody(shown)
      : [...liveLines(shown), ...mediaLines(shown), ...reasonLines(shown)];
    return { lines, isUnfolded: isToggled };
  }
  const whole = toolBody(shown);
  // A preview that leaves out one line would save nothing: the hint takes a line too.
  if (whole.length <= previewLines + 1 && !diffs.some(isCutDiff)) {
    return { lines: isToggled ? reasonLines(shown) : whole, isUnfolded: !isToggled };
  }
  const lines = isToggled ? whole : [...preview(context, diffs), ...reasonLines(shown)];
  return { lines, isUnfolded: isToggled };
}

function isCutDiff({ source }: FileDiff): boolean {
  return 'kind' in source && source.omitted !== undefined && source.omitted.shown > 0;
}

// Every file is named, even if its diff is not shown.
function preview(context: ViewContext, diffs: readonly FileDiff[]): readonly Line[] {
  if (diffs.length === 1) return diffLines(diffs, context, previewLines);
  const share = Math.floor(previewLines / diffs.length);
  const lines = share > 1 ? diffLines(diffs, context, share) : diffHeadings(diffs, context);
  const rest = diffs.length - previewLines;
  return rest <= 0
    ? lines
    : [...lines.slice(0, previewLines), makeLine([`    … ${rest} more files`, 'AcpMuted'])];
}

function liveLines(shown: ToolView): readonly Line[] {
  return shown.terminals.flatMap((terminal) => outputLines(terminal, titles(shown), maxLiveLines));
}

// The title as the agent sent it and as it is shown: either may have the command.
function titles({ entry, title }: ToolView): string {
  return `${entry.title}\n${title()}`;
}

// Pictures and sounds are what the user wants to see of a call.
function mediaLines({ entry, width }: ToolView): readonly Line[] {
  const attachments = entry.content.flatMap((item) => (item.kind === 'attachment' ? [item.attachment] : []));
  return attachments
    .filter(({ kind }) => kind === 'image' || kind === 'audio')
    .map((attachment) => attachmentLine(attachment, width, '    '));
}

// The reason of a failure is visible without opening the entry.
function reasonLines({ entry, terminals }: ToolView): readonly Line[] {
  const isSeen = terminals.some(({ text }) => text.trim() !== '');
  if (entry.status !== 'failed' || entry.isRejected || isSeen) return [];
  const content = entry.content === entry.askedContent ? [] : entry.content;
  const texts = content.map((item) => (item.kind === 'text' ? callText(entry, item.text) : ''));
  const message = texts.find((text) => text.trim() !== '') ?? rawErrorText(entry.rawOutput);
  const reason = message.trimStart().split('\n', 1)[0] ?? '';
  return bodyLines(shorten(sanitise(reason), maxReason), 'AcpMuted');
}

function rawErrorText(rawOutput: unknown): string {
  const { error, message } = isRecord(rawOutput) ? rawOutput : {};
  const inner = isRecord(error) ? error.message : error;
  const found = [inner, message].find((text) => typeof text === 'string' && text !== '');
  return (found as string | undefined) ?? outputText(rawOutput);
}

function toolFigures(shown: ToolView, isUnfolded: boolean): readonly Piece[] {
  const { terminals } = shown;
  const exits = terminals.flatMap(({ exit }) => {
    const piece = exit && exitPiece(exit);
    return piece ? [piece] : [];
  });
  const figures = [...callCount(shown), ...exits, ...durationPieces(shown)];
  if (canBeOpened(shown)) return [...figures, [` ${isUnfolded ? signs.opened : signs.closed}`, 'AcpMuted']];
  // The figures of all calls end in the same column.
  return figures.length === 0 ? [] : [...figures, ['  ', '']];
}

function callCount({ entry, context }: ToolView): readonly Piece[] {
  const count = countCalls(entry, context);
  return count === 0 ? [] : [[` ${countOf(count, 'call')}`, 'AcpMuted']];
}

function durationPieces(shown: ToolView): readonly Piece[] {
  const { entry, context } = shown;
  if (entry.isRejected) return [[' Rejected', 'AcpMuted']];
  if (entry.isReplayed || entry.status === 'cancelled') return [];
  if (entry.status === 'running') {
    // Time spent waiting for the user does not count.
    const asked = context.state.questions.find(
      (question) => askedCall(question, context.state) === entry,
    )?.at;
    return [[` ${elapsed((asked ?? context.now) - entry.startedAt)}`, 'AcpMuted']];
  }
  if (shownStatus(shown) === 'unreported') return [[' end not reported', 'AcpMuted']];
  if (entry.endedAt === undefined) return [];
  return [[` ${duration(entry.endedAt - entry.startedAt)}`, 'AcpMuted']];
}

function canBeOpened({ entry, context }: ToolView): boolean {
  const { rawInput, rawOutput } = entry;
  if (shownContent(entry).length > 0 || rawInput !== undefined || rawOutput !== undefined) return true;
  return countCalls(entry, context) > 0;
}

function toolBody(shown: ToolView): readonly Line[] {
  const { entry, context, diffs } = shown;
  const places = entry.locations
    .filter((place) => isListedLocation(place, shown))
    .map(({ path, line }) => {
      const place = displayPath(path, context.cwd, context.home);
      const text = `    ${sanitiseLine(line === undefined ? place : `${place}:${line}`)}`;
      return { ...makeLine([text, 'AcpLink']), target: { path, row: line } };
    });
  const whole = shown.title();
  const isCut = whole.length > maxTitle || (diffs.length === 0 && isTitleLong(shown));
  const title = isCut ? bodyLines(whole, 'AcpToolTitle') : [];
  const decision = entry.decidedBy === undefined ? [] : bodyLines(entry.decidedBy, 'AcpMuted');
  const above = [...title, ...decision, ...places];
  const content = [...diffLines(diffs, context, maxBodyLines), ...contentLines(shown)];
  if (content.length > 0) return [...above, ...content];
  return [...above, ...bodyLines(readableRaw(entry.rawOutput ?? entry.rawInput), 'AcpMuted')];
}

function isCutBefore(shown: ToolView, path: string): boolean {
  const title = shownTitle(shown);
  const at = title.indexOf(path);
  return at > 0 && displayWidth(title.slice(0, at + path.length)) > titleRoom(shown);
}

function isTitleLong(shown: ToolView): boolean {
  return displayWidth(shownTitle(shown)) > titleRoom(shown);
}

// Without the figures, which depend on whether the call is open.
function titleRoom({ width = Number.POSITIVE_INFINITY }: ToolView): number {
  return width - verbWidth - 15;
}

// Diffs name their files already, and the session's folder need not be named.
function isListedLocation({ path, line }: Location, { diffs, context }: ToolView): boolean {
  if (diffs.some((diff) => diff.path === path)) return false;
  return line !== undefined || path !== context.cwd;
}

// Some agents stream terminal output without a terminal in the content.
function shownContent({ content, diffs, terminals }: ToolEntry): readonly ToolContent[] {
  const droppedDiffs = content.some(({ kind }) => kind === 'diff') ? [] : diffs;
  const isTold = content.some(({ kind }) => kind === 'text' || kind === 'terminal');
  const unnamed = isTold ? [] : terminals;
  return [
    ...content,
    ...droppedDiffs,
    ...unnamed.map(({ terminalId }) => ({ kind: 'terminal', terminalId }) as const),
  ];
}

// If a terminal is not in the content, the text of the call repeats its output.
function contentLines(shown: ToolView): readonly Line[] {
  const { entry, terminals } = shown;
  const plan = askedPlan(entry);
  const content = shownContent(entry).filter(({ kind }) => plan === undefined || kind !== 'text');
  const isNamed = (id: string) => content.some((item) => item.kind === 'terminal' && item.terminalId === id);
  const output = terminals.filter(({ terminalId }) => !isNamed(terminalId));
  const others = output.length > 0 ? content.filter(({ kind }) => kind !== 'text') : content;
  return [
    ...planCallLines(plan ?? ''),
    ...others.flatMap((item) => contentItemLines(item, shown)),
    ...output.flatMap((terminal) => wholeOutput(terminal, shown)),
  ];
}

// Diffs are drawn above the content.
function contentItemLines(item: ToolContent, shown: ToolView): readonly Line[] {
  const { entry, diffs, width } = shown;
  switch (item.kind) {
    case 'text': {
      const text = callText(entry, item.text);
      const isChange = diffs.length > 0 && entry.status === 'done';
      return bodyLines(isChange ? withoutConfirmation(text) : text, 'AcpMuted');
    }
    case 'diff':
      return [];
    case 'terminal':
      return terminalLines(item.terminalId, shown);
    case 'attachment':
      return [attachmentLine(item.attachment, width, '    ')];
    case 'other':
      return bodyLines(item.label, 'AcpMuted');
  }
}

function terminalLines(terminalId: string, shown: ToolView): readonly Line[] {
  const terminal = shown.terminals.find((one) => one.terminalId === terminalId);
  return terminal ? wholeOutput(terminal, shown) : bodyLines(`terminal ${terminalId}`, 'AcpMuted');
}

function wholeOutput(terminal: TerminalState, shown: ToolView): readonly Line[] {
  return [
    ...outputLines(terminal, titles(shown), maxTailLines),
    ...bodyLines(exitLine(terminal), 'AcpMuted'),
  ];
}
