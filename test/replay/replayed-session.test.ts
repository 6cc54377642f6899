import { expect, it } from 'vitest';
import type { WireMessage } from '../support/agents/piped-connection.ts';
import { aFolder } from '../support/system/temp.ts';
import type { ProcessRun } from './recording.ts';
import { ReplayedSession, type Report } from './replayed-session.ts';

const opening: readonly ['c2a' | 'a2c', WireMessage][] = [
  ['c2a', { id: 0, method: 'initialize' }],
  ['a2c', { id: 0, result: { protocolVersion: 1 } }],
  ['c2a', { id: 1, method: 'session/new' }],
  ['a2c', { id: 1, result: { sessionId: 's' } }],
];
const permission = { sessionId: 's', toolCall: { toolCallId: 't' }, options: [] };

function play(...messages: readonly ['c2a' | 'a2c', WireMessage][]): Promise<Report> {
  const run: ProcessRun = [...opening, ...messages].map(([dir, msg], index) => ({
    dir,
    msg,
    line: index + 1,
  }));
  return new ReplayedSession(run, aFolder(), { timeoutMs: 300 }).replay();
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
  const replayed = new ReplayedSession([...lines, { dir: 'exit', code: 3, line: 4 }], aFolder());
  await replayed.replay();
  expect(replayed.phase).toBe('down');
  expect(replayed.text).toContain('recorded exited with code 3');
});
