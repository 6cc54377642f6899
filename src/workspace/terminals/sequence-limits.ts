import type { Terminal } from '@xterm/headless';

/** Sequences that @xterm/headless runs in a loop with as many rounds as their parameter says. */
const perRow = ['L', 'M', 'S', 'T', '^'];
const perColumn = ['@', 'I', 'P', 'X', 'Z', 'b'];
/** A cell holds one character with its accents. A longer text in a cell is an attempt to multiply it with REP. */
const maxRepeated = 32;

/** Private API of @xterm/headless: handlers registered here can change the parameters that its own handlers see. */
interface Core {
  registerCsiHandler(id: { final: string }, handler: (counts: { params: Int32Array }) => boolean): unknown;
}

/**
 * Limits the cost of one escape sequence: counts are clamped to the size of the screen, beyond which they have no effect,
 * and hyperlinks are ignored, because xterm keeps each of them.
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
