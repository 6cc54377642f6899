import { wholeCharacters } from '../base.ts';
import type { TerminalPatch } from './events.ts';
import type { TerminalOutput, ToolEntry } from './model.ts';

/** How much is kept at least of what a command wrote; it is cut when there is twice as much. */
export const keptOutput = 128 * 1024;

/** Adds what is new of a terminal to the call that it belongs to. */
export function mergeTerminal({ terminals }: ToolEntry, { terminalId, output, exit }: TerminalPatch): void {
  const terminal = terminals.find((one) => one.terminalId === terminalId) ?? begin(terminals, terminalId);
  if (output !== undefined) terminal.text = lastOf(terminal.text + output);
  terminal.exit = exit ?? terminal.exit;
}

function begin(terminals: TerminalOutput[], terminalId: string): TerminalOutput {
  const terminal: TerminalOutput = { terminalId, text: '', exit: undefined };
  terminals.push(terminal);
  return terminal;
}

// Cutting seldom keeps the cost of a small piece small; a cut between two lines is in no escape sequence.
function lastOf(text: string): string {
  if (text.length <= 2 * keptOutput) return text;
  const from = text.length - keptOutput;
  const line = text.indexOf('\n', from) + 1;
  return text.slice(line > 0 && line < text.length ? line : wholeCharacters(text, from));
}
