import { isRecord } from '../base.ts';
import type { TerminalPatch } from '../session/events.ts';
import { listOf, textOf } from './wire.ts';

type Wire = Record<string, unknown>;

/** What agents tell in the `_meta` of a tool call about terminals they run themselves; all of it is to be appended. */
const readers: Readonly<Record<string, (terminal: Wire) => Omit<TerminalPatch, 'terminalId'> | undefined>> = {
  terminal_info: () => ({}),
  terminal_output: outputFrom,
  terminal_output_delta: outputFrom,
  terminal_exit: ({ exit_code, signal }) => ({
    exit: { code: typeof exit_code === 'number' ? exit_code : undefined, signal: textOf(signal) },
  }),
};

export function terminalPatchesFrom(meta: unknown): readonly TerminalPatch[] | undefined {
  if (!isRecord(meta)) return undefined;
  const patches = listOf(Object.entries(readers), (entry) => {
    const [key, read] = entry as [string, (typeof readers)[string]];
    const terminal = meta[key];
    const terminalId = isRecord(terminal) ? textOf(terminal.terminal_id) : undefined;
    const patch = terminalId === undefined ? undefined : read(terminal as Wire);
    return patch && { terminalId: terminalId ?? '', ...patch };
  });
  return patches.length > 0 ? patches : undefined;
}

function outputFrom({ data }: Wire): Omit<TerminalPatch, 'terminalId'> | undefined {
  return typeof data === 'string' ? { output: data } : undefined;
}
