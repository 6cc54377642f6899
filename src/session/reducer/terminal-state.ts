import { characterBoundary } from '../../base/text.ts';
import type { CommandOutputState, Entry, TerminalState, ToolEntry } from '../../model/entries.ts';
import type { SessionState } from '../../model/session.ts';
import type { TerminalPatch, TerminalReport } from '../../model/session-events.ts';

/** The least of a command's output that is kept; it is cut to this length when it is twice as long. */
export const keptOutput = 128 * 1024;

/** Updates a terminal of the plugin; the entry that shows it has changed. */
export function upsertTerminal(state: SessionState, patch: TerminalReport): readonly Entry[] {
  const { terminalId, command, cwd, text, exit } = patch;
  const terminal = state.terminals.get(terminalId) ?? addTerminal(state, terminalId);
  terminal.command = command ?? terminal.command;
  terminal.cwd = cwd ?? terminal.cwd;
  terminal.text = text ?? terminal.text;
  if (text !== undefined) delete terminal.isCut;
  terminal.exit = exit ?? terminal.exit;
  const shown = state.entries.findLast((entry) => showsTerminal(entry, terminalId));
  return shown ? [shown] : [];
}

function addTerminal(state: SessionState, terminalId: string): TerminalState {
  const terminal: TerminalState = { terminalId, command: '', cwd: undefined, text: '', exit: undefined };
  state.terminals.set(terminalId, terminal);
  return terminal;
}

function showsTerminal(entry: Entry, terminalId: string): boolean {
  return (
    entry.kind === 'tool' &&
    entry.content.some((item) => item.kind === 'terminal' && item.terminalId === terminalId)
  );
}

/** Updates a terminal that the agent runs itself, in the tool call that it belongs to. */
export function mergeAgentTerminal(
  { terminals }: ToolEntry,
  { terminalId, output, exit }: TerminalPatch,
): void {
  const terminal =
    terminals.find((one) => one.terminalId === terminalId) ?? addAgentTerminal(terminals, terminalId);
  if (output !== undefined) terminal.text = limitOutput(terminal.text + output);
  terminal.exit = exit ?? terminal.exit;
}

function addAgentTerminal(terminals: CommandOutputState[], terminalId: string): CommandOutputState {
  const terminal: CommandOutputState = { terminalId, text: '', exit: undefined };
  terminals.push(terminal);
  return terminal;
}

// Rare cuts keep appending cheap. A cut between two lines never splits an escape sequence.
function limitOutput(text: string): string {
  if (text.length <= 2 * keptOutput) return text;
  const from = text.length - keptOutput;
  const line = text.indexOf('\n', from) + 1;
  return text.slice(line > 0 && line < text.length ? line : characterBoundary(text, from));
}
