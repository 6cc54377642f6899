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
