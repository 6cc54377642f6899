import { describe, expect } from 'vitest';
import { textPrompt } from '../../../src/model/prompt.ts';
import { type AgentHarness, it } from '../../support/agents/agent-harness.ts';
import { startRemoteAgent } from '../../support/agents/remote-agent.ts';
import type { Answers } from '../../support/agents/scripted-agent.ts';
import { aScenario, aScriptedAgent, type SessionScenario } from '../../support/agents/session-scenario.ts';

const methods = [
  { id: 'plain', name: 'Plain' },
  { id: 'window', name: 'Window', type: 'terminal', args: ['--login'], env: { FLOW: 'device' } },
  { id: 'odd', name: 'Odd', type: 'env_var', vars: [{ name: 'KEY' }] },
];

function doors(capabilities: object = {}): Answers {
  return { initialize: { protocolVersion: 1, authMethods: methods, agentCapabilities: capabilities } };
}

const authRequired = -32000;

/** Makes the agent reject the next request of that method until the user has logged in. */
async function refuse(scenario: SessionScenario, method: string): Promise<void> {
  const request = await scenario.agent.receive(method);
  scenario.agent.fail(request, authRequired, 'Who are you?');
  await scenario.phase('login');
  expect(scenario.chat.join('\n')).toContain(':AcpLogin shows the ways to log in');
}

describe.concurrent('logging in', () => {
  it('AUTH-1: a method without a type is run by the agent', async ({ harness }) => {
    const { agent, spec } = aScriptedAgent(harness, { answers: { ...doors(), authenticate: {} } });
    const link = harness.launch(spec);
    const { authMethods = [] } = await link.ready;
    expect(authMethods.map(({ id, kind }) => [id, kind])).toEqual([
      ['plain', 'agent'],
      ['window', 'terminal'],
      ['odd', 'agent'],
    ]);
    await link.authenticate('plain');
    expect(agent.received.at(-1)).toMatchObject({ method: 'authenticate', params: { methodId: 'plain' } });
  });

  it.for(['window', 'unheard of', ''])(
    'AUTH-2: authenticate is sent only for methods that the agent runs, not for "%s"',
    async (methodId, { harness }) => {
      const scenario = aScenario(harness, { answers: { ...doors(), authenticate: {} } });
      await scenario.begin();
      const { session, agent } = scenario;
      expect(await session.login.start(methodId)).toBe(false);
      const link = session.lastLink!;
      await expect(link.agent.authenticate(methodId)).rejects.toMatchObject({ code: 'unsupported' });
      await agent.waitUntilProcessed();
      expect(agent.count('authenticate')).toBe(0);
    },
  );

  it.for(['session/new', 'session/load', 'session/resume', 'session/prompt'])(
    'AUTH-5: a request that needed a login is repeated after it: %s',
    async (method, { harness }) => {
      const how = method.slice('session/'.length);
      const capabilities = how === 'load' ? { loadSession: true } : { sessionCapabilities: { resume: {} } };
      const answers = { ...doors(capabilities), authenticate: {}, [method]: undefined };
      const scenario = aScenario(harness, { answers });
      const { agent, session } = scenario;
      if (how === 'load' || how === 'resume') session.continueSession('s1');
      session.send(textPrompt('go'));
      await refuse(scenario, method);
      const login = session.login.start('plain');
      const again = await agent.receive(method);
      expect(again.params).toEqual(agent.received.find((message) => message.method === method)?.params);
      agent.reply(again, how === 'prompt' ? { stopReason: 'end_turn' } : { sessionId: 's1' });
      if (how !== 'prompt') agent.reply(await agent.receive('session/prompt'), { stopReason: 'end_turn' });
      await scenario.phase('idle');
      expect(await login).toBe(true);
      const order = agent.receivedMethods.filter((word) => word === method || word === 'authenticate');
      expect(order).toEqual([method, 'authenticate', method]);
      expect(scenario.returned).toEqual([]);
    },
  );

  it('a setting that needed a login is applied after it, also after a terminal login', async ({
    harness,
  }) => {
    const availableModes = ['ask', 'act'].map((id) => ({ id, name: id }));
    const opened = { sessionId: 's1', modes: { currentModeId: 'ask', availableModes } };
    const scenario = aScenario(harness, { answers: { ...doors(), 'session/new': opened } });
    const { agent, session } = scenario;
    await scenario.begin();
    void session.changeSetting('mode', 'act');
    agent.fail(await agent.receive('session/set_mode'), authRequired);
    await scenario.until(() => scenario.chat.join('\n').includes(':AcpLogin'), 'wish');
    expect(await session.login.start('window')).toBe(false);
    expect(scenario.logins).toMatchObject([
      { id: 'window', command: [...scenario.spec.command, '--login'], env: { FLOW: 'device' } },
    ]);
    expect(await session.login.finishInTerminal(0)).toBe(true);
    expect((await agent.receive('session/set_mode')).params).toEqual({ sessionId: 's1', modeId: 'act' });
    expect(agent.starts).toBe(2);
  });

  it('AUTH-6: logout is sent only if it is offered', async ({ harness }) => {
    const { agent, spec } = aScriptedAgent(harness, { answers: doors({ auth: { logout: null } }) });
    const link = harness.launch(spec);
    await expect(link.logout()).rejects.toMatchObject({ code: 'unsupported' });
    await agent.waitUntilProcessed();
    expect(agent.receivedMethods).toEqual(['initialize']);
  });

  it('AUTH-7: the next prompt after a logout asks for a login and is sent after it', async ({ harness }) => {
    const answers = { ...doors({ auth: { logout: {} } }), logout: {}, authenticate: {} };
    const scenario = aScenario(harness, { answers });
    const { agent, session } = scenario;
    await scenario.begin();
    await session.login.logout();
    expect(scenario.chat.join('\n')).toContain('Logged out.\n  :AcpLogin logs in again.');
    session.send(textPrompt('still there?'));
    await refuse(scenario, 'session/prompt');
    await session.login.start('plain');
    const { id, params } = await agent.receive('session/prompt');
    expect(params.prompt).toEqual([{ type: 'text', text: 'still there?' }]);
    agent.reply({ id }, { stopReason: 'end_turn' });
    await scenario.phase('idle');
  });
});

// Not concurrent: the remote agent ends with the running test.
describe('advertising a login', () => {
  it('AUTH-3: terminal logins are offered to local agents only', async ({ harness }) => {
    const here = await helloOf(harness);
    expect(here).toMatchObject({ auth: { terminal: true } });
    const remote = await startRemoteAgent();
    const spec = { name: 'far', command: [], env: {}, cwd: harness.folder };
    const link = harness.launch({ ...spec, transport: 'websocket', url: remote.url('websocket') });
    await link.ready;
    const [there] = link.traffic.since(0);
    expect(there?.message).toMatchObject({ method: 'initialize', params: { clientCapabilities: {} } });
    expect(there?.message).not.toHaveProperty('params.clientCapabilities.auth');
  });
});

async function helloOf(harness: AgentHarness): Promise<unknown> {
  const { agent, spec } = aScriptedAgent(harness);
  await harness.launch(spec).ready;
  return (await agent.until(() => agent.received[0], 'initialize')).params.clientCapabilities;
}
