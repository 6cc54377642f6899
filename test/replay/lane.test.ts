import { expect, it } from 'vitest';
import type { WireMessage } from '../support/piped-connection.ts';
import { aFolder } from '../support/temp.ts';
import { Performance, type Report } from './performance.ts';
import type { Life } from './recording.ts';

const opening: readonly ['c2a' | 'a2c', WireMessage][] = [
  ['c2a', { id: 0, method: 'initialize' }],
  ['a2c', { id: 0, result: { protocolVersion: 1 } }],
  ['c2a', { id: 1, method: 'session/new' }],
  ['a2c', { id: 1, result: { sessionId: 's' } }],
];
const permission = { sessionId: 's', toolCall: { toolCallId: 't' }, options: [] };

function play(...messages: readonly ['c2a' | 'a2c', WireMessage][]): Promise<Report> {
  const life: Life = [...opening, ...messages].map(([dir, msg], index) => ({ dir, msg, line: index + 1 }));
  return new Performance(life, aFolder(), { patienceMs: 300 }).run();
}

it('has nothing to report of a client that plays its part', async () => {
  expect(await play()).toMatchObject({
    played: [1, 2, 3, 4],
    unanswered: [],
    answeredAgain: [],
    unexpected: [],
  });
});

it('notices what the client does not send', async () => {
  const report = await play(['c2a', { id: 9, result: {} }], ['a2c', { method: 'after' }]);
  expect(report).toMatchObject({ stuckAt: 5, played: [1, 2, 3, 4] });
});

it('notices a request that the client does not answer', async () => {
  const report = await play(['a2c', { id: 7, method: 'session/request_permission', params: permission }]);
  expect(report.unanswered).toMatchObject([{ id: 7 }]);
});

it('ends by itself where the recorded agent did', async () => {
  const lines = [...opening.slice(0, 3)].map(([dir, msg], index) => ({ dir, msg, line: index + 1 }));
  const performance = new Performance([...lines, { dir: 'exit', code: 3, line: 4 }], aFolder());
  await performance.run();
  expect(performance.phase).toBe('down');
  expect(performance.text).toContain('recorded exited with code 3');
});
