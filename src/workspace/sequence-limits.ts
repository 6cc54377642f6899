import type { Terminal } from '@xterm/headless';

/** Sequences that @xterm/headless carries out in a loop of as many rounds as their parameter says. */
const perRow = ['L', 'M', 'S', 'T', '^'];
const perColumn = ['@', 'I', 'P', 'X', 'Z', 'b'];
/** A cell holds one character and its accents; a longer text in one is there to be multiplied by REP. */
const maxRepeated = 32;

/** The part of @xterm/headless behind its public API: its own handlers see what these have changed. */
interface Core {
  registerCsiHandler(id: { final: string }, handler: (counts: { params: Int32Array }) => boolean): unknown;
}

/**
 * Limits what one sequence of a command can cost: counts to the size of the screen, beyond which they change nothing, and
 * hyperlinks, of which each would be kept, to none.
 */
export function limitSequences(terminal: Terminal): void {
  const core = (terminal as unknown as { _core: Core })._core;
  const clamp = (final: string, most: () => number) =>
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, most());
      return false;
    });
  for (const final of perRow) clamp(final, () => terminal.rows);
  for (const final of perColumn) clamp(final, () => terminal.cols);
  core.registerCsiHandler({ final: 'b' }, () => lengthBeforeCursor(terminal) > maxRepeated);
  terminal.parser.registerOscHandler(8, () => true);
}

function lengthBeforeCursor({ buffer: { active } }: Terminal): number {
  const line = active.getLine(active.baseY + active.cursorY);
  const cell = line?.getCell(active.cursorX - 1);
  return cell?.getChars().length ?? 0;
}
