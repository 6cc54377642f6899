import { isRecord, shorten } from '../base.ts';
import type { Location, TerminalState, ToolContent, ToolEntry, ToolStatus } from '../session/model.ts';
import { bodyLines, callText, maxBodyLines, rawText } from './body.ts';
import { rawText as outputText, saysFailure } from './command-output.ts';
import { diffsOf, type FileDiff } from './diff.ts';
import { diffFigures, diffHeadings, diffLines } from './diff-lines.ts';
import type { ViewContext } from './entries.ts';
import { duration, elapsed, shortPath } from './format.ts';
import { type Line, lineOf, type Piece } from './line.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';
import * as signs from './signs.ts';
import { exitLine, exitPiece, hasFailed, outputLines, terminalsOf } from './terminal.ts';
import { tellingTitle, tells } from './tool-title.ts';

const maxTitle = 300;
const maxTailLines = 200;
const maxLiveLines = 6;
const maxReason = 300;
/** So much of a change is shown before it is opened. */
const previewLines = 12;
const verbWidth = 7;

/** A call, what it changes, and the terminals that its command writes to. */
interface Shown {
  readonly entry: ToolEntry;
  readonly context: ViewContext;
  readonly diffs: readonly FileDiff[];
  readonly terminals: readonly TerminalState[];
}

export function toolLines(entry: ToolEntry, context: ViewContext): readonly Line[] {
  const diffs = diffsOf(entry);
  const shown: Shown = { entry, context, diffs, terminals: terminalsOf(entry, context.state.terminals) };
  const [sign, colour] = signs.toolSigns[shownStatus(shown)];
  const verb = signs.toolVerbs[entry.toolKind].padEnd(verbWidth);
  const title = shorten(sanitiseLine(tellingTitle(entry, context)), maxTitle);
  const { lines, isWhole } = shownBody(shown);
  const heading: Line = {
    ...lineOf(
      [sign, colour],
      [` ${verb} `, 'AcpToolKind'],
      [title, 'AcpToolTitle'],
      ...pathOf(diffs, entry, context),
    ),
    right: [...diffFigures(diffs), ...toolFigures(shown, isWhole)],
    ...(diffs.length > 0 && { target: { diff: 0, row: undefined, isHeading: true } }),
  };
  return [heading, ...lines];
}

// How a command ended tells more than what its agent says of the call.
function shownStatus({ entry, terminals }: Shown): ToolStatus {
  if (entry.isRejected) return 'cancelled';
  if (entry.status !== 'done' && entry.status !== 'unreported') return entry.status;
  if (terminals.some(hasFailed)) return 'failed';
  if (entry.toolKind === 'execute' && saysFailure(entry.rawOutput)) return 'failed';
  const isOver = terminals.length > 0 && terminals.every(({ exit }) => exit !== undefined);
  return isOver ? 'done' : entry.status;
}

// What a call changes has to be named, even if its title does not.
function pathOf(diffs: readonly FileDiff[], entry: ToolEntry, context: ViewContext): readonly Piece[] {
  if (diffs.length !== 1) return [];
  const path = sanitiseLine(shortPath(diffs[0]!.path, context.cwd, context.home));
  const isTold = tells(`${tellingTitle(entry, context)}\n${entry.title}`, path);
  return isTold ? [] : [[entry.title === '' ? path : `  ${path}`, 'AcpLink']];
}

// A change is what one wants to see: a short one stands there until it is closed, of a long one the beginning does.
function shownBody(shown: Shown): { readonly lines: readonly Line[]; readonly isWhole: boolean } {
  const { entry, context, diffs } = shown;
  const isToggled = context.isOpen(entry.id);
  if (diffs.length === 0 || entry.isRejected) {
    const lines = isToggled ? toolBody(shown) : [...liveLines(shown), ...reasonLines(shown)];
    return { lines, isWhole: isToggled };
  }
  const whole = toolBody(shown);
  // To say that one more line is left takes a line.
  if (whole.length <= previewLines + 1) {
    return { lines: isToggled ? reasonLines(shown) : whole, isWhole: !isToggled };
  }
  const lines = isToggled ? whole : [...preview(context, diffs), ...reasonLines(shown)];
  return { lines, isWhole: isToggled };
}

// Of several files every one is named.
function preview(context: ViewContext, diffs: readonly FileDiff[]): readonly Line[] {
  if (diffs.length === 1) return diffLines(diffs, context, previewLines);
  const share = Math.floor(previewLines / diffs.length);
  const lines = share > 1 ? diffLines(diffs, context, share) : diffHeadings(diffs, context);
  const rest = diffs.length - previewLines;
  return rest <= 0
    ? lines
    : [...lines.slice(0, previewLines), lineOf([`    … ${rest} more files`, 'AcpMuted'])];
}

// What a command writes is seen as it is written.
function liveLines({ entry, terminals }: Shown): readonly Line[] {
  return terminals.flatMap((terminal) => outputLines(terminal, entry.title, maxLiveLines));
}

// Why a call failed is seen without opening it.
function reasonLines({ entry, terminals }: Shown): readonly Line[] {
  const isSeen = terminals.some(({ text }) => text.trim() !== '');
  if (entry.status !== 'failed' || entry.isRejected || isSeen) return [];
  const content = entry.content === entry.askedContent ? [] : entry.content;
  const texts = content.map((item) => (item.kind === 'text' ? callText(entry, item.text) : ''));
  const told = texts.find((text) => text.trim() !== '') ?? errorIn(entry.rawOutput);
  const reason = told.trimStart().split('\n', 1)[0] ?? '';
  return bodyLines(shorten(sanitise(reason), maxReason), 'AcpMuted');
}

