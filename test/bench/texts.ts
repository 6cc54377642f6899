export const longLines = 50_000;

/** A text of this many different lines. */
export function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, row) => `line ${row} of the file that is measured`);
}

/** Changes of a long text, from a small edit to a different text. */
export const rewrites: readonly (readonly [
  name: string,
  before: readonly string[],
  after: readonly string[],
])[] = [
  ['100 lines changed', numbered(longLines), changed(500)],
  ['2,000 lines changed', numbered(longLines), changed(25)],
  ['every second line changed', numbered(longLines), changed(2)],
  ['indented', numbered(longLines), numbered(longLines).map((line) => `  ${line}`)],
  ['hardly a line in common', numbered(longLines), changed(1).map((line, row) => (row % 100 ? line : '}'))],
  ['a tenth of it moved', numbered(longLines), moved()],
  ['shuffled', numbered(longLines), shuffled()],
  ['mostly alike', alike(10), alike(11)],
];

function changed(every: number): readonly string[] {
  return numbered(longLines).map((line, row) => (row % every === 0 ? `changed ${row}` : line));
}

function moved(): readonly string[] {
  const lines = numbered(longLines);
  return [...lines.slice(0, 20_000), ...lines.slice(25_000), ...lines.slice(20_000, 25_000)];
}

function shuffled(): readonly string[] {
  // Each row once, since the factor and the number of rows are coprime.
  const lines = numbered(longLines);
  return lines.map((_, row) => lines[(row * 7_919) % longLines]!);
}

function alike(every: number): readonly string[] {
  return Array.from({ length: longLines }, (_, row) => (row % every === 0 ? `call ${row % 7}` : '}'));
}
