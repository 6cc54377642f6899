import { shorten } from '../base.ts';
import type { TerminalExit, TerminalOutput, TerminalState, ToolEntry } from '../session/model.ts';
import { ansiLines } from './ansi.ts';
import { maxBodyColumns, wayToTheWhole } from './body.ts';
import { commandOutputOf } from './command-output.ts';
import { type Line, lineOf, type Piece } from './line.ts';
import { sanitiseLine } from './sanitise.ts';

const indent = '    ';

/**
 * The terminals of a call. What those of the agent write is told with the call, ours are known by their id. Some agents
 * name no terminal whose output they tell. What a command wrote without any terminal counts as one.
 */
export function terminalsOf(
  tool: ToolEntry,
  ours: ReadonlyMap<string, TerminalState>,
): readonly TerminalState[] {
  const { content, terminals, toolKind, status } = tool;
  const told = new Map(terminals.map((terminal) => [terminal.terminalId, asState(terminal)]));
  const isTold = content.some(({ kind }) => kind === 'text' || kind === 'terminal');
  const named = content.flatMap((item) => {
    const id = item.kind === 'terminal' ? item.terminalId : undefined;
    const terminal = id === undefined ? undefined : (ours.get(id) ?? told.get(id));
    return terminal ? [terminal] : [];
  });
  const known = isTold ? named : [...told.values()];
  if (toolKind !== 'execute' || status === 'pending') return known;
  return withTold(tool, known, ours);
}

// Some agents begin to tell late what a command writes, and send all of it when it has ended.
function withTold(
  tool: ToolEntry,
  known: readonly TerminalState[],
  ours: ReadonlyMap<string, TerminalState>,
): readonly TerminalState[] {
  const [first, ...others] = known;
  if (others.length > 0 || (first && ours.has(first.terminalId))) return known;
  const { text, exit } = commandOutputOf(tool);
  if (!first && text.trim() === '' && !exit) return known;
  const terminal =
    first ?? asState({ terminalId: `output of ${tool.toolCallId}`, text: '', exit: undefined });
  const isMore = text.length > terminal.text.length;
  return [{ ...terminal, text: isMore ? text : terminal.text, exit: terminal.exit ?? exit }];
}

function asState(terminal: TerminalOutput): TerminalState {
  return { ...terminal, command: '', cwd: undefined };
}

/** The command where the call does not name it, and the last lines of what it wrote. */
export function outputLines({ command, text }: TerminalState, title: string, most: number): readonly Line[] {
  const line = sanitiseLine(command);
  const isNamed = line === '' || sanitiseLine(title).includes(line);
  const heading = isNamed ? [] : [lineOf([`${indent}$ `, 'AcpMuted'], [line, 'AcpToolTitle'])];
  return [...heading, ...lastLines(text, most)];
}

// The cost depends on what is shown, not on how much was written.
function lastLines(text: string, most: number): readonly Line[] {
  // Colours may begin above what is shown, but not all of a long output is worth to be looked at for them.
  const textEnd = text.trimEnd().length;
  const from = startOfLast(text, textEnd, most + 50);
  const lines = ansiLines(text.slice(from, textEnd).split('\n').map(bounded).join('\n'), indent);
  const end = lines.findLastIndex((line) => line.text.trim() !== '') + 1;
  const shown = lines.slice(Math.max(0, end - most), end);
  const left = most > 10 ? linesIn(text, from) + end - shown.length : 0;
  if (left <= 0) return shown;
  return [lineOf([`${indent}… ${left} lines before · ${wayToTheWhole}`, 'AcpMuted']), ...shown];
}

function startOfLast(text: string, end: number, count: number): number {
  let start = end;
  for (let line = 0; line < count && start > 0; line += 1) start = text.lastIndexOf('\n', start - 1);
  return start <= 0 ? Math.max(0, start) : start + 1;
}

function linesIn(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

// Of a line that was written over only the last version is seen.
function bounded(line: string): string {
  if (line.length <= 2 * maxBodyColumns) return line;
  return shorten(line.slice(line.lastIndexOf('\r', line.length - 2) + 1), maxBodyColumns);
}

/** How a command ended, for the edge of its line. */
export function exitPiece({ code, signal }: TerminalExit): Piece | undefined {
  if (signal !== undefined) return [` ${sanitiseLine(signal)}`, 'AcpFailed'];
  if (code === undefined) return undefined;
  return [` exit ${code}`, code === 0 ? 'AcpMuted' : 'AcpFailed'];
}

export function hasFailed({ exit }: TerminalState): boolean {
  return exit !== undefined && (exit.signal !== undefined || (exit.code !== undefined && exit.code !== 0));
}

/** The same in words, below what it wrote; a good end goes without saying. */
export function exitLine({ exit }: TerminalState): string {
  if (exit?.signal !== undefined) return `ended by ${exit.signal}`;
  return exit?.code === undefined || exit.code === 0 ? '' : `exit code ${exit.code}`;
}
