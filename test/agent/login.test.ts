import { describe, expect } from 'vitest';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { aScenario } from '../support/agents/session-scenario.ts';

const authRequired = -32000;

/** An agent that requires a login and offers these methods. */
async function atTheDoor(
  harness: AgentHarness,
  authMethods: readonly object[],
  spec: Partial<AgentSpec> = {},
) {
  const answers = { initialize: { protocolVersion: 1, authMethods }, 'session/new': undefined };
  const scenario = aScenario(harness, { answers, spec });
  scenario.session.start();
  const { agent } = scenario;
  agent.fail(await agent.receive('session/new'), authRequired, 'Who are you?');
  await scenario.phase('login');
  return scenario;
}

const text = (lines: readonly string[]) => lines.join('\n');

describe.concurrent('a login with an API key', () => {
  const method = { id: 'key', name: 'API key', _meta: { 'api-key': { provider: 'google' } } };
  const unset = { env: { GEMINI_API_KEY: '' } };

  it('asks for the key, starts the agent with it, and reports success', async ({ harness }) => {
    const scenario = await atTheDoor(harness, [method], { env: { ...harness.env, ...unset.env } });
    const { session, agent } = scenario;
    expect(await session.login.start('key')).toBe(false);
    expect(scenario.keysWanted).toEqual(['GEMINI_API_KEY']);
    expect(agent.count('authenticate')).toBe(0);
    const login = session.login.startWithKey('key', 'top-secret');
    agent.fail(await agent.receive('session/new'), authRequired, 'Which way?');
    agent.reply(await agent.receive('authenticate'), {});
    agent.reply(await agent.receive('session/new'), { sessionId: 's1' });
    expect(await login).toBe(true);
    await scenario.phase('idle');
    expect(scenario.launched.map(({ env }) => env.GEMINI_API_KEY)).toEqual(['', 'top-secret']);
    expect(text(scenario.chat)).toContain('You are logged in to');
    const written = [JSON.stringify(scenario.events), ...agent.lines, ...harness.log.lines];
    expect(written.join('\n')).not.toContain('top-secret');
  });

  it('uses a configured key', async ({ harness }) => {
    const env = { ...harness.env, GEMINI_API_KEY: 'configured' };
    const scenario = await atTheDoor(harness, [method], { env });
    const login = scenario.session.login.start('key');
    const { agent } = scenario;
    agent.reply(await agent.receive('authenticate'), {});
    agent.reply(await agent.receive('session/new'), { sessionId: 's1' });
    expect(await login).toBe(true);
    expect(scenario.keysWanted).toEqual([]);
  });
});

describe.concurrent('the hint after a failed login', () => {
  it('names the missing variable and where to set it', async ({ harness }) => {
    const scenario = await atTheDoor(harness, [{ id: 'own', name: 'Own' }]);
    const { agent, session } = scenario;
    const login = session.login.start('own');
    agent.fail(await agent.receive('authenticate'), -32603, 'CODEX_API_KEY or OPENAI_API_KEY is not set');
    expect(await login).toBe(false);
    expect(text(scenario.chat)).toContain('Set CODEX_API_KEY or OPENAI_API_KEY in agents.tester.env');
  });

  it('is the configured one if the agent does not implement the method', async ({ harness }) => {
    const login = ':AcpLogin, or run `agent login` in a terminal';
    const scenario = await atTheDoor(harness, [{ id: 'own', name: 'Own' }], { login });
    const { agent, session } = scenario;
    const answered = session.login.start('own');
    agent.fail(await agent.receive('authenticate'), -32603, 'Method not implemented.');
    expect(await answered).toBe(false);
    expect(text(scenario.chat)).toContain('Run `agent login` in a terminal; :AcpRestart tries again.');
  });

  it('is the configured one if the agent offers no login method', async ({ harness }) => {
    const scenario = await atTheDoor(harness, [], { login: 'run `agent login` in a terminal' });
    expect(text(scenario.chat)).toContain('Run `agent login` in a terminal; :AcpRestart tries again.');
    expect(text(scenario.chat)).not.toContain(':AcpLogin');
  });
});

describe.concurrent('a login in a terminal', () => {
  it('shows the whole command with the arguments of the agent before running it', async ({ harness }) => {
    const descriptor = { command: 'other', args: ['auth', 'login'], env: { PATH: '/evil' } };
    const method = { id: 'term', name: 'Log in', _meta: { 'terminal-auth': descriptor } };
    const scenario = await atTheDoor(harness, [method]);
    expect(await scenario.session.login.start('term')).toBe(false);
    // The agent is started through an interpreter, so the named program is another one.
    expect(scenario.logins).toMatchObject([{ command: ['other', 'auth', 'login'], isOther: true }]);
    expect(text(scenario.chat)).toContain(
      [
        '· To log in, this command runs in a terminal once you confirm it:',
        '  other auth login',
        `  in ${harness.folder}`,
        '  with PATH=/evil',
        '  This program is not the one that you configured for the agent.',
      ].join('\n'),
    );
    expect(scenario.agent.count('authenticate')).toBe(0);
  });
});
