import { describe, expect } from 'vitest';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { it, type Workshop } from '../support/agent-it.ts';
import { meet } from '../support/encounter.ts';

const authRequired = -32000;

/** An agent that wants a login and offers these ways. */
async function atTheDoor(workshop: Workshop, authMethods: readonly object[], spec: Partial<AgentSpec> = {}) {
  const answers = { initialize: { protocolVersion: 1, authMethods }, 'session/new': undefined };
  const encounter = await meet(workshop, { answers, spec });
  encounter.session.start();
  const { agent } = encounter;
  agent.fail(await agent.hears('session/new'), authRequired, 'Who are you?');
  await encounter.phase('login');
  return encounter;
}

const text = (lines: readonly string[]) => lines.join('\n');

describe.concurrent('a login with a key', () => {
  const method = { id: 'key', name: 'API key', _meta: { 'api-key': { provider: 'google' } } };
  const unset = { env: { GEMINI_API_KEY: '' } };

  it('asks for the key, starts the agent with it, and says that it worked', async ({ workshop }) => {
    const encounter = await atTheDoor(workshop, [method], { env: { ...workshop.env, ...unset.env } });
    const { session, agent } = encounter;
    expect(await session.login('key')).toBe(false);
    expect(encounter.keysWanted).toEqual(['GEMINI_API_KEY']);
    expect(agent.count('authenticate')).toBe(0);
    const login = session.loginWithKey('key', 'top-secret');
    agent.fail(await agent.hears('session/new'), authRequired, 'Which way?');
    agent.reply(await agent.hears('authenticate'), {});
    agent.reply(await agent.hears('session/new'), { sessionId: 's1' });
    expect(await login).toBe(true);
    await encounter.phase('idle');
    expect(encounter.launched.map(({ env }) => env.GEMINI_API_KEY)).toEqual(['', 'top-secret']);
    expect(text(encounter.chat)).toContain('You are logged in to');
    const written = [JSON.stringify(encounter.events), ...agent.lines, ...workshop.log.lines];
    expect(written.join('\n')).not.toContain('top-secret');
  });

  it('uses one that is configured', async ({ workshop }) => {
    const env = { ...workshop.env, GEMINI_API_KEY: 'configured' };
    const encounter = await atTheDoor(workshop, [method], { env });
    const login = encounter.session.login('key');
    const { agent } = encounter;
    agent.reply(await agent.hears('authenticate'), {});
    agent.reply(await agent.hears('session/new'), { sessionId: 's1' });
    expect(await login).toBe(true);
    expect(encounter.keysWanted).toEqual([]);
  });
});

describe.concurrent('what to do when a login does not work', () => {
  it('is to set the variable that the agent misses, and where', async ({ workshop }) => {
    const encounter = await atTheDoor(workshop, [{ id: 'own', name: 'Own' }]);
    const { agent, session } = encounter;
    const login = session.login('own');
    agent.fail(await agent.hears('authenticate'), -32603, 'CODEX_API_KEY or OPENAI_API_KEY is not set');
    expect(await login).toBe(false);
    expect(text(encounter.chat)).toContain('Set CODEX_API_KEY or OPENAI_API_KEY in agents.tester.env');
  });

  it('is what the configuration says when the agent does not know the method', async ({ workshop }) => {
    const login = ':AcpLogin, or run `agent login` in a terminal';
    const encounter = await atTheDoor(workshop, [{ id: 'own', name: 'Own' }], { login });
    const { agent, session } = encounter;
    const answered = session.login('own');
    agent.fail(await agent.hears('authenticate'), -32603, 'Method not implemented.');
    expect(await answered).toBe(false);
    expect(text(encounter.chat)).toContain('Run `agent login` in a terminal; :AcpRestart tries again.');
  });

  it('is what the configuration says when the agent offers no way', async ({ workshop }) => {
    const encounter = await atTheDoor(workshop, [], { login: 'run `agent login` in a terminal' });
    expect(text(encounter.chat)).toContain('Run `agent login` in a terminal; :AcpRestart tries again.');
    expect(text(encounter.chat)).not.toContain(':AcpLogin');
  });
});

describe.concurrent('a login in a terminal', () => {
  it('shows the whole command with what the agent adds, and runs nothing yet', async ({ workshop }) => {
    const descriptor = { command: 'other', args: ['auth', 'login'], env: { PATH: '/evil' } };
    const method = { id: 'term', name: 'Log in', _meta: { 'terminal-auth': descriptor } };
    const encounter = await atTheDoor(workshop, [method]);
    expect(await encounter.session.login('term')).toBe(false);
    // The agent is started through an interpreter, so what it names is another program.
    expect(encounter.logins).toMatchObject([{ command: ['other', 'auth', 'login'], isOther: true }]);
    expect(text(encounter.chat)).toContain(
      [
        '· To log in, this command would run in a terminal:',
        '  other auth login',
        `  in ${workshop.folder}`,
        '  with PATH=/evil',
        '  This program is not the one that you configured for the agent.',
      ].join('\n'),
    );
    expect(encounter.agent.count('authenticate')).toBe(0);
  });
});
