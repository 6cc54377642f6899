import { shorten } from '../../base/text.ts';
import type { TerminalExit } from '../../model/entries.ts';
import type { Picker } from '../../ports/dialogs.ts';
import { fenced } from '../code-fence.ts';
import { elapsed } from '../format.ts';
import { sanitise, sanitiseLine } from '../sanitise.ts';
import { toolSigns } from '../signs.ts';

export type TerminalAction = 'open' | 'kill';

interface TerminalItem {
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
      label: `${exitSign(item)} ${shorten(sanitiseLine(item.line), maxLine)} · ${commandState(item, now)}`,
      op: operations[action],
      payload: { terminal: item.id },
    })),
  };
}

export function describeExit({ code, signal }: TerminalExit): string {
  if (signal !== undefined) return `killed by ${signal}`;
  return code === undefined ? 'ended' : `exit ${code}`;
}

/** A command that the user ran, with its output, as part of a prompt. */
export function outputForPrompt(line: string, output: string, exit: TerminalExit): string {
  const all = sanitise(output).trimEnd().split('\n');
  const lines = all.slice(-maxContext.lines).join('\n').slice(-maxContext.characters).split('\n');
  const left = all.length - lines.length;
  const text = [...(left > 0 ? [`… ${left} earlier lines`] : []), ...lines].join('\n');
  return `\`${sanitiseLine(line)}\` (${describeExit(exit)}):\n${fenced(text)}`;
}

function exitSign({ exit }: TerminalItem): string {
  const status = !exit ? 'running' : exit.code === 0 ? 'done' : 'failed';
  return toolSigns[status][0];
}

function commandState({ exit, startedAt }: TerminalItem, now: number): string {
  return exit ? describeExit(exit) : `running for ${elapsed(now - startedAt)}`;
}
