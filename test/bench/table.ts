/** Who is measured: the plugin, the limit of its design, and what one would write first. */
export const rivals = ['plugin', 'bare-node', 'bare-lua'] as const;
export type Rival = (typeof rivals)[number];

/** One line of the table. */
export interface Figure {
  readonly name: string;
  readonly aim: string;
  readonly found: Readonly<Partial<Record<Rival, string>>>;
  /** Absent: a fact without an aim. */
  readonly isMet?: boolean;
}

const headings = ['figure', 'aim', ...rivals, 'verdict'];

export function tableOf(figures: readonly Figure[]): string {
  const rows = [headings, ...figures.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n');
}

function cellsOf({ name, aim, found, isMet }: Figure): string[] {
  const verdict = isMet === undefined ? '' : isMet ? 'reached' : 'MISSED';
  return [name, aim, ...rivals.map((rival) => found[rival] ?? ''), verdict];
}

/** The same cell for each of them. */
export function cells(cell: (rival: Rival) => string): Figure['found'] {
  return Object.fromEntries(rivals.map((rival) => [rival, cell(rival)]));
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}
