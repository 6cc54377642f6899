import { describe, expect, it } from 'vitest';
import { AcpError } from '../../../../src/base/errors.ts';
import type { PermissionRequest } from '../../../../src/ports/agent.ts';
import type { Conflict } from '../../../../src/ports/workspace.ts';
import { ConflictQuestions } from '../../../../src/session/questions/conflict-questions.ts';
import { Deferred } from '../../../support/doubles/deferred.ts';

const clash = { kind: 'conflict', ours: ['mine'], base: ['b'], theirs: ['theirs'] } as const;
const settled = { kind: 'settled', lines: ['same'] } as const;

function aConflict(fields: Partial<Conflict> = {}): Conflict {
  const regions = [settled, clash];
  return { path: '/work/a', cause: 'agent', ours: ['mine'], theirs: ['theirs'], regions, ...fields };
}

function someConflicts() {
  const asked: PermissionRequest[] = [];
  const answers: Deferred<string | undefined>[] = [];
  const closed: unknown[] = [];
  const conflicts = new ConflictQuestions({
    ask: (request, onAsked) => {
      asked.push(request);
      const answer = new Deferred<string | undefined>();
      answers.push(answer);
      onAsked(answers.length);
      return answer.promise;
    },
    close: (questionId, optionId, answer) => {
      closed.push([questionId, optionId, answer]);
      answers[questionId - 1]?.resolve(optionId);
    },
  });
  const ask = (conflict: Conflict, withdrawn = new AbortController().signal) =>
    conflicts.ask(conflict, withdrawn);
  return { conflicts, ask, asked, answers, closed };
}

describe('the question about a conflict', () => {
  const askedAbout = (fields: Partial<Conflict>) => {
    const { ask, asked } = someConflicts();
    void ask(aConflict(fields));
    return asked[0]!;
  };
  const reasonOf = (fields: Partial<Conflict>) => askedAbout(fields).tool.content;

  it('is about an edit of the file, which the agent reports itself', () => {
    expect(askedAbout({}).tool).toMatchObject({ title: '/work/a', toolKind: 'edit', isAskedOnly: true });
    expect(askedAbout({}).tool.toolCallId).toMatch(/^conflict [\da-f-]{36}$/);
  });

  it('says that the agent changed the same lines', () => {
    expect(reasonOf({})).toEqual([
      {
        kind: 'text',
        text: 'You and the agent changed the same lines, in one place. Nothing is written until you choose.',
      },
    ]);
  });

  it('says that the lines changed on disk, and in how many places', () => {
    expect(reasonOf({ cause: 'disk', regions: [clash, settled, clash] })).toEqual([
      {
        kind: 'text',
        text: 'You have unsaved changes in lines that changed on disk, in 2 places. The buffer stays as it is until you choose.',
      },
    ]);
  });

  it('offers to reject what the agent wants to write', () => {
    expect(askedAbout({}).options).toEqual([
      { id: 'ours', name: 'Keep mine', kind: 'other' },
      { id: 'theirs', name: 'Take theirs', kind: 'other' },
      { id: 'both', name: 'Keep both, mine first', kind: 'other' },
      { id: 'refuse', name: 'Reject the change', kind: 'reject_once' },
    ]);
    expect(askedAbout({}).isOurs).toBe(false);
  });

  it('can not reject what is on disk already', () => {
    expect(askedAbout({ cause: 'disk' }).options).toEqual([
      { id: 'ours', name: 'Keep mine', kind: 'other' },
      { id: 'theirs', name: 'Use the version on disk', kind: 'other' },
      { id: 'both', name: 'Keep both, mine first', kind: 'other' },
      { id: 'refuse', name: 'Leave buffer and file as they are', kind: 'other' },
    ]);
    expect(askedAbout({ cause: 'disk' }).isOurs).toBe(true);
  });
});

describe('the answer', () => {
  it.each([
    ['ours', ['same', 'mine']],
    ['theirs', ['same', 'theirs']],
    ['both', ['same', 'mine', 'theirs']],
    ['refuse', undefined],
  ])('"%s" gives the lines %j', async (answer, lines) => {
    const { conflicts, ask, answers } = someConflicts();
    const conflict = aConflict();
    const resolved = ask(conflict);
    expect(conflicts.conflictOf(1)).toBe(conflict);
    answers[0]!.resolve(answer);
    expect(await resolved).toEqual(lines);
    expect(conflicts.conflictOf(1)).toBeUndefined();
  });

  it('may be the lines of the merge window, for one of two conflicts', async () => {
    const { conflicts, ask, answers, closed } = someConflicts();
    const [one, other] = [ask(aConflict()), ask(aConflict({ path: '/work/b' }))];
    expect(conflicts.isMerged(2)).toBe(false);
    conflicts.resolveWithLines(2, ['by hand']);
    expect([1, 2].map((id) => conflicts.isMerged(id))).toEqual([false, true]);
    expect(closed).toEqual([[2, 'merged', 'merged by hand']]);
    expect(await other).toEqual(['by hand']);
    answers[0]!.resolve('theirs');
    expect(await one).toEqual(['same', 'theirs']);
  });

  it('from the merge window to a question that is no longer open is ignored', () => {
    const { conflicts, closed } = someConflicts();
    conflicts.resolveWithLines(1, ['x']);
    expect(conflicts.isMerged(1)).toBe(false);
    expect(closed).toEqual([]);
  });
});

describe('a conflict question without an answer', () => {
  const superseded = () => new AcpError('superseded', 'newer');

  async function askAndWithdraw(reason?: AcpError) {
    const parts = someConflicts();
    const withdrawal = new AbortController();
    const resolved = parts.ask(aConflict(), withdrawal.signal);
    withdrawal.abort(reason);
    parts.answers[0]!.resolve(undefined);
    await expect(resolved).rejects.toMatchObject({
      code: 'cancelled',
      message: 'the question about /work/a was cancelled before the user answered',
    });
    return parts;
  }

  it('is cancelled', async () => {
    const { conflicts } = await askAndWithdraw();
    expect(conflicts.conflictOf(1)).toBeUndefined();
  });

  it('is followed by one of the same call if a newer version replaces it, and only once', async () => {
    const { ask, asked } = await askAndWithdraw(superseded());
    for (let times = 0; times < 2; times += 1) void ask(aConflict());
    const [first, next, later] = asked.map(({ tool }) => tool.toolCallId);
    expect(next).toBe(first);
    expect(later).not.toBe(first);
  });

  it('is followed by one of another call if it was withdrawn for another reason', async () => {
    const { ask, asked } = await askAndWithdraw();
    void ask(aConflict());
    expect(asked[1]!.tool.toolCallId).not.toBe(asked[0]!.tool.toolCallId);
  });

  it('lends its call to no other file', async () => {
    const { ask, asked } = await askAndWithdraw(superseded());
    void ask(aConflict({ path: '/work/b' }));
    expect(asked[1]!.tool.toolCallId).not.toBe(asked[0]!.tool.toolCallId);
  });
});
