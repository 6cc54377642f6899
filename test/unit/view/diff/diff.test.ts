import { describe, expect, it } from 'vitest';
import type { ToolContent, ToolEntry } from '../../../../src/model/entries.ts';
import type { SessionState } from '../../../../src/model/session.ts';
import type { ToolPatch } from '../../../../src/model/session-events.ts';
import { parsePatches } from '../../../../src/view/diff/diff.ts';
import { findPlace } from '../../../../src/view/diff/find-in-file.ts';
import { ToolDiffCache } from '../../../../src/view/diff/tool-diff-cache.ts';
import type { Line } from '../../../../src/view/line.ts';
import { toolLines } from '../../../../src/view/transcript/tools/tool-lines.ts';
import { aSession, aToolCall } from '../../../support/builders.ts';

const change = (oldText: string | undefined, newText: string, path = '/shop/a.ts'): ToolContent => ({
  kind: 'diff',
  path,
  oldText,
  newText,
});

const gitDiff = `diff --git a/shop/a.ts b/shop/a.ts
index 1..2 100644
--- a/shop/a.ts
+++ b/shop/a.ts
@@ -3,3 +3,3 @@
 c
-d
+D
 e
`;
const newFile = `--- /dev/null
+++ b/new.ts
@@ -0,0 +1 @@
+x
`;
const goneFile = `--- a/old.ts
+++ /dev/null
@@ -1 +0,0 @@
-x
`;

function aCall(patch: Partial<ToolPatch>): { state: SessionState; tool: ToolEntry } {
  const state = aSession(aToolCall({ title: 'Edit a.ts', toolKind: 'edit', ...patch }));
  return { state, tool: [...state.tools.values()][0]! };
}

interface Drawing {
  readonly isToggled?: boolean;
  readonly start?: number;
}

function draw(patch: Partial<ToolPatch>, { isToggled = false, start }: Drawing = {}): readonly Line[] {
  const { state, tool } = aCall(patch);
  return toolLines(tool, {
    state,
    diffs: new ToolDiffCache(),
    now: 0,
    cwd: '/shop',
    roots: ['/shop'],
    home: '/home/me',
    isOpen: () => isToggled,
    diffStart: () => start,
  });
}

const textsOf = (lines: readonly Line[]) => lines.map(({ text }) => text);
const rightOf = ({ right = [] }: Line) => right.map(([text]) => text).join('');
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

function marked(line: Line, group: string): readonly string[] {
  const bytes = Buffer.from(line.text);
  return (line.spans ?? [])
    .filter(({ hl }) => hl === group)
    .map(({ from, to }) => bytes.subarray(from, to === -1 ? undefined : to).toString());
}

describe('a change of a part of a line', () => {
  const file = 'def f(x):\n    return x + 2  # mine\n';

  it.each<[string, string, string, string[]]>([
    [
      'a replaced part',
      'return x + 2',
      'return x + 3',
      ['-     return x + 2  # mine', '+     return x + 3  # mine'],
    ],
    ['whole lines', 'def f(x):\n', 'def g(x):\n', ['- def f(x):', '+ def g(x):']],
    [
      'several lines',
      'x):\n    return',
      'y):\n    yield',
      ['- def f(x):', '-     return x + 2  # mine', '+ def f(y):', '+     yield x + 2  # mine'],
    ],
    ['what is not in the file', 'return 1', 'return 2', ['- return 1', '+ return 2']],
  ])('shows the lines of the file: %s', (_, before, after, expected) => {
    const { state, tool } = aCall({ content: [change(before, after)] });
    const diffs = new ToolDiffCache();
    const [diff] = diffs.of(tool);
    const place = findPlace(file, before);
    if (place) diffs.completeLines(diff!, place);
    const context = { state, diffs, now: 0, cwd: '/shop', roots: [], home: '/home/me', isOpen: () => false };
    const [, ...body] = textsOf(toolLines(tool, context)).map((line) => line.slice(4));
    expect(body).toEqual(expected);
    expect(diffs.of(tool)[0]?.source).toBe(diff!.source);
  });

  it('does not show a line in which the change would be out of sight', () => {
    const { tool } = aCall({ content: [change('b', 'c')] });
    const diffs = new ToolDiffCache();
    const [diff] = diffs.of(tool);
    diffs.completeLines(diff!, findPlace(`${'a'.repeat(400)}b`, 'b')!);
    expect(diffs.of(tool)[0]).toBe(diff);
  });
});

