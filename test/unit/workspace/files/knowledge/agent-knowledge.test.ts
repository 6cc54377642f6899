import { describe, expect, it } from 'vitest';
import {
  keepFormatting,
  mergeSeenLines,
} from '../../../../../src/workspace/files/knowledge/agent-knowledge.ts';

const lines = (text: string) => text.split(' ').join('\n');

describe('mergeSeenLines gives the text an agent knows after reading some lines', () => {
  it.each<[string, string, number, number | undefined, string]>([
    ['a change in these lines', 'a B c d', 2, 1, 'a B c d'],
    ['a change above these lines', 'A b c d', 2, 3, 'a b c d'],
    ['a change below these lines', 'a b c D', 1, 3, 'a b c d'],
    ['a change across the end of these lines', 'a B C d', 1, 2, 'a b c d'],
    ['lines added in between', 'a x y b c d', 2, 2, 'a x y b c d'],
    ['lines removed in between', 'a d', 1, 2, 'a d'],
    ['lines removed before the first line', 'c d', 1, 1, 'c d'],
    ['lines removed at the end of these lines', 'a d', 2, 1, 'a b c d'],
    ['two changes, one of them in these lines', 'A b c D', 4, undefined, 'a b c D'],
    ['a change below added lines that were not read', 'x a b c D', 5, 1, 'a b c D'],
    ['all lines read', 'x y', 1, undefined, 'x y'],
    ['no lines read', 'x y', 1, 0, 'a b c d'],
  ])('%s', async (_, now, line, limit, known) => {
    expect(await mergeSeenLines(lines('a b c d'), lines(now), { line, limit })).toBe(lines(known));
  });
});

describe('keepFormatting gives the new text of an agent with the formatting of its last text', () => {
  it.each<[string, string, string]>([
    ['the same text', 'x=1 a b y=2 c z=3', 'X a b Y c Z'],
    ['another line changed', 'x=1 a b y=2 c z=4', 'X a b Y c z=4'],
    ['another text', 'k l', 'k l'],
    ['a line added', 'x=1 a w=4 b y=2 c z=3', 'X a w=4 b Y c Z'],
    ['a line removed', 'x=1 a b c z=3', 'X a b c Z'],
  ])('%s', async (_, next, expected) => {
    const [formatted, last] = ['X a b Y c Z', 'x=1 a b y=2 c z=3'].map((text) => text.split(' '));
    expect((await keepFormatting(formatted!, last!, next.split(' '))).join(' ')).toBe(expected);
  });
});
