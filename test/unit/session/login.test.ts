import { describe, expect, it } from 'vitest';
import { AcpError } from '../../../src/base/errors.ts';
import { textPrompt } from '../../../src/model/prompt.ts';
import { Deferred, settle } from '../../support/doubles/deferred.ts';
import { aSession, notices, type SessionParts } from '../../support/session-parts.ts';

describe('a login', () => {
  it('that is required before the handshake fails the start with one notice', async () => {
    const parts = aSession();
    parts.session.start();
    parts.launcher.last.readiness.reject(new AcpError('auth_required', 'tester wants you to log in: no key'));
    await settle();
    expect(parts.session.state.phase).toBe('down');
    expect(notices(parts)).toEqual(['tester wants you to log in: no key']);
  });

  const agent = {
    name: 'tester',
    title: 'Tester',
    authMethods: [
      { id: 'own', name: 'Own', description: undefined, kind: 'agent' },
      {
        id: 'term',
        name: 'Term',
        description: undefined,
        kind: 'terminal',
        command: ['tester', '--login'],
        env: {},
      },
    ],
  } as const;

  async function atTheDoor(): Promise<SessionParts> {
    const parts = aSession();
    parts.session.send(textPrompt('go'));
    parts.launcher.last.readiness.resolve(agent);
    parts.launcher.last.opening.reject(new AcpError('auth_required', 'log in'));
    await settle();
    parts.timeline.length = 0;
    return parts;
  }

  it('by the agent opens the session and sends the queued prompts', async () => {
    const parts = await atTheDoor();
    const { last } = parts.launcher;
    last.loggingIn.resolve();
    last.opening = new Deferred();
    last.opening.resolve('s1');
    await parts.session.login.start('own');
    await settle();
    expect(parts.timeline.filter((step) => step.startsWith('agent:'))).toEqual([
      'agent: authenticate own',
      expect.stringMatching(/^agent: open /),
      'agent: prompt s1 go',
    ]);
  });

  it('in a terminal restarts the agent and keeps the queued prompts', async () => {
    const parts = await atTheDoor();
    await parts.session.login.start('term');
    expect(parts.timeline).toEqual(['notice', 'terminal: term']);
    expect(parts.session.state.entries.at(-1)).toMatchObject({ detail: ['tester --login', 'in /work'] });
    const queued = () => parts.session.state.queue.map(({ text }) => text);
    const finished = parts.session.login.finishInTerminal(0);
    await settle();
    // The host may exit while the agent ends.
    expect(queued()).toEqual(['go']);
    parts.launcher.last.ending.resolve();
    await finished;
    expect(parts.launcher.links).toHaveLength(2);
    expect(queued()).toEqual(['go']);
    expect(parts.returned).toEqual([]);
  });

  it.each([
    [
      'that fails',
      async ({ session }: SessionParts) => session.login.finishInTerminal(1),
      'The login command exited with code 1.',
    ],
    [
      'that is refused',
      async ({ session, launcher }: SessionParts) => {
        launcher.last.loggingIn.reject(new AcpError('agent_error', 'no such user'));
        await session.login.start('own');
      },
      'no such user',
    ],
  ])('%s adds a notice and can be retried', async (_, act, title) => {
    const parts = await atTheDoor();
    await act(parts);
    expect(parts.session.state.entries.at(-1)).toMatchObject({ kind: 'notice', title });
    expect(parts.session.state.phase).toBe('login');
  });

  it('by an unknown method does nothing', async () => {
    const parts = await atTheDoor();
    await parts.session.login.start('forged');
    expect(parts.timeline).toEqual([]);
  });
});
