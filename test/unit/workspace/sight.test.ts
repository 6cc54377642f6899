import { describe, expect, it } from 'vitest';
import { glimpsed, reformatted } from '../../../src/workspace/sight.ts';

const lines = (text: string) => text.split(' ').join('\n');

describe('what an agent knows after it has seen some lines', () => {
  it.each<[string, string, number, number | undefined, string]>([
    ['a change there', 'a B c d', 2, 1, 'a B c d'],
    ['a change above', 'A b c d', 2, 3, 'a b c d'],
    ['a change below', 'a b c D', 1, 3, 'a b c d'],
    ['a change on both sides of its edge', 'a B C d', 1, 2, 'a b c d'],
    ['lines that are new there', 'a x y b c d', 2, 2, 'a x y b c d'],
    ['lines that are gone between what it saw', 'a d', 1, 2, 'a d'],
    ['lines that are gone before what it saw', 'c d', 1, 1, 'c d'],
    ['lines that are gone at the edge of what it saw', 'a d', 2, 1, 'a b c d'],
    ['two changes, one of which it saw', 'A b c D', 4, undefined, 'a b c D'],
    ['a change below lines that are new and not seen', 'x a b c D', 5, 1, 'a b c D'],
    ['everything', 'x y', 1, undefined, 'x y'],
    ['nothing', 'x y', 1, 0, 'a b c d'],
  ])('%s', async (_, now, line, limit, known) => {
    expect(await glimpsed(lines('a b c d'), lines(now), { line, limit })).toBe(lines(known));
  });
});

describe('what an agent writes after its last text was formatted', () => {
  it.each<[string, string, string]>([
    ['the same', 'x=1 a b y=2 c z=3', 'X a b Y c Z'],
    ['another line changed', 'x=1 a b y=2 c z=4', 'X a b Y c z=4'],
    ['all new', 'k l', 'k l'],
    ['one more', 'x=1 a w=4 b y=2 c z=3', 'X a w=4 b Y c Z'],
    ['one less', 'x=1 a b c z=3', 'X a b c Z'],
  ])('%s', async (_, next, expected) => {
    const [formatted, last] = ['X a b Y c Z', 'x=1 a b y=2 c z=3'].map((text) => text.split(' '));
    expect((await reformatted(formatted!, last!, next.split(' '))).join(' ')).toBe(expected);
  });
});
