import { describe, expect } from 'vitest';
import { it, type Workshop } from '../../support/agent-it.ts';
import { aPuppet, type Encounter, meet } from '../../support/encounter.ts';
import type { Answers } from '../../support/puppet.ts';
import { startRemoteAgent } from '../../support/remote-agent.ts';

const methods = [
  { id: 'plain', name: 'Plain' },
  { id: 'window', name: 'Window', type: 'terminal', args: ['--login'], env: { FLOW: 'device' } },
  { id: 'odd', name: 'Odd', type: 'env_var', vars: [{ name: 'KEY' }] },
];

function doors(capabilities: object = {}): Answers {
  return { initialize: { protocolVersion: 1, authMethods: methods, agentCapabilities: capabilities } };
}

const authRequired = -32000;

/** Lets the agent refuse the next request of that name until the user has logged in. */
async function refuse(encounter: Encounter, method: string): Promise<void> {
  const request = await encounter.agent.hears(method);
  encounter.agent.fail(request, authRequired, 'Who are you?');
  await encounter.phase('login');
  expect(encounter.chat.join('\n')).toContain(':AcpLogin shows the ways to log in');
}

describe.concurrent('logging in', () => {
  it('AUTH-1: a method without a type is driven by the agent', async ({ workshop }) => {
    const { agent, spec } = await aPuppet(workshop, { answers: { ...doors(), authenticate: {} } });
    const link = workshop.launch(spec);
    const { authMethods = [] } = await link.ready;
    expect(authMethods.map(({ id, kind }) => [id, kind])).toEqual([
      ['plain', 'agent'],
      ['window', 'terminal'],
      ['odd', 'agent'],
    ]);
    await link.authenticate('plain');
    expect(agent.heard.at(-1)).toMatchObject({ method: 'authenticate', params: { methodId: 'plain' } });
  });

  it.for(['window', 'unheard of', ''])(
    'AUTH-2: authenticate is never sent for what is not the agent’s to do: "%s"',
    async (methodId, { workshop }) => {
      const encounter = await meet(workshop, { answers: { ...doors(), authenticate: {} } });
      await encounter.begin();
      const { session, agent } = encounter;
      expect(await session.login(methodId)).toBe(false);
      const link = session.lastLink!;
      await expect(link.authenticate(methodId)).rejects.toMatchObject({ code: 'unsupported' });
      await agent.isUnderstood();
      expect(agent.count('authenticate')).toBe(0);
    },
  );

  it.for(['session/new', 'session/load', 'session/resume', 'session/prompt'])(
    'AUTH-5: what a login was missing for is asked again after it: %s',
    async (method, { workshop }) => {
      const how = method.slice('session/'.length);
      const capabilities = how === 'load' ? { loadSession: true } : { sessionCapabilities: { resume: {} } };
      const answers = { ...doors(capabilities), authenticate: {}, [method]: undefined };
      const encounter = await meet(workshop, { answers });
      const { agent, session } = encounter;
      if (how === 'load' || how === 'resume') session.goOnWith('s1');
      session.send('go');
      await refuse(encounter, method);
      const login = session.login('plain');
      const again = await agent.hears(method);
      expect(again.params).toEqual(agent.heard.find((message) => message.method === method)?.params);
      agent.reply(again, how === 'prompt' ? { stopReason: 'end_turn' } : { sessionId: 's1' });
      if (how !== 'prompt') agent.reply(await agent.hears('session/prompt'), { stopReason: 'end_turn' });
      await encounter.phase('idle');
      expect(await login).toBe(true);
      const order = agent.words.filter((word) => word === method || word === 'authenticate');
      expect(order).toEqual([method, 'authenticate', method]);
      expect(encounter.returned).toEqual([]);
    },
  );

  it('what was to be set when a login was missing is set after it, in a terminal too', async ({
    workshop,
  }) => {
    const availableModes = ['ask', 'act'].map((id) => ({ id, name: id }));
    const opened = { sessionId: 's1', modes: { currentModeId: 'ask', availableModes } };
    const encounter = await meet(workshop, { answers: { ...doors(), 'session/new': opened } });
    const { agent, session } = encounter;
    await encounter.begin();
    void session.change('mode', 'act');
    agent.fail(await agent.hears('session/set_mode'), authRequired);
    await encounter.until(() => encounter.chat.join('\n').includes(':AcpLogin'), 'wish');
    expect(await session.login('window')).toBe(false);
    expect(encounter.logins).toMatchObject([
      { id: 'window', command: [...encounter.spec.command, '--login'], env: { FLOW: 'device' } },
    ]);
    expect(await session.loginEnded(0)).toBe(true);
    expect((await agent.hears('session/set_mode')).params).toEqual({ sessionId: 's1', modeId: 'act' });
    expect(agent.starts).toBe(2);
  });

  it('AUTH-6: logout is sent only where it is offered', async ({ workshop }) => {
    const { agent, spec } = await aPuppet(workshop, { answers: doors({ auth: { logout: null } }) });
    const link = workshop.launch(spec);
    await expect(link.logout()).rejects.toMatchObject({ code: 'unsupported' });
    await agent.isUnderstood();
    expect(agent.words).toEqual(['initialize']);
  });

  it('AUTH-7: after a logout the next prompt asks for a login, and is sent after it', async ({
    workshop,
  }) => {
    const answers = { ...doors({ auth: { logout: {} } }), logout: {}, authenticate: {} };
    const encounter = await meet(workshop, { answers });
    const { agent, session } = encounter;
    await encounter.begin();
    await session.logout();
    expect(encounter.chat.join('\n')).toContain('Logged out.\n  :AcpLogin logs in again.');
    session.send('still there?');
    await refuse(encounter, 'session/prompt');
    await session.login('plain');
    const { id, params } = await agent.hears('session/prompt');
    expect(params.prompt).toEqual([{ type: 'text', text: 'still there?' }]);
    agent.reply({ id }, { stopReason: 'end_turn' });
    await encounter.phase('idle');
  });
});

// A remote agent ends with the test that runs, so that may be only one.
describe('advertising a login', () => {
  it('AUTH-3: a terminal is offered to an agent we start, and to none elsewhere', async ({ workshop }) => {
    const here = await helloOf(workshop);
    expect(here).toMatchObject({ auth: { terminal: true } });
    const remote = await startRemoteAgent();
    const spec = { name: 'far', command: [], env: {}, cwd: workshop.folder };
    const link = workshop.launch({ ...spec, transport: 'websocket', url: remote.url('websocket') });
    await link.ready;
    const [there] = link.traffic.since(0);
    expect(there?.message).toMatchObject({ method: 'initialize', params: { clientCapabilities: {} } });
    expect(there?.message).not.toHaveProperty('params.clientCapabilities.auth');
  });
});

async function helloOf(workshop: Workshop): Promise<unknown> {
  const { agent, spec } = await aPuppet(workshop);
  await workshop.launch(spec).ready;
  return (await agent.until(() => agent.heard[0], 'initialize')).params.clientCapabilities;
}
