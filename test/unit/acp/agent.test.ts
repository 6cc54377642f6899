import { describe, expect, it } from 'vitest';
import { textPrompt } from '../../../src/model/prompt.ts';
import { MemoryAgent } from '../../support/agents/memory-agent.ts';
import { answer, chunk, notification, request } from '../../support/dialects/dialect-harness.ts';
import { settle } from '../../support/doubles/deferred.ts';
import { LogDouble } from '../../support/doubles/log.ts';
import { SinkDouble } from '../../support/doubles/sink.ts';

const nasty = { toString: 5, valueOf: 5 };

async function aSession() {
  const log = new LogDouble();
  const peer = new MemoryAgent(log);
  const sink = new SinkDouble();
  await peer.agent.ready;
  await peer.agent.openSession({ method: 'new', cwd: '/work' }, sink);
  return { log, peer, sink, prompt: () => peer.agent.prompt('s1', textPrompt('go')) };
}

describe('Agent', () => {
  it('ignores an update whose session id is an object', async () => {
    const { log, peer, sink } = await aSession();
    peer.send(
      notification('session/update', { sessionId: nasty, update: chunk('lost') }),
      request(1, 'session/request_permission', {
        sessionId: nasty,
        toolCall: { toolCallId: 'c' },
        options: [],
      }),
      notification('session/update', { sessionId: 's1', update: chunk('found') }),
    );
    await settle(10);
    expect(sink.text).toBe('found');
    expect(peer.written.at(-1)).toMatchObject({ id: 1, result: { outcome: { optionId: 'ok' } } });
    expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['a number', { code: -32603, message: 5 }],
    ['an object', { code: -32603, message: nasty }],
    ['missing', { code: -32603 }],
  ])('reports an error whose message is %s', async (_, error) => {
    const { peer, prompt } = await aSession();
    const failure = prompt().catch((reason: unknown) => reason);
    await settle();
    peer.send({ ...answer(2, undefined), error });
    expect(await failure).toMatchObject({
      code: 'agent_error',
      message: 'tester reports an error: code -32603',
    });
  });

  it.each([undefined, null, '-32000', {}])(
    'does not ask for a login when the code of an error is %j',
    async (code) => {
      const { peer, prompt } = await aSession();
      const failure = prompt().catch((reason: unknown) => reason);
      await settle();
      peer.send({ ...answer(2, undefined), error: { code, message: 'no' } });
      expect(await failure).toMatchObject({ code: 'agent_error', message: 'tester reports an error: no' });
    },
  );
});
