/** The compared implementations: the plugin, the theoretical limit, and a naive version. */
export const implementations = ['plugin', 'bare-node', 'bare-lua'] as const;
export type Implementation = (typeof implementations)[number];

/** One line of the table. */
export interface Figure {
  readonly name: string;
  readonly aim: string;
  readonly found: Readonly<Partial<Record<Implementation, string>>>;
  /** Absent if there is no target. */
  readonly isMet?: boolean;
}

const headings = ['figure', 'aim', ...implementations, 'verdict'];

export function tableOf(figures: readonly Figure[]): string {
  const rows = [headings, ...figures.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n');
}

function cellsOf({ name, aim, found, isMet }: Figure): string[] {
  const verdict = isMet === undefined ? '' : isMet ? 'reached' : 'MISSED';
  return [name, aim, ...implementations.map((implementation) => found[implementation] ?? ''), verdict];
}

/** The same cell for each implementation. */
export function cells(cell: (implementation: Implementation) => string): Figure['found'] {
  return Object.fromEntries(implementations.map((implementation) => [implementation, cell(implementation)]));
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}
