import { shorten } from '../../../base/text.ts';
import type { CommandOutputState, TerminalExit, TerminalState, ToolEntry } from '../../../model/entries.ts';
import type { Piece } from '../../../ports/frame.ts';
import { type Line, makeLine } from '../../line.ts';
import { sanitiseLine, sanitiseStart } from '../../sanitise.ts';
import { ansiLines } from '../../text/ansi.ts';
import { maxBodyColumns, showAllHint } from '../body.ts';
import { readCommandOutput } from './command-output.ts';
import { commandText } from './tool-title.ts';

const indent = '    ';
/** Titles are shorter. */
const maxNamedCommand = 64 * 1024;

/**
 * The terminals of a call: those of the plugin by id, those of the agent from its updates. Output that the agent reports
 * without a terminal counts as one too.
 */
export function terminalsOf(
  tool: ToolEntry,
  ours: ReadonlyMap<string, TerminalState>,
): readonly TerminalState[] {
  const { content, terminals, toolKind, status } = tool;
  const agentTerminals = new Map(terminals.map((terminal) => [terminal.terminalId, asState(terminal, tool)]));
  const hasOutput = content.some(({ kind }) => kind === 'text' || kind === 'terminal');
  const named = content.flatMap((item) => {
    const id = item.kind === 'terminal' ? item.terminalId : undefined;
    const terminal = id === undefined ? undefined : (ours.get(id) ?? agentTerminals.get(id));
    return terminal ? [terminal] : [];
  });
  const known = hasOutput ? named : [...agentTerminals.values()];
  if (toolKind !== 'execute' || status === 'pending') return known;
  return withTold(tool, known, ours);
}

// Some agents stream only a late part of the output, and send the whole output at the end.
function withTold(
  tool: ToolEntry,
  known: readonly TerminalState[],
  ours: ReadonlyMap<string, TerminalState>,
): readonly TerminalState[] {
  const [first, ...others] = known;
  if (others.length > 0 || (first && ours.has(first.terminalId))) return known;
  const { text, exit } = readCommandOutput(tool);
  if (!first && text.trim() === '' && !exit) return known;
  const terminal =
    first ?? asState({ terminalId: `output of ${tool.toolCallId}`, text: '', exit: undefined }, tool);
  const isMore = text.length > terminal.text.length;
  return [{ ...terminal, text: isMore ? text : terminal.text, exit: terminal.exit ?? exit }];
}

function asState(terminal: CommandOutputState, { toolKind, rawInput }: ToolEntry): TerminalState {
  return { ...terminal, command: toolKind === 'execute' ? commandText(rawInput) : '', cwd: undefined };
}

/** The command, unless the title has it, and the last lines of its output. */
export function outputLines({ command, text }: TerminalState, title: string, most: number): readonly Line[] {
  const line = sanitiseStart(command, maxBodyColumns);
  const isNamed = namesCommand(title, command);
  const heading = isNamed ? [] : [makeLine([`${indent}$ `, 'AcpMuted'], [line, 'AcpToolTitle'])];
  return [...heading, ...lastLines(text, most)];
}

/** Whether a title has the command of a call, or there is none. */
export function namesCommand(title: string, command: string): boolean {
  if (command.length > maxNamedCommand) return false;
  return sanitiseLine(title).includes(sanitiseLine(command));
}

// Only the end of the text is processed, so the cost does not depend on its length.
function lastLines(text: string, most: number): readonly Line[] {
  // Colours may be set above the shown lines; 50 more lines are searched for them.
  const textEnd = text.trimEnd().length;
  const from = startOfLast(text, textEnd, most + 50);
  const lines = ansiLines(text.slice(from, textEnd).split('\n').map(bounded).join('\n'), indent);
  const end = lines.findLastIndex((line) => line.text.trim() !== '') + 1;
  const shown = lines.slice(Math.max(0, end - most), end);
  const left = most > 10 ? countLines(text, from) + end - shown.length : 0;
  if (left <= 0) return shown;
  return [makeLine([`${indent}… ${left} earlier lines · ${showAllHint}`, 'AcpMuted']), ...shown];
}

function startOfLast(text: string, end: number, count: number): number {
  let start = end;
  for (let line = 0; line < count && start > 0; line += 1) start = text.lastIndexOf('\n', start - 1);
  return start <= 0 ? Math.max(0, start) : start + 1;
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

// Only the last version of an overwritten line is visible.
function bounded(line: string): string {
  if (line.length <= 2 * maxBodyColumns) return line;
  return shorten(line.slice(line.lastIndexOf('\r', line.length - 2) + 1), maxBodyColumns);
}

/** The exit status for the right edge of the heading. */
export function exitPiece({ code, signal }: TerminalExit): Piece | undefined {
  if (signal !== undefined) return [` ${sanitiseLine(signal)}`, 'AcpFailed'];
  if (code === undefined) return undefined;
  return [` exit ${code}`, code === 0 ? 'AcpMuted' : 'AcpFailed'];
}

export function hasFailed({ exit }: TerminalState): boolean {
  return exit !== undefined && (exit.signal !== undefined || (exit.code !== undefined && exit.code !== 0));
}

/** The exit status below the output; empty for exit code 0. */
export function exitLine({ exit }: TerminalState): string {
  if (exit?.signal !== undefined) return `killed by ${exit.signal}`;
  return exit?.code === undefined || exit.code === 0 ? '' : `exit code ${exit.code}`;
}
