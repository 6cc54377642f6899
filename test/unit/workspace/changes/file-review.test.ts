import { describe, expect, it } from 'vitest';
import {
  agentWrote,
  beginTurn,
  countsOf,
  type FileReview,
  fileHunks,
  isChanged,
  keepHunk,
  none,
  rejectFile,
  rejectHunk,
  type Side,
  unchanged,
  undone,
  userWrote,
} from '../../../../src/workspace/changes/file-review.ts';
import { linesOf } from '../../../../src/workspace/changes/lines.ts';

const text = (content: string): Side => ({ kind: 'text', lines: linesOf(content) });
const binary = (blob: string): Side => ({ kind: 'binary', blob, file: 'file' });
const shown = (side: Side) =>
  side.kind === 'text' ? side.lines.join('') : side.kind === 'none' ? undefined : `binary ${side.blob}`;

describe('what the user writes in a file that the agent changed', () => {
  it.each<[string, Side, Side, Side, string | undefined]>([
    ['a line in a new file stays when the rest is rejected', none, text('a\n'), text('a\nmine\n'), 'mine\n'],
    ['nothing in a new file: it goes when it is rejected', none, text('a\n'), text('a\n'), undefined],
    ['in the agent’s own line goes with it', text('a\n'), text('b\n'), text('c\n'), 'a\n'],
    ['a file that the agent deleted, again', text('a\n'), none, text('mine\n'), 'a\nmine\n'],
    ['over a binary file is the agent’s all the same', binary('1'), binary('2'), binary('3'), 'binary 1'],
    ['no end of the last line', text('a\nb\n'), text('A\nb\n'), text('A\nb'), 'a\nb'],
    [
      'other ends of the lines the agent left alone',
      text('a\nb\n'),
      text('A\nb\n'),
      text('A\nb\r\n'),
      'a\nb\r\n',
    ],
  ])('%s', (_, before, agent, user, rejected) => {
    const file = userWrote(agentWrote(unchanged(before), agent), user);
    expect(shown(rejectFile(file, 'session').now)).toBe(rejected);
  });

  it.each<[string, Side, Side]>([
    ['a text', text('a\n'), text('b\n')],
    ['a new file', none, text('b\n')],
    ['a file that is gone', text('a\n'), none],
    ['a binary file', binary('1'), binary('2')],
  ])('is no change of the agent’s where the agent did nothing: %s', (_, before, now) => {
    expect(isChanged(userWrote(unchanged(before), now), 'session')).toBe(false);
  });
});

describe('a file as a whole', () => {
  it.each<[string, Side, Side, object]>([
    ['new', none, text('a\nb\n'), { added: 2, removed: 0, hunks: 1 }],
    ['deleted', text('a\n'), none, { added: 0, removed: 1, hunks: 1 }],
    ['new and empty', none, text(''), { added: 0, removed: 0, hunks: 0 }],
    ['binary', binary('1'), text('a\n'), { added: 0, removed: 0, hunks: 0 }],
  ])('is counted: %s', (_, before, now, counts) => {
    const file = agentWrote(unchanged(before), now);
    expect(isChanged(file, 'session')).toBe(true);
    expect(countsOf(file, 'session')).toEqual(counts);
  });

  it('is not there any more when its only hunk is rejected, and is kept when that is kept', () => {
    const file = agentWrote(unchanged(none), text('a\n'));
    const [hunk] = fileHunks(file, 'session');
    expect(rejectHunk(file, 'session', hunk).now).toEqual(none);
    expect(isChanged(keepHunk(file, hunk), 'session')).toBe(false);
  });
});

describe('what is rejected of the whole session', () => {
  const first = agentWrote(unchanged(text('a\nb\nc\nd\n')), text('A\nb\nc\nd\n'));
  const file = agentWrote(beginTurn(first), text('A\nb\nc\nD\n'));

  it.each<[string, FileReview, number]>([
    ['a hunk', rejectHunk(file, 'session', fileHunks(file, 'session')[0]), 1],
    ['all of the file', rejectFile(file, 'session'), 0],
  ])('is no change of the last turn: %s', (_, rejected, left) => {
    expect(fileHunks(rejected, 'turn')).toHaveLength(left);
    expect(isChanged(rejected, 'turn')).toBe(left > 0);
  });
});

describe('taking back a decision', () => {
  const before: FileReview = agentWrote(unchanged(text('a\nb\nc\nd\ne\n')), text('A\nb\nc\nd\nE\n'));
  const after = rejectHunk(before, 'session', fileHunks(before, 'session')[0]);

  it('leaves what was done since', async () => {
    const since = userWrote(after, text('a\nb\nmine\nd\nE\n'));
    const back = (await undone(since, before, after))!;
    expect([shown(back.now), shown(back.session)]).toEqual(['A\nb\nmine\nd\nE\n', 'a\nb\nmine\nd\ne\n']);
  });

  it('is not possible where the same lines were changed since', async () => {
    expect(await undone(userWrote(after, text('mine\nb\nc\nd\nE\n')), before, after)).toBeUndefined();
  });
});
