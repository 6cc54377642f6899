import { describe, expect, it } from 'vitest';
import { SinkDouble } from '../../support/agent-it.ts';
import { LogDouble, settle } from '../../support/doubles.ts';
import { MemoryAgent } from '../../support/memory-agent.ts';
import { answer, chunk, notification, request } from './dialects/talk.ts';

const nasty = { toString: 5, valueOf: 5 };

async function aSession() {
  const log = new LogDouble();
  const peer = new MemoryAgent(log);
  const sink = new SinkDouble();
  await peer.agent.ready;
  await peer.agent.openSession({ how: 'new', cwd: '/work' }, sink);
  return { log, peer, sink, prompt: () => peer.agent.prompt('s1', 'go') };
}

describe('an agent', () => {
  it('may name a session by what can be no name', async () => {
    const { log, peer, sink } = await aSession();
    peer.say(
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
    ['no text', { code: -32603, message: 5 }],
    ['no text at all', { code: -32603, message: nasty }],
    ['nothing', { code: -32603 }],
  ])('may give as the message of an error %s', async (_, error) => {
    const { peer, prompt } = await aSession();
    const failure = prompt().catch((reason: unknown) => reason);
    await settle();
    peer.say({ ...answer(2, undefined), error });
    expect(await failure).toMatchObject({
      code: 'agent_error',
      message: 'tester reports an error: code -32603',
    });
  });

  it.each([undefined, null, '-32000', {}])(
    'may give an error the code %j, which asks for no login',
    async (code) => {
      const { peer, prompt } = await aSession();
      const failure = prompt().catch((reason: unknown) => reason);
      await settle();
      peer.say({ ...answer(2, undefined), error: { code, message: 'no' } });
      expect(await failure).toMatchObject({ code: 'agent_error', message: 'tester reports an error: no' });
    },
  );
});
