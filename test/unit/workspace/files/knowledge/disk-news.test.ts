import { describe, expect, it } from 'vitest';
import {
  afterReading,
  hunkLines,
  newsFor,
  overlaps,
  showsDisk,
  touches,
} from '../../../../../src/workspace/files/knowledge/disk-news.ts';

const aFile = (read: string, disk: string, buffer = disk) => ({
  read: read.split(''),
  disk: disk.split(''),
  buffer: buffer.split(''),
});

describe('somebody has taken back', () => {
  const news = async (file: ReturnType<typeof aFile>, ...earlier: readonly string[]) =>
    (
      await newsFor(
        file,
        earlier.map((text) => text.split('')),
      )
    ).map(({ from, to, lines }) => `${from}-${to} ${lines.join('')}`);

  it.each<[string, ReturnType<typeof aFile>, readonly string[], readonly string[]]>([
    ['a line that the agent changed', aFile('aXc', 'abc'), ['abc'], ['1-2 b']],
    ['each of two lines beside each other', aFile('aXYd', 'abcd'), ['abcd'], ['1-2 b', '2-3 c']],
    ['only the line that was so before', aFile('aXYd', 'abSd'), ['abcd'], ['1-2 b']],
    ['a line of the second of two texts', aFile('aXc', 'abc'), ['aZc', 'abc'], ['1-2 b']],
    ['lines that were added', aFile('aXYc', 'ac'), ['ac'], ['1-3 ']],
    ['nothing if no earlier text is known', aFile('aXc', 'abc'), [], []],
    ['nothing if the disk has what the agent knows', aFile('aXc', 'aXc'), ['abc'], []],
    ['nothing that was never there', aFile('aXc', 'aSc'), ['abc'], []],
    ['nothing where the buffer has unsaved text', aFile('aXc', 'abc', 'aUc'), ['abc'], []],
    ['nothing where only the buffer is as before', aFile('aXc', 'aXc', 'abc'), ['abc'], []],
  ])('%s', async (_, file, earlier, expected) => {
    expect(await news(file, ...earlier)).toEqual(expected);
  });
});

it.each([
  ['all of the disk', aFile('abc', 'aXc'), 'aXc'],
  ['the disk beside unsaved text', aFile('abcd', 'aXcY', 'aXcU'), 'aXcd'],
  ['what it knew if all is unsaved', aFile('abc', 'abc', 'aUc'), 'abc'],
])('an agent that has read the disk knows %s', async (_, file, expected) => {
  expect((await afterReading(file)).join('')).toBe(expected);
});

describe('the output of a call shows', () => {
  const file = {
    read: [],
    disk: ['one', 'two', 'three', 'four'],
    buffer: ['one', 'TWO', 'three', 'FOUR'],
  };

  it.each([
    ['plainly', 'one\ntwo\nthree\nfour'],
    ['with numbers and a bar', '  1 | one\n  2 | two\n  4 | four'],
    ['with numbers and an arrow', ' 2→two\n 4→four'],
    ['with numbers and a colon', '2: two\n12: four'],
    ['with numbers and a tab', '2\ttwo\n4\tfour'],
    ['indented', '  two  \n\tfour'],
  ])('the disk: %s', async (_, output) => expect(await showsDisk(file, output)).toBe(true));

  it.each([
    ['a line of the buffer is there too', 'two\nTWO\nfour'],
    ['one of two lines of the disk is missing', 'one\ntwo\nthree'],
    ['nothing is there', ''],
    ['the lines are only parts of others', 'twofold\nfour'],
  ])('not the disk if %s', async (_, output) => expect(await showsDisk(file, output)).toBe(false));

  it('nothing if there is no unsaved text, or it only adds to the disk', async () => {
    expect(await showsDisk({ ...file, buffer: file.disk }, 'one\ntwo')).toBe(false);
    expect(await showsDisk({ ...file, buffer: [...file.disk, 'five'] }, 'one\ntwo')).toBe(false);
  });

  it('the disk if the buffer lacks one line and has another that is not shown', async () => {
    expect(await showsDisk({ ...file, buffer: ['new', 'one', 'two', 'three'] }, 'four')).toBe(true);
    expect(await showsDisk({ ...file, buffer: ['new', 'one', 'two', 'three'] }, 'new\nfour')).toBe(false);
  });
});

it.each([
  [1, 3, 'XY', ['1-2 X', '2-3 Y']],
  [1, 3, 'Xc', ['1-2 X']],
  [1, 3, 'X', ['1-3 X']],
  [1, 1, 'XY', ['1-1 XY']],
])('a change of the rows %s to %s into %s is split where lines replace lines', (from, to, text, expected) => {
  const split = hunkLines('abcd'.split(''), { from, to, lines: text.split('') });
  expect(split.map((hunk) => `${hunk.from}-${hunk.to} ${hunk.lines.join('')}`)).toEqual(expected);
});

it.each([
  ['the same rows', [1, 3], [1, 3], true, true],
  ['rows in common', [1, 3], [2, 4], true, true],
  ['rows right above', [0, 2], [2, 4], true, false],
  ['rows right below', [4, 6], [2, 4], true, false],
  ['rows further above', [0, 1], [2, 4], false, false],
  ['rows further below', [5, 6], [2, 4], false, false],
  ['a position at the rows', [0, 2], [2, 2], true, true],
  ['a position in the rows', [0, 2], [1, 1], true, true],
  ['a position away from the rows', [0, 2], [3, 3], false, false],
] as const)('of %s: do they touch, do they overlap', (_, [from, to], [start, end], touch, overlap) => {
  const place = { from: start, to: end };
  expect([touches({ from, to }, place), overlaps({ from, to }, place)]).toEqual([touch, overlap]);
});
