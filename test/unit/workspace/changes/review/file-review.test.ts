import { describe, expect, it } from 'vitest';
import {
  agentWrote,
  beginTurn,
  countsOf,
  fileHunks,
  isChanged,
  keepHunk,
  rejectFile,
  rejectHunk,
  unchanged,
  undoDecision,
  userWrote,
} from '../../../../../src/workspace/changes/review/file-review.ts';
import { type FileContent, noFile, splitLines } from '../../../../../src/workspace/files/file-content.ts';
import type { FileReview } from '../../../../../src/workspace/files/file-record.ts';

const text = (content: string): FileContent => ({ kind: 'text', lines: splitLines(content) });
const binary = (blob: string): FileContent => ({ kind: 'binary', blob, file: 'file' });
const shown = (side: FileContent) =>
  side.kind === 'text' ? side.lines.join('') : side.kind === 'none' ? undefined : `binary ${side.blob}`;

describe('an edit of the user in a file that the agent changed', () => {
  it.each<[string, FileContent, FileContent, FileContent, string | undefined]>([
    [
      'adds a line to a new file: the line stays when the rest is rejected',
      noFile,
      text('a\n'),
      text('a\nmine\n'),
      'mine\n',
    ],
    [
      'changes nothing in a new file: the file is removed when it is rejected',
      noFile,
      text('a\n'),
      text('a\n'),
      undefined,
    ],
    [
      'changes a line of the agent: it is rejected with that line',
      text('a\n'),
      text('b\n'),
      text('c\n'),
      'a\n',
    ],
    [
      'recreates a file that the agent deleted: both contents stay',
      text('a\n'),
      noFile,
      text('mine\n'),
      'a\nmine\n',
    ],
    [
      'replaces a binary file of the agent: the original is restored',
      binary('1'),
      binary('2'),
      binary('3'),
      'binary 1',
    ],
    ['removes the last newline: that stays', text('a\nb\n'), text('A\nb\n'), text('A\nb'), 'a\nb'],
    [
      'changes line endings of other lines: they stay',
      text('a\nb\n'),
      text('A\nb\n'),
      text('A\nb\r\n'),
      'a\nb\r\n',
    ],
  ])('%s', (_, before, agent, user, rejected) => {
    const file = userWrote(agentWrote(unchanged(before), agent), user);
    expect(shown(rejectFile(file, 'session').now)).toBe(rejected);
  });

  it.each<[string, FileContent, FileContent]>([
    ['a text', text('a\n'), text('b\n')],
    ['a new file', noFile, text('b\n')],
    ['a file that is gone', text('a\n'), noFile],
    ['a binary file', binary('1'), binary('2')],
  ])('is not reviewed if the agent changed nothing: %s', (_, before, now) => {
    expect(isChanged(userWrote(unchanged(before), now), 'session')).toBe(false);
  });
});

describe('a changed file', () => {
  it.each<[string, FileContent, FileContent, object]>([
    ['new', noFile, text('a\nb\n'), { added: 2, removed: 0, hunks: 1 }],
    ['deleted', text('a\n'), noFile, { added: 0, removed: 1, hunks: 1 }],
    ['new and empty', noFile, text(''), { added: 0, removed: 0, hunks: 0 }],
    ['binary', binary('1'), text('a\n'), { added: 0, removed: 0, hunks: 0 }],
  ])('is counted: %s', (_, before, now, counts) => {
    const file = agentWrote(unchanged(before), now);
    expect(isChanged(file, 'session')).toBe(true);
    expect(countsOf(file, 'session')).toEqual(counts);
  });

  it('that is new is removed with its only hunk, or kept with it', () => {
    const file = agentWrote(unchanged(noFile), text('a\n'));
    const [hunk] = fileHunks(file, 'session');
    expect(rejectHunk(file, 'session', hunk).now).toEqual(noFile);
    expect(isChanged(keepHunk(file, hunk), 'session')).toBe(false);
  });
});

describe('rejecting in the scope of the session', () => {
  const first = agentWrote(unchanged(text('a\nb\nc\nd\n')), text('A\nb\nc\nd\n'));
  const file = agentWrote(beginTurn(first), text('A\nb\nc\nD\n'));

  it.each<[string, FileReview, number]>([
    ['a hunk', rejectHunk(file, 'session', fileHunks(file, 'session')[0]), 1],
    ['the whole file', rejectFile(file, 'session'), 0],
  ])('adds no change to the last turn: %s', (_, rejected, left) => {
    expect(fileHunks(rejected, 'turn')).toHaveLength(left);
    expect(isChanged(rejected, 'turn')).toBe(left > 0);
  });
});

describe('undoing a decision', () => {
  const before: FileReview = agentWrote(unchanged(text('a\nb\nc\nd\ne\n')), text('A\nb\nc\nd\nE\n'));
  const after = rejectHunk(before, 'session', fileHunks(before, 'session')[0]);

  it('keeps later changes', async () => {
    const since = userWrote(after, text('a\nb\nmine\nd\nE\n'));
    const back = (await undoDecision(since, before, after))!;
    expect([shown(back.now), shown(back.session)]).toEqual(['A\nb\nmine\nd\nE\n', 'a\nb\nmine\nd\ne\n']);
  });

  it('is refused if the same lines have changed since', async () => {
    expect(await undoDecision(userWrote(after, text('mine\nb\nc\nd\nE\n')), before, after)).toBeUndefined();
  });
});
