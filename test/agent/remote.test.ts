import { describe, expect } from 'vitest';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { SinkDouble, type Workshop, it as withWorkshop } from '../support/agent-it.ts';
import { RemoteAgent } from '../support/remote-agent.ts';
import { waitFor } from '../support/wait.ts';

type Kind = 'http' | 'websocket';

const it = withWorkshop.extend<{ readonly remote: RemoteAgent }>({
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

async function open(workshop: Workshop, spec: AgentSpec) {
  const agent = workshop.launch(spec);
  await agent.ready;
  const sink = new SinkDouble();
  const sessionId = await agent.openSession({ how: 'new', cwd: '/work' }, sink);
  return { agent, sink, sessionId, prompt: (text: string) => agent.prompt(sessionId, text) };
}

describe.concurrent.for<Kind>(['websocket', 'http'])('an agent over %s', (kind) => {
  it('is greeted, asked and answered', async ({ workshop, remote }) => {
    const { agent, sink, prompt } = await open(workshop, specOf(kind, remote.url(kind)));
    expect(await agent.ready).toMatchObject({ name: 'tester', title: 'remote' });
    expect(await prompt('ask')).toBe('end_turn');
    expect(sink.asked).toMatchObject([{ tool: { toolCallId: 't1' }, options: [{ id: 'ok' }, { id: 'no' }] }]);
    expect(sink.text).toBe('{"outcome":{"outcome":"selected","optionId":"ok"}}');
    await agent.end();
    expect(await agent.gone, 'it was our wish').toBeUndefined();
  });

  it('is not offered a login in a terminal of ours', async ({ workshop, remote }) => {
    await open(workshop, specOf(kind, remote.url(kind)));
    expect(remote.hellos).toHaveLength(1);
    expect(remote.hellos[0]?.clientCapabilities).toMatchObject({ auth: { terminal: false } });
  });

  it('has all its reports delivered in order before the turn ends', async ({ workshop, remote }) => {
    const { sink, prompt } = await open(workshop, specOf(kind, remote.url(kind)));
    await prompt('count 3000');
    expect(sink.text).toBe(Array.from({ length: 3_000 }, (_, number) => `${number} `).join(''));
  });

  it('is told of a cancel while it works', async ({ workshop, remote }) => {
    const { agent, sink, sessionId, prompt } = await open(workshop, specOf(kind, remote.url(kind)));
    const turn = prompt('work');
    await waitFor(() => sink.text === 'working');
    agent.cancel(sessionId);
    expect(await turn).toBe('cancelled');
  });

  it('that dies in a turn fails it, and is there again after a restart', async ({ workshop, remote }) => {
    const spec = specOf(kind, remote.url(kind));
    const { agent, sink, prompt } = await open(workshop, spec);
    const turn = prompt('work');
    await waitFor(() => sink.text === 'working');
    await Promise.all([
      remote.die(),
      expect(turn).rejects.toMatchObject({
        code: 'agent_exited',
        message: 'tester closed the connection.',
        hint: ':AcpRestart connects again.',
      }),
    ]);
    expect(await agent.gone).toMatchObject({ code: 'agent_exited' });
    await expect(prompt('again')).rejects.toMatchObject({ code: 'agent_exited' });
    await remote.listen();
    const again = await open(workshop, spec);
    expect(await again.prompt('count 1')).toBe('end_turn');
  });

  it('that knows us no more has closed the connection', async ({ workshop, remote }) => {
    const { agent, prompt } = await open(workshop, specOf(kind, remote.url(kind)));
    await remote.forget();
    await expect(prompt('count 1')).rejects.toMatchObject({ message: 'tester closed the connection.' });
    await agent.end();
  });

  it('that shuts down in order in the middle of a turn has closed the connection, too', async ({
    workshop,
    remote,
  }) => {
    const { sink, prompt } = await open(workshop, specOf(kind, remote.url(kind)));
    const turn = prompt('work');
    await waitFor(() => sink.text === 'working');
    await Promise.all([
      remote.forget(),
      expect(turn).rejects.toMatchObject({ message: 'tester closed the connection.' }),
    ]);
  });

  it('gets the headers, and its cookies back, also by the next connection', async ({ workshop, remote }) => {
    const spec = specOf(kind, remote.url(kind), { headers: { 'X-Key': 'hunter2', Cookie: 'mine=1' } });
    const { agent } = await open(workshop, spec);
    await agent.end();
    const before = remote.requests.length;
    await open(workshop, spec);
    expect(remote.requests.every((headers) => headers['x-key'] === 'hunter2')).toBe(true);
    expect(remote.requests[0]?.cookie).toBe('mine=1');
    expect(remote.requests[before]?.cookie).toMatch(/^affinity=\d+; mine=1$/);
  });

  it('gets the login in its url, which is never logged', async ({ workshop, remote }) => {
    const url = remote.url(kind).replace('://', '://me:hunter2@').concat('?token=hunter3');
    const { agent } = await open(workshop, specOf(kind, url, { headers: { 'X-Key': 'hunter4' } }));
    const login = Buffer.from('me:hunter2').toString('base64');
    expect(remote.requests[0]?.authorization).toBe(`Basic ${login}`);
    await remote.die();
    const death = await agent.gone;
    const told = JSON.stringify([workshop.log.lines, death?.message, death?.hint, death?.detail]);
    expect(told).not.toMatch(/hunter|Basic/);
    expect(told).toContain('closed the connection');
  });

  it('ends when it is asked to before it was reached', async ({ workshop, remote }) => {
    const agent = workshop.launch(specOf(kind, remote.url(kind)));
    agent.ready.catch(() => undefined);
    await agent.end();
    expect(await agent.gone).toBeUndefined();
  });
});
