import { expect, it } from 'vitest';
import { listSessions } from '../../../../src/acp/decode/list-sessions.ts';

/** Answers with one page after the other and records the requests. */
function pages(...answers: readonly unknown[]) {
  const asked: object[] = [];
  const ask = (params: object) => {
    asked.push(params);
    return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1]);
  };
  return { ask, asked };
}

it('listSessions follows the cursor and sends the folder with every request', async () => {
  const { ask, asked } = pages(
    {
      sessions: [{ sessionId: 'a', cwd: '/w', title: 'One', updatedAt: '1970-01-01T00:00:01Z' }],
      nextCursor: 'x',
    },
    { sessions: [{ sessionId: 'b', cwd: '/w' }], nextCursor: null },
  );
  expect(await listSessions(ask, '/w')).toEqual([
    { sessionId: 'a', cwd: '/w', title: 'One', updatedAt: 1_000 },
    { sessionId: 'b', cwd: '/w', title: undefined, updatedAt: undefined },
  ]);
  expect(asked).toEqual([{ cwd: '/w' }, { cwd: '/w', cursor: 'x' }]);
});

it('listSessions sends no folder when all are wanted', async () => {
  const { ask, asked } = pages({ sessions: [] });
  await listSessions(ask, undefined);
  expect(asked).toEqual([{}]);
});

it('listSessions stops at a repeated cursor and lists no session twice', async () => {
  const { ask, asked } = pages({ sessions: [{ sessionId: 'a' }], nextCursor: 'x' });
  expect(await listSessions(ask, undefined)).toHaveLength(1);
  expect(asked).toHaveLength(2);
});

it.each([null, 5, {}, { sessions: 'x' }, { sessions: [null, {}, { sessionId: 5 }] }])(
  'finds nothing in %j',
  async (page) => {
    const { ask } = pages(page);
    expect(await listSessions(ask, undefined)).toEqual([]);
  },
);

it.each([
  ['New session - 2026-01-02T03:04:05.678Z', undefined],
  ['untitled', undefined],
  ['New Chat', undefined],
  [' ', undefined],
  ['New sessions in the archive', 'New sessions in the archive'],
])('listSessions decodes the title "%s" as %s', async (title, expected) => {
  const { ask } = pages({ sessions: [{ sessionId: 'a', title }] });
  expect(await listSessions(ask, undefined)).toMatchObject([{ title: expected }]);
});

it('listSessions ends after ten thousand sessions, and after a hundred pages', async () => {
  let page = 0;
  const ask = (perPage: number) => () => {
    page += 1;
    const sessions = Array.from({ length: perPage }, (_, index) => ({ sessionId: `${page} ${index}` }));
    return Promise.resolve({ sessions, nextCursor: `${page}` });
  };
  expect(await listSessions(ask(3_000), undefined)).toHaveLength(10_000);
  expect(page).toBe(4);
  expect(await listSessions(ask(1), undefined)).toHaveLength(100);
});
