import { describe, expect, it } from 'vitest';
import { GrowingText } from '../../../src/session/text.ts';
import { PlainBlock, StreamBlock } from '../../../src/view/block.ts';
import type { Patch } from '../../../src/view/frame.ts';
import { type Line, lineOf } from '../../../src/view/line.ts';
import { Canvas } from '../../support/canvas.ts';

function textOf(patches: readonly Patch[]): string {
  return patches.flatMap((patch) => ('lines' in patch ? [patch.lines.join('\n')] : [])).join('');
}

describe('a plain block', () => {
  const lines = (...texts: string[]): readonly Line[] => texts.map((text) => lineOf([text, 'X']));

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
    ['lines that go', ['a', 'b', 'c'], ['a'], { at: 1, count: 2, lines: [] }],
    ['equal lines that go', ['a', 'a', 'a'], ['a'], { at: 1, count: 2, lines: [] }],
    ['everything', ['a', 'b'], ['x'], { at: 0, count: 2, lines: ['x'] }],
  ])('sends what changed: %s', (_, before, after, expected) => {
    const { patches, canvas, block } = redraw(lines(...before), lines(...after));
    expect(patches).toMatchObject(expected ? [{ op: 'set', id: 1, ...expected }] : []);
    expect(canvas.lines).toEqual(after);
    expect(block.height).toBe(after.length);
  });

  it('sends a line whose colour or figure changed', () => {
    const before = [lineOf(['a', 'X']), { text: 'b', right: [['1 s', 'Y']] as const }];
    const after = [lineOf(['a', 'Z']), { text: 'b', right: [['2 s', 'Y']] as const }];
    expect(redraw(before, after).patches).toMatchObject([{ op: 'set', at: 0, count: 2 }]);
  });
});

describe('a stream block', () => {
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
    expect(canvas.lines).toEqual(text.split('\n'));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(32_768);
    expect(sizes.length).toBe(Math.ceil(text.length / 32_768));
  });

  it('never cuts a character in two', () => {
    const text = '👍'.repeat(100);
    const { canvas } = drawAll(new StreamBlock(1, [], new GrowingText(text)), 7);
    expect(canvas.lines).toEqual([text]);
  });

  it('waits for the other half of a character', () => {
    const text = new GrowingText('ok \ud83d');
    const block = new StreamBlock(1, [], text);
    const canvas = new Canvas();
    canvas.draw({ chat: 1, blocks: 1, patches: block.draw(100) });
    expect({ lines: canvas.lines, hasMore: block.hasMore }).toEqual({ lines: ['ok '], hasMore: false });
    text.append('\udc4d!');
    canvas.draw({ chat: 1, blocks: 1, patches: block.draw(100) });
    expect(canvas.lines).toEqual(['ok 👍!']);
  });

  it('keeps an emoji that an agent cut before or after its joiner', () => {
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

  it('does not wait for a half that does not come', () => {
    const text = new GrowingText('\ud83d');
    const block = new StreamBlock(1, [], text);
    block.draw(100);
    text.append('x');
    expect(textOf(block.draw(100))).toBe('\ufffdx');
  });

  it('counts lines and code from its first line, what stands above included', () => {
    const block = new StreamBlock(1, above, new GrowingText('a\n```js\nb\n```\nc'));
    const patches = block.draw(1_000);
    expect(patches).toMatchObject([
      { op: 'new', lines: ['', 'You', 'a', '```js', 'b', '```', 'c'] },
      { op: 'code', ranges: [{ from: 4, to: 5, language: 'js' }] },
    ]);
    expect(block.height).toBe(7);
  });

  it('goes on at the byte where it ended', () => {
    const text = new GrowingText('äö');
    const block = new StreamBlock(1, above, text);
    block.draw(100);
    text.append('ü\nx');
    expect(block.draw(100)).toMatchObject([{ op: 'add', at: 2, column: 4, lines: ['ü', 'x'] }]);
  });

  it('has nothing to say when nothing is new', () => {
    const block = new StreamBlock(1, above, new GrowingText('a'));
    block.draw(100);
    expect(block.draw(100)).toEqual([]);
  });

  it('costs the same at the first and at the ten thousandth chunk', () => {
    const text = new GrowingText('');
    const block = new StreamBlock(1, above, text);
    block.draw(1_000);
    const costs = Array.from({ length: 10_000 }, (_, index) => {
      text.append(index % 10 === 9 ? 'a line, its end\n' : 'some words more ');
      const patches = block.draw(1_000);
      return { patches: patches.length, bytes: textOf(patches).length };
    });
    expect(new Set(costs.map(({ patches }) => patches))).toEqual(new Set([1]));
    expect(costs.at(-10)).toEqual(costs[0]);
    expect(costs.at(-1)).toEqual(costs[9]);
  });
});
