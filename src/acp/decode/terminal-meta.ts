import { isRecord, type JsonObject } from '../../base/record.ts';
import type { TerminalPatch } from '../../model/session-events.ts';
import { asRecord, asString } from './fields.ts';

/** Decoders for the `_meta` of a tool call, where agents report the terminals that they run themselves. */
const patchDecoders: Readonly<
  Record<string, (terminal: JsonObject) => Omit<TerminalPatch, 'terminalId'> | undefined>
> = {
  terminal_info: () => ({}),
  terminal_output: decodeOutput,
  terminal_output_delta: decodeOutput,
  terminal_exit: ({ exit_code, signal }) => ({
    exit: { code: typeof exit_code === 'number' ? exit_code : undefined, signal: asString(signal) },
  }),
};

export function decodeTerminalPatches(meta: unknown): readonly TerminalPatch[] | undefined {
  if (!isRecord(meta)) return undefined;
  const patches = Object.entries(patchDecoders).flatMap(([key, decode]) => {
    const terminal = asRecord(meta[key]);
    const terminalId = asString(terminal.terminal_id);
    const patch = decode(terminal);
    return terminalId === undefined || !patch ? [] : [{ terminalId, ...patch }];
  });
  return patches.length > 0 ? patches : undefined;
}

function decodeOutput({ data }: JsonObject): Omit<TerminalPatch, 'terminalId'> | undefined {
  return typeof data === 'string' ? { output: data } : undefined;
}
