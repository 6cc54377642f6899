import { describe, expect, it } from 'vitest';
import { GrowingText } from '../../../src/model/growing-text.ts';
import type { Patch } from '../../../src/ports/frame.ts';
import { PlainBlock, StreamBlock } from '../../../src/view/block.ts';
import { type Line, makeLine } from '../../../src/view/line.ts';
import { Canvas } from '../../support/doubles/canvas.ts';

function textOf(patches: readonly Patch[]): string {
  const texts = patches.map((patch) => {
    if ('text' in patch) return patch.text;
    return 'lines' in patch ? patch.lines.join('\n') : '';
  });
  return texts.join('');
}

describe('PlainBlock', () => {
  const lines = (...texts: string[]): readonly Line[] => texts.map((text) => makeLine([text, 'X']));

  function redraw(before: readonly Line[], after: readonly Line[]) {
    let current = before;
    const block = new PlainBlock(1, () => current);
    const canvas = new Canvas();
    const draw = () => {
      const patches = block.draw();
      canvas.draw({ chat: 1, blocks: 1, patches });
      return patches;
    };
    draw();
    current = after;
    return { patches: draw(), canvas, block };
  }

  it.each<[string, string[], string[], object | undefined]>([
    ['nothing', ['a', 'b'], ['a', 'b'], undefined],
    ['one line', ['a', 'b', 'c'], ['a', 'x', 'c'], { at: 1, count: 1, lines: ['x'] }],
    ['the first line', ['a', 'b'], ['x', 'b'], { at: 0, count: 1, lines: ['x'] }],
    ['the last line', ['a', 'b'], ['a', 'x'], { at: 1, count: 1, lines: ['x'] }],
    ['new lines at the end', ['a'], ['a', 'b', 'c'], { at: 1, count: 0, lines: ['b', 'c'] }],
    ['new lines in the middle', ['a', 'z'], ['a', 'b', 'z'], { at: 1, count: 0, lines: ['b'] }],
    ['removed lines', ['a', 'b', 'c'], ['a'], { at: 1, count: 2, lines: [] }],
    ['removed lines that equal others', ['a', 'a', 'a'], ['a'], { at: 1, count: 2, lines: [] }],
    ['everything', ['a', 'b'], ['x'], { at: 0, count: 2, lines: ['x'] }],
  ])('sends only the changed lines: %s', (_, before, after, expected) => {
    const { patches, canvas, block } = redraw(lines(...before), lines(...after));
    expect(patches).toMatchObject(expected ? [{ op: 'set', id: 1, ...expected }] : []);
    expect(canvas.lines).toEqual(after);
    expect(block.height).toBe(after.length);
  });

  it('sends a line whose highlight or right text changed', () => {
    const before = [makeLine(['a', 'X']), { text: 'b', right: [['1 s', 'Y']] as const }];
    const after = [makeLine(['a', 'Z']), { text: 'b', right: [['2 s', 'Y']] as const }];
    expect(redraw(before, after).patches).toMatchObject([{ op: 'set', at: 0, count: 2 }]);
  });

  it('says where pictures are, and sends a line again whose picture changed', () => {
    const withPicture = (path: string) => [
      { text: 'a' },
      { text: 'b', picture: { path, pixels: { width: 4, height: 3 } } },
    ];
    expect(new PlainBlock(1, () => withPicture('/x.png')).draw()).toMatchObject([
      { op: 'new', pictures: [[1, '/x.png', 4, 3]] },
    ]);
    expect(redraw(withPicture('/x.png'), withPicture('/y.png')).patches).toMatchObject([
      { op: 'set', at: 1, count: 1, pictures: [[1, '/y.png', 4, 3]] },
    ]);
  });
});

