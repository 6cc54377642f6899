import { describe, expect } from 'vitest';
import { textPrompt } from '../../src/model/prompt.ts';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { type AgentHarness, it as withHarness } from '../support/agents/agent-harness.ts';
import { RemoteAgent } from '../support/agents/remote-agent.ts';
import { SinkDouble } from '../support/doubles/sink.ts';
import { waitFor } from '../support/wait.ts';

type Kind = 'http' | 'websocket';

const it = withHarness.extend<{ readonly remote: RemoteAgent }>({
  remote: async ({ task: _ }, use) => {
    const remote = new RemoteAgent();
    await remote.listen();
    await use(remote);
    await remote.die();
  },
});

function specOf(kind: Kind, url: string, fields: Partial<AgentSpec> = {}): AgentSpec {
  return { name: 'tester', command: [], env: {}, cwd: '/work', transport: kind, url, ...fields };
}

async function open(harness: AgentHarness, spec: AgentSpec) {
  const agent = harness.launch(spec);
  await agent.ready;
  const sink = new SinkDouble();
  const sessionId = await agent.openSession({ method: 'new', cwd: '/work' }, sink);
  return { agent, sink, sessionId, prompt: (text: string) => agent.prompt(sessionId, textPrompt(text)) };
}

describe.concurrent.for<Kind>(['websocket', 'http'])('an agent over %s', (kind) => {
  it('completes a handshake, a turn and a permission request', async ({ harness, remote }) => {
    const { agent, sink, prompt } = await open(harness, specOf(kind, remote.url(kind)));
    expect(await agent.ready).toMatchObject({ name: 'tester', title: 'remote' });
    expect(await prompt('ask')).toBe('end_turn');
    expect(sink.asked).toMatchObject([{ tool: { toolCallId: 't1' }, options: [{ id: 'ok' }, { id: 'no' }] }]);
    expect(sink.text).toBe('{"outcome":{"outcome":"selected","optionId":"ok"}}');
    await agent.end();
    expect(await agent.gone, 'it was our wish').toBeUndefined();
  });

  it('is not offered a terminal login', async ({ harness, remote }) => {
    await open(harness, specOf(kind, remote.url(kind)));
    expect(remote.hellos).toHaveLength(1);
    expect(remote.hellos[0]?.clientCapabilities).toMatchObject({ auth: { terminal: false } });
  });

  it('has all its updates delivered in order before the turn ends', async ({ harness, remote }) => {
    const { sink, prompt } = await open(harness, specOf(kind, remote.url(kind)));
    await prompt('count 3000');
    expect(sink.text).toBe(Array.from({ length: 3_000 }, (_, number) => `${number} `).join(''));
  });

  it('receives a cancel during a turn', async ({ harness, remote }) => {
    const { agent, sink, sessionId, prompt } = await open(harness, specOf(kind, remote.url(kind)));
    const turn = prompt('work');
    await waitFor(() => sink.text === 'working');
    agent.cancel(sessionId);
    expect(await turn).toBe('cancelled');
  });

  it('fails the turn when it dies, and works again after a restart', async ({ harness, remote }) => {
    const spec = specOf(kind, remote.url(kind));
    const { agent, sink, prompt } = await open(harness, spec);
    const turn = prompt('work');
    await waitFor(() => sink.text === 'working');
    await Promise.all([
      remote.die(),
      expect(turn).rejects.toMatchObject({
        code: 'agent_exited',
        message: 'remote closed the connection.',
        hint: ':AcpRestart connects again.',
      }),
    ]);
    expect(await agent.gone).toMatchObject({ code: 'agent_exited' });
    await expect(prompt('again')).rejects.toMatchObject({ code: 'agent_exited' });
    await remote.listen();
    const again = await open(harness, spec);
    expect(await again.prompt('count 1')).toBe('end_turn');
  });

  it('reports a closed connection when it has forgotten the connection', async ({ harness, remote }) => {
    const { agent, prompt } = await open(harness, specOf(kind, remote.url(kind)));
    await remote.forget();
    await expect(prompt('count 1')).rejects.toMatchObject({ message: 'remote closed the connection.' });
    await agent.end();
  });

  it('reports a closed connection when it shuts down during a turn', async ({ harness, remote }) => {
    const { sink, prompt } = await open(harness, specOf(kind, remote.url(kind)));
    const turn = prompt('work');
    await waitFor(() => sink.text === 'working');
    await Promise.all([
      remote.forget(),
      expect(turn).rejects.toMatchObject({ message: 'remote closed the connection.' }),
    ]);
  });

  it('receives the headers and its cookies, also on the next connection', async ({ harness, remote }) => {
    const spec = specOf(kind, remote.url(kind), { headers: { 'X-Key': 'hunter2', Cookie: 'mine=1' } });
    const { agent } = await open(harness, spec);
    await agent.end();
    const before = remote.requests.length;
    await open(harness, spec);
    expect(remote.requests.every((headers) => headers['x-key'] === 'hunter2')).toBe(true);
    expect(remote.requests[0]?.cookie).toBe('mine=1');
    expect(remote.requests[before]?.cookie).toMatch(/^affinity=\d+; mine=1$/);
  });

  it('receives the login of its url, which is never logged', async ({ harness, remote }) => {
    const url = remote.url(kind).replace('://', '://me:hunter2@').concat('?token=hunter3');
    const { agent } = await open(harness, specOf(kind, url, { headers: { 'X-Key': 'hunter4' } }));
    const login = Buffer.from('me:hunter2').toString('base64');
    expect(remote.requests[0]?.authorization).toBe(`Basic ${login}`);
    await remote.die();
    const death = await agent.gone;
    const told = JSON.stringify([harness.log.lines, death?.message, death?.hint, death?.detail]);
    expect(told).not.toMatch(/hunter|Basic/);
    expect(told).toContain('closed the connection');
  });

  it('can be ended before it was reached', async ({ harness, remote }) => {
    const agent = harness.launch(specOf(kind, remote.url(kind)));
    agent.ready.catch(() => undefined);
    await agent.end();
    expect(await agent.gone).toBeUndefined();
  });
});
