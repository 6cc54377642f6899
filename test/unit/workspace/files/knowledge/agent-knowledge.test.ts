import { describe, expect, it } from 'vitest';
import { FileRecord } from '../../../../../src/workspace/files/file-record.ts';
import {
  keepFormatting,
  mergeSeenLines,
  noteLinesRead,
  noteRead,
  noteTakenBack,
  noteWritten,
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

function aRecord(...texts: readonly string[]): FileRecord {
  const record = new FileRecord('/work/a', {});
  for (const text of texts) noteWritten(record, text);
  return record;
}

describe('an agent knows', () => {
  it('the text that it wrote last, and those before it without what a formatter made', () => {
    const record = aRecord('one', 'two');
    noteWritten(record, 'three', 'THREE');
    expect(record).toMatchObject({
      agentText: 'three',
      earlierTexts: ['one', 'two'],
      formattedText: 'THREE',
    });
    noteRead(record, 'four');
    expect(record).toMatchObject({ agentText: 'four', formattedText: undefined });
  });

  it('nothing earlier after its first text, nor after the same text again', () => {
    expect(aRecord('one').earlierTexts).toEqual([]);
    expect(aRecord('one', 'one').earlierTexts).toEqual([]);
  });

  it('each earlier text once, the last one at the end', () => {
    expect(aRecord('one', 'two', 'one', 'three').earlierTexts).toEqual(['two', 'one']);
  });

  it('four earlier texts at most, the last ones', () => {
    expect(aRecord('1', '2', '3', '4', '5', '6').earlierTexts).toEqual(['2', '3', '4', '5']);
  });
});

describe('what the user takes back', () => {
  it('is known to the agent, in its own text and in the formatted one', async () => {
    const record = aRecord();
    noteWritten(record, 'x\na\ny', 'X\na\ny');
    record.expected = { text: 'x', read: 'y' };
    await noteTakenBack(record, 'x\na\ny', 'x\na\nb');
    expect(record).toMatchObject({
      agentText: 'x\na\nb',
      formattedText: 'X\na\nb',
      earlierTexts: ['x\na\ny'],
      expected: undefined,
    });
  });

  it('is as the user wants it where the agent knows other lines', async () => {
    const record = aRecord('agent');
    await noteTakenBack(record, 'before', 'after');
    expect(record).toMatchObject({ agentText: 'after', formattedText: undefined });
  });

  it('is not known to an agent that has never seen the file', async () => {
    const record = aRecord();
    record.expected = { text: 'x', read: 'y' };
    await noteTakenBack(record, 'a', 'b');
    expect(record).toMatchObject({ agentText: undefined, expected: undefined, earlierTexts: [] });
  });
});

describe('after it has read some lines an agent knows', () => {
  const range = { line: 1, limit: 1 };

  it('these, and the others as they were', async () => {
    const record = aRecord('a\nb');
    await noteLinesRead(record, 'A\nB', range);
    expect(record.agentText).toBe('a\nb');
    await noteLinesRead(record, 'A\nb', range);
    expect(record.agentText).toBe('A\nb');
  });

  it('the others as the buffer and the file had them, if it has never seen the file', async () => {
    const record = aRecord();
    record.base = { text: 'a\nb\nc', time: '' };
    await noteLinesRead(record, 'A\nb\nC', range);
    expect(record.agentText).toBe('A\nb\nc');
  });

  it('the whole text, if nothing was known of it', async () => {
    const record = aRecord();
    await noteLinesRead(record, 'a\nb', range);
    expect(record.agentText).toBe('a\nb');
  });

  it('what it wrote meanwhile', async () => {
    const record = aRecord('a\nb');
    const noted = noteLinesRead(record, 'A\nb', range);
    noteWritten(record, 'new');
    await noted;
    expect(record.agentText).toBe('new');
  });
});