describe('StreamBlock', () => {
  const above: readonly Line[] = [{ text: '' }, { text: 'You' }];

  /** Draws until there is nothing left, and says how much each time. */
  function drawAll(block: StreamBlock, budget: number) {
    const canvas = new Canvas();
    const sizes: number[] = [];
    do {
      const patches = block.draw(budget);
      sizes.push(textOf(patches).length);
      canvas.draw({ chat: 1, blocks: 1, patches });
    } while (block.hasMore);
    return { canvas, sizes };
  }

  it.each([8, 9, 10, 11, 16, 17])('draws all of a text of %i characters, 8 at a time', (length) => {
    const text = 'abcdefghijklmnopqrstuvwxyz'.slice(0, length);
    const { canvas } = drawAll(new StreamBlock(1, [], new GrowingText(text)), 8);
    expect(canvas.lines).toEqual([text]);
  });

  it('spreads a megabyte over frames of the budget', () => {
    const text = 'one line of text\n'.repeat(60_000);
    const { canvas, sizes } = drawAll(new StreamBlock(1, [], new GrowingText(text)), 32_768);
    expect(canvas.lines).toEqual(text.trimEnd().split('\n'));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(32_768);
    expect(sizes.length).toBe(Math.ceil(text.length / 32_768));
  });

  it('never splits a character', () => {
    const text = '👍'.repeat(100);
    const { canvas } = drawAll(new StreamBlock(1, [], new GrowingText(text)), 7);
    expect(canvas.lines).toEqual([text]);
  });

  it('waits for the second half of a surrogate pair', () => {
    const text = new GrowingText('ok \ud83d');
    const block = new StreamBlock(1, [], text);
    const canvas = new Canvas();
    canvas.draw({ chat: 1, blocks: 1, patches: block.draw(100) });
    expect({ lines: canvas.lines, hasMore: block.hasMore }).toEqual({ lines: ['ok '], hasMore: false });
    text.append('\udc4d!');
    canvas.draw({ chat: 1, blocks: 1, patches: block.draw(100) });
    expect(canvas.lines).toEqual(['ok 👍!']);
  });

  it('keeps an emoji that arrives split around its joiner', () => {
    const text = new GrowingText('👩');
    const block = new StreamBlock(1, [], text);
    const canvas = new Canvas();
    const draw = () => canvas.draw({ chat: 1, blocks: 1, patches: block.draw(100) });
    draw();
    for (const chunk of ['\u200d', '🚀 r', '\u200dm']) {
      text.append(chunk);
      draw();
    }
    expect(canvas.lines).toEqual(['👩\u200d🚀 r�m']);
  });

  it('does not wait for a half that never arrives', () => {
    const text = new GrowingText('\ud83d');
    const block = new StreamBlock(1, [], text);
    block.draw(100);
    text.append('x');
    expect(textOf(block.draw(100))).toBe('\ufffdx');
  });

  it('counts lines and code from the start of the block, heading included', () => {
    const block = new StreamBlock(1, above, new GrowingText('a\n```js\nb\n```\nc'));
    const patches = block.draw(1_000);
    expect(patches).toMatchObject([
      { op: 'new', lines: ['', 'You', 'a', '```js', 'b', '```', 'c'] },
      { op: 'code', ranges: [{ from: 4, to: 5, language: 'js', indent: 0 }] },
    ]);
    expect(block.height).toBe(7);
  });

  it('ends a code block with the message', () => {
    const text = new GrowingText('```js\nb\n```\n');
    const block = new StreamBlock(1, above, text, { isEnded: () => true });
    expect(block.draw(1_000)).toMatchObject([
      { op: 'new', lines: ['', 'You', '```js', 'b', '```'] },
      { op: 'code', ranges: [{ from: 3 }] },
      { op: 'code', ranges: [{ from: 3, to: 4, language: 'js', indent: 0 }] },
    ]);
  });

  it('continues at the byte where it ended', () => {
    const text = new GrowingText('äö');
    const block = new StreamBlock(1, above, text);
    block.draw(100);
    text.append('ü\nx');
    expect(block.draw(100)).toMatchObject([{ op: 'add', at: 2, column: 4, text: 'ü\nx' }]);
  });

  it('draws line ends only when text follows them', () => {
    const text = new GrowingText('one\n');
    const block = new StreamBlock(1, above, text);
    const first = block.draw(100);
    text.append('\n');
    expect(block.draw(100)).toEqual([]);
    text.append('two\n\n');
    const canvas = new Canvas();
    canvas.draw({ chat: 1, blocks: 1, patches: [...first, ...block.draw(100)] });
    expect(canvas.lines.slice(above.length)).toEqual(['one', '', 'two']);
  });

  it('sends nothing if nothing is new', () => {
    const block = new StreamBlock(1, above, new GrowingText('a'));
    block.draw(100);
    expect(block.draw(100)).toEqual([]);
  });

  it('costs the same for the first and the ten thousandth chunk', () => {
    const text = new GrowingText('');
    const block = new StreamBlock(1, above, text);
    block.draw(1_000);
    const costs = Array.from({ length: 10_000 }, (_, index) => {
      text.append(index % 10 === 9 ? 'a line, its end\n' : 'some words more ');
      const patches = block.draw(1_000);
      return { patches: patches.length, bytes: textOf(patches).length };
    });
    expect(new Set(costs.map(({ patches }) => patches))).toEqual(new Set([1]));
    expect(costs.at(-10)).toEqual(costs[10]);
    expect(costs.at(-1)).toEqual(costs[9]);
  });
});

it('a StreamBlock aligns the tables of its first text without a patch of their own', () => {
  const text = 'above\n\n| a | b |\n|---|---|\n| longer cell | c |\n\nbelow';
  const layout = { width: () => 60 };
  const atOnce = new StreamBlock(1, [makeLine(['Tester', 'AcpAgent'])], new GrowingText(text), layout);
  const patches = atOnce.draw(10_000);
  expect(patches.map(({ op }) => op)).toEqual(['new']);
  // It ends before the table does.
  const growing = new GrowingText(text.slice(0, 20));
  const inSteps = new StreamBlock(1, [makeLine(['Tester', 'AcpAgent'])], growing, layout);
  const [one, other] = [new Canvas(), new Canvas()];
  one.draw({ chat: 1, blocks: 1, patches });
  other.draw({ chat: 1, blocks: 1, patches: inSteps.draw(10_000) });
  growing.append(text.slice(20));
  other.draw({ chat: 1, blocks: 1, patches: inSteps.draw(10_000) });
  expect(new Set(one.lines.slice(3, 6).map(({ length }) => length)).size).toBe(1);
  expect(one.picture).toEqual(other.picture);
});
