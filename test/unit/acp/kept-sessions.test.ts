import { expect, it } from 'vitest';
import { readKeptSessions } from '../../../src/acp/kept-sessions.ts';

/** An agent that answers with one page after the other, and what it was asked. */
function pages(...answers: readonly unknown[]) {
  const asked: object[] = [];
  const ask = (params: object) => {
    asked.push(params);
    return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1]);
  };
  return { ask, asked };
}

it('goes from page to page by the cursor, and says the folder each time', async () => {
  const { ask, asked } = pages(
    {
      sessions: [{ sessionId: 'a', cwd: '/w', title: 'One', updatedAt: '1970-01-01T00:00:01Z' }],
      nextCursor: 'x',
    },
    { sessions: [{ sessionId: 'b', cwd: '/w' }], nextCursor: null },
  );
  expect(await readKeptSessions(ask, '/w')).toEqual([
    { sessionId: 'a', cwd: '/w', title: 'One', updatedAt: 1_000 },
    { sessionId: 'b', cwd: '/w', title: undefined, updatedAt: undefined },
  ]);
  expect(asked).toEqual([{ cwd: '/w' }, { cwd: '/w', cursor: 'x' }]);
});

it('asks for all folders when none is named', async () => {
  const { ask, asked } = pages({ sessions: [] });
  await readKeptSessions(ask, undefined);
  expect(asked).toEqual([{}]);
});

it('stops at a cursor that comes again, and names no session twice', async () => {
  const { ask, asked } = pages({ sessions: [{ sessionId: 'a' }], nextCursor: 'x' });
  expect(await readKeptSessions(ask, undefined)).toHaveLength(1);
  expect(asked).toHaveLength(2);
});

it.each([null, 5, {}, { sessions: 'x' }, { sessions: [null, {}, { sessionId: 5 }] }])(
  'finds nothing in %j',
  async (page) => {
    const { ask } = pages(page);
    expect(await readKeptSessions(ask, undefined)).toEqual([]);
  },
);

it.each([
  ['New session - 2026-01-02T03:04:05.678Z', undefined],
  ['untitled', undefined],
  ['New Chat', undefined],
  [' ', undefined],
  ['New sessions in the archive', 'New sessions in the archive'],
])('takes "%s" for the title %s', async (title, expected) => {
  const { ask } = pages({ sessions: [{ sessionId: 'a', title }] });
  expect(await readKeptSessions(ask, undefined)).toMatchObject([{ title: expected }]);
});
