import { describe, expect, it } from 'vitest';
import { GrowingText } from '../../../src/model/growing-text.ts';
import type { CodeRange } from '../../../src/ports/frame.ts';
import { StreamBlock } from '../../../src/view/block.ts';
import { MarkdownStream, markLine } from '../../../src/view/markdown.ts';
import { Canvas } from '../../support/doubles/canvas.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';

interface Streamed {
  readonly picture: unknown;
  readonly lines: readonly string[];
}

/** The text as a buffer shows it after it came in these pieces. */
function stream(pieces: readonly string[]): Streamed {
  const canvas = new Canvas();
  const text = new GrowingText();
  const block = new StreamBlock(1, [], text);
  const draw = () => canvas.draw({ chat: 1, blocks: 1, patches: block.draw(Number.MAX_SAFE_INTEGER) });
  draw();
  for (const piece of pieces) {
    text.append(piece);
    draw();
  }
  return { picture: canvas.picture, lines: canvas.lines };
}

/** What is marked, by its text: `bold:AcpBold`, or `**:hidden`. */
function marked(line: string): readonly string[] {
  const bytes = Buffer.from(line);
  return markLine(line).map(
    ({ from, to, hl, shownAs }) => `${bytes.subarray(from, to)}:${hl ?? shownAs ?? 'hidden'}`,
  );
}

/** What is marked in the first line of a message. */
function markedIn(text: string): readonly string[] {
  const { texts, marks } = new MarkdownStream().append(text);
  const bytes = Buffer.from(texts[0] ?? '');
  const at = (index: number) => Number(marks[index]);
  const starts = marks.flatMap((line, index) => (index % 4 === 0 && line === 0 ? [index] : []));
  return starts.map((i) => `${bytes.subarray(at(i + 1), at(i + 2))}:${marks[i + 3] || 'hidden'}`);
}

function codeOf(text: string): readonly CodeRange[] {
  const ranges = new MarkdownStream().append(text).code;
  return [...new Map(ranges.map((range) => [range.from, range])).values()];
}

describe('markdown that streams in', () => {
  const words = [
    '#',
    '# ',
    '**',
    '*',
    '`',
    '```',
    '~~~',
    '```js',
    '[a](b)',
    'https://a.b/c',
    '- ',
    '1. ',
    '> ',
    '---',
  ];
  const letters = ['a', ' ', 'ä', '世', '👍', '\t', '\u00a0', '\u3000', '\r'];
  const text = fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...words, ...letters) },
        fc.constant('\n'),
        fc.string(),
      ),
      {
        maxLength: 60,
        size: 'max',
      },
    )
    .map((parts) => parts.join(''));

  /** Cuts a text at the places, between the halves of a character too. */
  function cut(whole: string, places: readonly number[]): readonly string[] {
    const cuts = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
    return [0, ...cuts].map((from, index) => whole.slice(from, cuts[index]));
  }

  it('looks the same as in one piece', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 20, size: 'max' }), (whole, places) => {
        expect(stream(cut(whole, places)).picture).toEqual(stream([whole]).picture);
      }),
      { numRuns: shortOrLong(100, 500) },
    );
  });

  it('looks the same when it arrives character by character', () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(stream(whole.split('')).picture).toEqual(stream([whole]).picture);
      }),
      { numRuns: shortOrLong(50, 200) },
    );
  });

  it('loses its marks when the line gets too long', () => {
    const long = `**a** ${'x'.repeat(5_000)}`;
    expect(stream(['**a** ', long.slice(6)]).picture).toEqual(stream([long]).picture);
  });
});

describe('markdown highlights', () => {
  it.each<[string, string, string[]]>([
    ['nothing', 'plain', []],
    ['a heading', '# Title', ['# Title:AcpHeading1', '# :hidden']],
    ['a heading of the second level', '## Title', ['## Title:AcpHeading2', '## :hidden']],
    ['a heading of the third level', '### Title', ['### Title:AcpHeading3', '### :hidden']],
    ['a heading of a lower level', '##### Title', ['##### Title:AcpHeading3', '##### :hidden']],
    ['a heading after a no-break space', '#\u3000Title', ['#\u3000Title:AcpHeading1', '#\u3000:hidden']],
    ['no heading without a space', '#include', []],
    ['no heading with seven hashes', '####### x', []],
    ['a quote', '> said', ['> said:AcpQuote', '>:▎']],
    ['a rule', '---', ['---:==']],
    ['a list item', '  - item', ['-:AcpListMarker', '-:•']],
    ['a numbered item', '12. item', ['12.:AcpListMarker']],
    ['a list item after a no-break space', '\u3000- item', ['-:AcpListMarker', '-:•']],
    ['bold', 'a **b c** d', ['**:hidden', 'b c:AcpBold', '**:hidden']],
    ['italic', 'a *b c* d', ['*:hidden', 'b c:AcpItalic', '*:hidden']],
    ['no italic in a product', '2 * 3 * 4', []],
    ['no italic inside a word', 'a*b*c', []],
    ['a code block', 'a `b` c', ['`:hidden', 'b:AcpCode', '`:hidden']],
    ['code with a backtick', '`` a`b ``', ['``:hidden', ' a`b :AcpCode', '``:hidden']],
    ['no code without a closing backtick', 'a `b', []],
    ['stars in code', '`**a**`', ['`:hidden', '**a**:AcpCode', '`:hidden']],
    ['a link', '[text](http://x)', ['[:hidden', 'text:AcpLink', '](http://x):hidden']],
    ['an address', 'see https://x.y/z.', ['https://x.y/z:AcpLink']],
    ['an address in angle brackets', 'ü <https://x.y/z>.', ['<:hidden', 'https://x.y/z:AcpLink', '>:hidden']],
    ['an address after a sign of comparison', 'a<https://x.y/z and b>', ['https://x.y/z:AcpLink']],
    ['columns after non-ASCII text', 'äöü 世界 👍 **fett** x', ['**:hidden', 'fett:AcpBold', '**:hidden']],
    [
      'non-ASCII text in marks',
      '**世界** `ä👍`',
      ['**:hidden', '世界:AcpBold', '**:hidden', '`:hidden', 'ä👍:AcpCode', '`:hidden'],
    ],
  ])('%s', (_, line, expected) => expect(marked(line)).toEqual(expected));
});

