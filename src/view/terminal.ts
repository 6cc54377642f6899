import type { TerminalExit, TerminalOutput, TerminalState, ToolEntry } from '../session/model.ts';
import { ansiLines } from './ansi.ts';
import { type Line, lineOf, type Piece } from './line.ts';
import { sanitiseLine } from './sanitise.ts';

const indent = '    ';

/**
 * The terminals of a call. What those of the agent write is told with the call, ours are known by their id. Some agents
 * name no terminal whose output they tell.
 */
export function terminalsOf(
  { content, terminals }: Pick<ToolEntry, 'content' | 'terminals'>,
  ours: ReadonlyMap<string, TerminalState>,
): readonly TerminalState[] {
  const told = new Map(terminals.map((terminal) => [terminal.terminalId, asState(terminal)]));
  const isTold = content.some(({ kind }) => kind === 'text' || kind === 'terminal');
  if (!isTold) return [...told.values()];
  return content.flatMap((item) => {
    const id = item.kind === 'terminal' ? item.terminalId : undefined;
    const terminal = id === undefined ? undefined : (ours.get(id) ?? told.get(id));
    return terminal ? [terminal] : [];
  });
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

function lastLines(text: string, most: number): readonly Line[] {
  const all = text.split('\n');
  // Colours may begin above what is shown, but not all of a long output is worth to be looked at for them.
  const lines = ansiLines(all.slice(-most - 50).join('\n'), indent);
  const end = lines.findLastIndex((line) => line.text.trim() !== '') + 1;
  const shown = lines.slice(Math.max(0, end - most), end);
  const left = all.length - (lines.length - end) - shown.length;
  const isWorthTelling = left > 0 && most > 10;
  return isWorthTelling ? [lineOf([`${indent}… ${left} lines before`, 'AcpMuted']), ...shown] : shown;
}

/** How a command ended, for the edge of its line. */
export function exitPiece({ code, signal }: TerminalExit): Piece | undefined {
  if (signal !== undefined) return [` ${sanitiseLine(signal)}`, 'AcpFailed'];
  if (code === undefined) return undefined;
  return [` exit ${code}`, code === 0 ? 'AcpMuted' : 'AcpFailed'];
}

/** The same in words, below what it wrote; a good end goes without saying. */
export function exitLine({ exit }: TerminalState): string {
  if (exit?.signal !== undefined) return `ended by ${exit.signal}`;
  return exit?.code === undefined || exit.code === 0 ? '' : `exit code ${exit.code}`;
}
