import { shorten } from '../base.ts';
import type { TerminalExit } from '../session/model.ts';
import { elapsed } from './format.ts';
import type { Picker } from './pickers.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';
import { toolSigns } from './signs.ts';

/** What can be done with a command that is chosen. */
export type TerminalAction = 'open' | 'kill';

/** A command in a list. */
export interface TerminalItem {
  readonly id: string;
  readonly line: string;
  readonly startedAt: number;
  readonly exit: TerminalExit | undefined;
}

const prompts: Readonly<Record<TerminalAction, string>> = { open: 'Terminals', kill: 'Kill a command' };
const operations: Readonly<Record<TerminalAction, string>> = { open: 'terminal.show', kill: 'terminal.kill' };
const maxLine = 80;
const maxContext = { lines: 200, characters: 16_000 };

export function terminalsPicker(items: readonly TerminalItem[], action: TerminalAction, now: number): Picker {
  return {
    prompt: prompts[action],
    kind: 'acp.terminal',
    items: items.map((item) => ({
      label: `${signOf(item)} ${shorten(sanitiseLine(item.line), maxLine)} · ${stateOf(item, now)}`,
      op: operations[action],
      payload: { terminal: item.id },
    })),
  };
}

/** How a command stands, in a few words. */
export function howItEnded({ code, signal }: TerminalExit): string {
  if (signal !== undefined) return `ended by ${signal}`;
  return code === undefined ? 'ended' : `exit ${code}`;
}

/** A command of the user and what it wrote, as a part of a prompt. */
export function runOutput(line: string, output: string, exit: TerminalExit): string {
  const all = sanitise(output).trimEnd().split('\n');
  const lines = all.slice(-maxContext.lines).join('\n').slice(-maxContext.characters).split('\n');
  const left = all.length - lines.length;
  const text = [...(left > 0 ? [`… ${left} lines before`] : []), ...lines].join('\n');
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  return `\`${sanitiseLine(line)}\` (${howItEnded(exit)}):\n${fence}\n${text}\n${fence}`;
}

function signOf({ exit }: TerminalItem): string {
  const status = !exit ? 'running' : exit.code === 0 ? 'done' : 'failed';
  return toolSigns[status][0];
}

function stateOf({ exit, startedAt }: TerminalItem, now: number): string {
  return exit ? howItEnded(exit) : `running for ${elapsed(now - startedAt)}`;
}
