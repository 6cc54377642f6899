import type { TerminalReport } from './events.ts';
import type { Entry, SessionState, TerminalState } from './model.ts';

/** Keeps what is known of a command; what shows it has changed. */
export function upsertTerminal(state: SessionState, patch: TerminalReport): readonly Entry[] {
  const { terminalId, command, cwd, text, exit } = patch;
  const terminal = state.terminals.get(terminalId) ?? begin(state, terminalId);
  terminal.command = command ?? terminal.command;
  terminal.cwd = cwd ?? terminal.cwd;
  terminal.text = text ?? terminal.text;
  terminal.exit = exit ?? terminal.exit;
  const shown = state.entries.findLast((entry) => isShownBy(entry, terminalId));
  return shown ? [shown] : [];
}

function begin(state: SessionState, terminalId: string): TerminalState {
  const terminal: TerminalState = {
    terminalId,
    command: '',
    cwd: undefined,
    text: '',
    exit: undefined,
  };
  state.terminals.set(terminalId, terminal);
  return terminal;
}

function isShownBy(entry: Entry, terminalId: string): boolean {
  return (
    entry.kind === 'tool' &&
    entry.content.some((item) => item.kind === 'terminal' && item.terminalId === terminalId)
  );
}