describe('a tool call with a diff', () => {
  it('counts the changed lines and shows them with context', () => {
    const before = numbers(20);
    const after = before.with(9, 'ten').toSpliced(19, 1);
    const lines = draw({ content: [change(before.join('\n'), after.join('\n'))] }, { start: 100 });
    expect(rightOf(lines[0]!)).toMatch(/^ \+1 -2 /);
    expect(textsOf(lines.slice(1))).toEqual([
      '    106   7',
      '    107   8',
      '    108   9',
      '    109 - 10',
      '    109 + ten',
      '    110   11',
      '    111   12',
      '    112   13',
      '    ⋯',
      '    116   17',
      '    117   18',
      '    118   19',
      '    119 - 20',
    ]);
  });

  it.each<[string, Partial<ToolPatch>, string, string[]]>([
    ['new', { content: [change(undefined, 'x\ny\n')] }, ' new +2', ['    + x', '    + y']],
    ['new, with an empty old text', { content: [change('', 'x')] }, ' new +1', ['    + x']],
    ['emptied', { content: [change('x\n', '')] }, ' -1', ['    - x']],
    ['deleted', { toolKind: 'delete', content: [change('x\n', '')] }, ' deleted -1', ['    - x']],
    ['nothing', { content: [change('x', 'x')] }, ' no change', []],
    ['nothing but line ends', { content: [change('x\n', 'x\r\n')] }, '', []],
    [
      'a patch',
      { rawInput: { diff: gitDiff } },
      ' +1 -1',
      ['    3   c', '    4 - d', '    4 + D', '    5   e'],
    ],
    ['a patch of a new file', { rawInput: { diff: newFile } }, ' new +1', ['    + x']],
    ['a patch that deletes a file', { rawInput: { diff: goneFile } }, ' deleted -1', ['    1 - x']],
  ])('%s', (_, patch, figures, texts) => {
    const lines = draw(patch);
    expect(rightOf(lines[0]!).replace(/ [▾▸].*/, '')).toBe(figures);
    expect(textsOf(lines.slice(1))).toEqual(texts);
  });

  it('shows its arguments if they are not a patch', () => {
    expect(textsOf(draw({ rawInput: { diff: '@@ what' } }, { isToggled: true })).join()).toContain('@@ what');
  });

  it('aligns its line numbers', () => {
    const content = [change(numbers(10).join('\n'), 'x')];
    const texts = textsOf(draw({ content }, { start: 1 }));
    expect(texts.slice(9)).toEqual(['     9 - 9', '    10 - 10', '     1 + x']);
  });

  it('names its file if the title does not', () => {
    const content = [change('a', 'b', '/shop/src/b.ts')];
    expect(draw({ title: 'Edit', content })[0]?.text).toBe('○ edit    src/b.ts');
    expect(draw({ title: 'Edit src/b.ts', content })[0]?.text).toBe('○ edit    src/b.ts');
  });

  it('shows each diff below the path of its file', () => {
    const content = [change('a', 'b'), change(undefined, 'x', '/shop/new.ts')];
    expect(textsOf(draw({ content })).slice(1)).toEqual([
      '    a.ts +1 -1',
      '    - a',
      '    + b',
      '    new.ts new +1',
      '    + x',
    ]);
  });

  it('shows a preview of a long diff, and all of a short one', () => {
    const long = { content: [change(undefined, numbers(30).join('\n'))] };
    expect(draw(long)).toHaveLength(1 + 12 + 1);
    expect(draw(long).at(-1)?.text).toBe('    … 18 more lines');
    expect(draw(long, { isToggled: true })).toHaveLength(31);
    const hardlyLong = { content: [change(undefined, numbers(13).join('\n'))] };
    expect(draw(hardlyLong)).toHaveLength(1 + 13);
    const short = { content: [change('a', 'b')] };
    expect(draw(short)).toHaveLength(3);
    expect(draw(short, { isToggled: true })).toHaveLength(1);
  });

  it('names every file of a long change and previews each', () => {
    const files = (count: number) =>
      numbers(count).map((name) => change(undefined, numbers(9).join('\n'), `/shop/${name}.ts`));
    expect(textsOf(draw({ content: files(3) })).slice(1, 8)).toEqual([
      '    1.ts new +9',
      '    + 1',
      '    + 2',
      '    + 3',
      '    + 4',
      '    … 5 more lines',
      '    2.ts new +9',
    ]);
    expect(textsOf(draw({ content: files(8) })).slice(1)).toEqual(
      numbers(8).map((name) => `    ${name}.ts new +9`),
    );
    expect(textsOf(draw({ content: files(40) })).slice(-2)).toEqual([
      '    12.ts new +9',
      '    … 28 more files',
    ]);
    expect(draw({ content: files(40) }, { isToggled: true })).toHaveLength(1 + 40 * 10);
  });

  it.each<[string, ToolContent, string, string[]]>([
    ['changed line endings', change('a\r\nb\r\n', 'a\nB\n'), ' +1 -1', ['      a', '    - b', '    + B']],
    ['no last newline', change('a\nb', 'a\nb\n'), '', []],
    ['empty to empty', change('', ''), ' new', []],
    ['control characters', change('a', '\u001b[31mred\u0007\0'), ' +1 -1', ['    - a', '    + ␛[31mred␇␀']],
    ['lone surrogates', change('a', 'x\ud800y'), ' +1 -1', ['    - a', '    + x\ufffdy']],
    [
      'a very long line',
      change('a', 'x'.repeat(100_000)),
      ' +1 -1',
      ['    - a', `    + ${'x'.repeat(499)}…`],
    ],
  ])('sanitises %s', (_, content, figures, texts) => {
    const lines = draw({ content: [content] });
    expect(rightOf(lines[0]!).replace(/ [▾▸].*/, '')).toBe(figures);
    expect(textsOf(lines.slice(1))).toEqual(texts);
  });

  it('has a limited number of lines', () => {
    const [before, after] = [
      numbers(12_000),
      numbers(12_000).map((line) => (Number(line) % 2 ? line : `${line}!`)),
    ];
    const lines = draw({ content: [change(before.join('\n'), after.join('\n'))] }, { isToggled: true });
    expect(rightOf(lines[0]!)).toMatch(/^ \+6000 -6000 /);
    expect(lines.length).toBeLessThan(1_100);
  });

  it('marks the words that differ, by byte columns', () => {
    const [, old, now] = draw({ content: [change('ä = one + two', 'ä = one + three')] });
    expect(marked(old!, 'AcpDiffDelete')).toEqual(['- ä = one + two']);
    expect(marked(old!, 'AcpDiffText')).toEqual(['two']);
    expect(marked(now!, 'AcpDiffText')).toEqual(['three']);
  });

  it('marks neighbouring words as one', () => {
    const [, , now] = draw({
      content: [change('const items = cart.items;', 'const items = all, of.items;')],
    });
    expect(marked(now!, 'AcpDiffText')).toEqual(['all, of']);
  });

  it('names the file whose language its lines have, and where their text begins', () => {
    const [, old] = draw({ content: [change('one', 'two')] });
    const { code, text } = old!;
    expect(code).toMatchObject({ isDiff: true });
    expect(text.slice(code!.indent)).toBe('one');
  });

  it.each([
    ['without anything in common', 'one two', 'completely other'],
    ['of which most is new', 'return sum;', 'return applyCoupon(sum, cart.coupon);'],
  ])('marks no words of lines %s', (_, before, after) => {
    const lines = draw({ content: [change(before, after)] });
    expect(lines.flatMap((line) => marked(line, 'AcpDiffText'))).toEqual([]);
  });

  it('maps its lines to rows of the file', () => {
    const lines = draw({ content: [change('a\nb\nc', 'a\nx\ny\nc')] });
    expect(lines.map(({ target }) => target)).toEqual([
      { diff: 0, row: undefined, isHeading: true },
      { diff: 0, row: 1 },
      { diff: 0, row: 2 },
      { diff: 0, row: 2 },
      { diff: 0, row: 3 },
      { diff: 0, row: 4 },
    ]);
  });

  it('shows no row if it is not known', () => {
    expect(textsOf(draw({ content: [change('a', 'b')] })).slice(1)).toEqual(['    - a', '    + b']);
  });

  it('computes equal diffs once', () => {
    const [one, two] = [aCall({ content: [change('a', 'b')] }), aCall({ content: [change('a', 'b')] })];
    const diffs = new ToolDiffCache();
    expect(diffs.of(one.tool)[0]).toBe(diffs.of(two.tool)[0]);
  });
});