const code = (from: number, to: number | undefined, language: string, indent = 0): CodeRange => ({
  from,
  ...(to !== undefined && { to }),
  language,
  indent,
});

describe('a code block', () => {
  it.each<[string, string, CodeRange[]]>([
    ['between fences', '```js\na\nb\n```\n', [code(1, 3, 'js')]],
    ['between tildes', '~~~ lua\na\n~~~\n', [code(1, 2, 'lua')]],
    ['without a language', '```\na\n```\n', [code(1, 2, '')]],
    ['without a line', '```js\n```\n', [code(1, 1, 'js')]],
    ['that is not closed', '```js\na\n', [code(1, undefined, 'js')]],
    ['whose closing fence has no newline yet', '```js\na\n```', [code(1, undefined, 'js')]],
    ['with shorter fences in it', '````md\n```js\na\n```\n````\n', [code(1, 4, 'md')]],
    ['with other fences in it', '~~~md\n```js\n~~~\n', [code(1, 2, 'md')]],
    ['with a longer fence at its end', '```js\na\n`````\n', [code(1, 2, 'js')]],
    ['with a fence of another language in it', '```md\n```js\n```\n', [code(1, 2, 'md')]],
    ['twice', '```c++\na\n```\n\n```c#\nb\n```\n', [code(1, 2, 'c++'), code(5, 6, 'c#')]],
    ['in a list', '- x\n   ```js\n   a\n   ```\n', [code(2, 3, 'js', 3)]],
    ['in a nested list', '  - x\n     ```js\n     a\n     ```\n', [code(2, 3, 'js', 5)]],
    ['with its fences on one line is inline code', '```js a```\ntext\n```js\nb\n```\n', [code(3, 4, 'js')]],
  ])('%s', (_, text, expected) => expect(codeOf(text)).toEqual(expected));

  it.each<[string, string, string[]]>([
    ['names its language', '```js\n', ['```:hidden', 'js:AcpCodeLanguage']],
    [
      'hides what follows the language',
      '``` ts {1,2}\n',
      ['``` :hidden', 'ts:AcpCodeLanguage', ' {1,2}:hidden'],
    ],
    ['hides a fence without a language', '~~~\n', ['~~~:hidden']],
    ['names its file', '```ts src/a.ts\n', ['```:hidden', 'ts src/a.ts:AcpCodeLanguage']],
    ['names its file after a colon', '```ts:src/ä.ts\n', ['```:hidden', 'ts:src/ä.ts:AcpCodeLanguage']],
  ])('%s', (_, text, expected) => expect(markedIn(text)).toEqual(expected));

  it('shows the fences of code in code', () => {
    const { marks } = new MarkdownStream().append('````md\n```js\n```\n````\n');
    expect(marks.filter((_, index) => index % 4 === 0)).toEqual([0, 0, 3]);
  });

  it('has no inline highlights', () => {
    const { marks } = new MarkdownStream().append('```js\n**a** # b\n```\n**c**');
    const linesMarked = marks.filter((_, index) => index % 4 === 0);
    expect(linesMarked).toEqual([0, 0, 2, 3, 3, 3]);
  });

  it('counts its lines from the start of the message', () => {
    const markdown = new MarkdownStream();
    markdown.append('one\ntwo\n```js\n');
    expect(markdown.append('a\n```\n').code).toEqual([code(3, 4, 'js')]);
  });
});

describe('the cost of highlighting a chunk', () => {
  it('does not depend on the length of the line', () => {
    const markdown = new MarkdownStream();
    markdown.append('x'.repeat(1_000_000));
    const growth = markdown.append(' y');
    expect(growth).toEqual({
      line: 0,
      column: 1_000_000,
      texts: [' y'],
      marks: [],
      isRemarked: false,
      code: [],
      tables: [],
    });
  });
});