function errorIn(rawOutput: unknown): string {
  const { error, message } = isRecord(rawOutput) ? rawOutput : {};
  const inner = isRecord(error) ? error.message : error;
  const told = [inner, message].find((text) => typeof text === 'string' && text !== '');
  return (told as string | undefined) ?? outputText(rawOutput);
}

function toolFigures(shown: Shown, isWhole: boolean): readonly Piece[] {
  const { entry, terminals } = shown;
  const exits = terminals.flatMap(({ exit }) => {
    const piece = exit && exitPiece(exit);
    return piece ? [piece] : [];
  });
  return [...exits, ...timeOf(shown), ...disclosure(entry, isWhole)];
}

function timeOf(shown: Shown): readonly Piece[] {
  const { entry, context } = shown;
  if (entry.isRejected) return [[' Rejected', 'AcpMuted']];
  if (entry.isPast || entry.status === 'cancelled') return [];
  if (entry.status === 'running') {
    // The time that the user takes to answer is theirs.
    const asked = context.state.questions.find(({ tool }) => tool === entry)?.at;
    return [[` ${elapsed((asked ?? context.now) - entry.startedAt)}`, 'AcpMuted']];
  }
  if (shownStatus(shown) === 'unreported') return [[' end not reported', 'AcpMuted']];
  if (entry.endedAt === undefined) return [];
  return [[` ${duration(entry.endedAt - entry.startedAt)}`, 'AcpMuted']];
}

function disclosure(entry: ToolEntry, isWhole: boolean): readonly Piece[] {
  if (shownContent(entry).length === 0 && entry.rawInput === undefined && entry.rawOutput === undefined)
    return [];
  return [[` ${isWhole ? signs.opened : signs.closed}`, 'AcpMuted']];
}

function toolBody(shown: Shown): readonly Line[] {
  const { entry, context, diffs } = shown;
  const places = entry.locations
    .filter((place) => isNews(place, shown))
    .map(({ path, line }) => {
      const place = shortPath(path, context.cwd, context.home);
      const text = `    ${sanitiseLine(line === undefined ? place : `${place}:${line}`)}`;
      return { ...lineOf([text, 'AcpLink']), target: { path, row: line } };
    });
  const whole = tellingTitle(entry, context);
  const title = whole.length > maxTitle ? bodyLines(whole, 'AcpToolTitle') : [];
  const content = [...diffLines(diffs, context, maxBodyLines), ...contentLines(shown)];
  if (content.length > 0) return [...title, ...places, ...content];
  return [...title, ...places, ...bodyLines(rawText(entry.rawOutput ?? entry.rawInput), 'AcpMuted')];
}

// A change names its file itself, and the folder one is in goes without saying.
function isNews({ path, line }: Location, { diffs, context }: Shown): boolean {
  if (diffs.some((diff) => diff.path === path)) return false;
  return line !== undefined || path !== context.cwd;
}

// Some agents name no terminal whose output they tell.
function shownContent({ content, diffs, terminals }: ToolEntry): readonly ToolContent[] {
  const lost = content.some(({ kind }) => kind === 'diff') ? [] : diffs;
  const isTold = content.some(({ kind }) => kind === 'text' || kind === 'terminal');
  const unnamed = isTold ? [] : terminals;
  return [
    ...content,
    ...lost,
    ...unnamed.map(({ terminalId }) => ({ kind: 'terminal', terminalId }) as const),
  ];
}

// The text of a call with terminals that it does not name is their output.
function contentLines(shown: Shown): readonly Line[] {
  const { entry, terminals } = shown;
  const content = shownContent(entry);
  const isNamed = (id: string) => content.some((item) => item.kind === 'terminal' && item.terminalId === id);
  const output = terminals.filter(({ terminalId }) => !isNamed(terminalId));
  const others = output.length > 0 ? content.filter(({ kind }) => kind !== 'text') : content;
  return [
    ...others.flatMap((item) => itemLines(item, shown)),
    ...output.flatMap((terminal) => wholeOutput(terminal, entry)),
  ];
}

// Changes are shown before all else.
function itemLines(item: ToolContent, { entry, terminals }: Shown): readonly Line[] {
  switch (item.kind) {
    case 'text':
      return bodyLines(callText(entry, item.text), 'AcpMuted');
    case 'diff':
      return [];
    case 'terminal':
      return terminalLines(item.terminalId, entry, terminals);
    case 'other':
      return bodyLines(item.label, 'AcpMuted');
  }
}

// The end of what a command wrote tells more than its beginning.
function terminalLines(
  terminalId: string,
  entry: ToolEntry,
  terminals: readonly TerminalState[],
): readonly Line[] {
  const terminal = terminals.find((one) => one.terminalId === terminalId);
  return terminal ? wholeOutput(terminal, entry) : bodyLines(`terminal ${terminalId}`, 'AcpMuted');
}

function wholeOutput(terminal: TerminalState, entry: ToolEntry): readonly Line[] {
  return [...outputLines(terminal, entry.title, maxTailLines), ...bodyLines(exitLine(terminal), 'AcpMuted')];
}