describe('a huge diff', () => {
  const before = Array.from({ length: 5_000 }, (_, row) => `line ${row}`);
  const after = before.map((line, row) => (row % 2 === 0 ? `${line}!` : line));

  it.each<[string, Partial<ToolPatch>]>([
    ['of two texts', { content: [change(before.join('\n'), after.join('\n'))] }],
    [
      'of a patch',
      {
        rawInput: {
          diff: `--- a/a.ts\n+++ b/a.ts\n${before
            .filter((_, row) => row % 2 === 0)
            .map((line, at) => `@@ -${1 + 2 * at},1 +${1 + 2 * at},1 @@\n-${line}\n+${line}!\n`)
            .join('')}`,
        },
      },
    ],
  ])('is counted completely but computed only as far as shown: %s', (_, patch) => {
    const [diff] = new ToolDiffCache().of(aCall(patch).tool);
    expect(diff).toMatchObject({ added: 2_500, removed: 2_500 });
    const lines = diff!.hunks.flatMap((hunk) => hunk.lines);
    expect(lines.length).toBeGreaterThanOrEqual(1_000);
    expect(lines.length).toBeLessThan(1_010);
    expect(lines.filter(({ words }) => words.length > 0)).toHaveLength(100);
  });
});

it('parsePatches leaves out files of which only the mode or the name changes', () => {
  const mode = 'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n';
  const name = 'diff --git a/b.ts b/c.ts\nsimilarity index 100%\nrename from b.ts\nrename to c.ts\n';
  const diff = `${mode}${name}--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-x\n+y\n`;
  expect(parsePatches(`${mode}${diff}`).map(({ newFileName }) => newFileName)).toEqual(['b/a.ts']);
  expect(parsePatches(mode)).toEqual([]);
  expect(
    draw({ rawInput: { diff: mode } })
      .map(rightOf)
      .join(),
  ).not.toMatch(/new|\+0/);
});
