import { expect, it } from 'vitest';
import { makeLine } from '../../../../src/view/line.ts';
import { splitLongLines } from '../../../../src/view/questions/split-lines.ts';

it('splits long lines into short ones with the same text and highlights', () => {
  const long = makeLine(['é'.repeat(150), 'AcpMuted'], ['x'.repeat(100), ''], ['y', 'AcpWaiting']);
  const pieces = splitLongLines([makeLine(['short', 'AcpMuted']), long]);
  expect(pieces.map(({ text }) => text)).toEqual([
    'short',
    'é'.repeat(100),
    `${'é'.repeat(50)}${'x'.repeat(50)}`,
    `${'x'.repeat(50)}y`,
  ]);
  expect(pieces.map(({ spans }) => spans)).toEqual([
    [{ from: 0, to: 5, hl: 'AcpMuted' }],
    [{ from: 0, to: 200, hl: 'AcpMuted' }],
    [{ from: 0, to: 100, hl: 'AcpMuted' }],
    [{ from: 50, to: 51, hl: 'AcpWaiting' }],
  ]);
});

it.each([
  ['wide characters', '漢'.repeat(70), ['漢'.repeat(50), '漢'.repeat(20)]],
  ['tabs', '\t'.repeat(20), ['\t'.repeat(12), '\t'.repeat(8)]],
  ['combining characters', `e${'\u0301'.repeat(150)}`, [`e${'\u0301'.repeat(99)}`, '\u0301'.repeat(51)]],
  ['pairs of surrogates', '😀'.repeat(60), ['😀'.repeat(50), '😀'.repeat(10)]],
])('splits %s by the cells that they take', (_, text, pieces) => {
  expect(splitLongLines([{ text }]).map((line) => line.text)).toEqual(pieces);
});
