/** Lines of the files that the tests of the review start with. */
export const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`);

export const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

/** The text of `ten` with some lines replaced, by line number. */
export const changed = (...changes: readonly [number, string][]) =>
  text(ten.map((line, index) => changes.find(([at]) => at === index + 1)?.[1] ?? line));

export const files = { 'a.txt': text(ten), 'b.txt': text(ten), 'sub/c.txt': 'c\n' };
