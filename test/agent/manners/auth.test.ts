import { describe, expect } from 'vitest';
import { loginPicker } from '../../../src/view/pickers.ts';
import { it } from '../../support/agent-it.ts';
import { type Stage, speech, stage, turn } from '../../support/stage.ts';

const notice = (played: Stage) => played.lines().find((line) => line.startsWith('! '));

describe.concurrent('auth', () => {
  it.for<[string, object, string]>([
    [
      'in the words of the protocol',
      { code: -32000, message: 'Authentication required' },
      '! tester wants you to log in: Authentication required',
    ],
    [
      'in its own words',
      { code: -32000, message: 'There is no key. Set BAKERY_KEY.' },
      '! tester wants you to log in: There is no key. Set BAKERY_KEY.',
    ],
    [
      'with the ways to log in beside',
      { code: -32000, message: 'Authentication required', data: { authMethods: [{ id: 'x' }] } },
      '! tester wants you to log in: Authentication required',
    ],
  ])('manner 32: waits for a login when a session is refused %s', async ([, fail, words], { workshop }) => {
    const played = stage(
      workshop,
      { expect: 'initialize', reply: { protocolVersion: 1, authMethods: [{ id: 'key', name: 'Key' }] } },
      { expect: 'session/new', fail },
      { expect: 'authenticate', reply: {} },
      { expect: 'session/new', reply: { sessionId: 's1' } },
      turn(speech('Now I know you.')),
    );
    played.session.send('go');
    await played.phase('login');
    expect(notice(played)).toBe(words);
    expect(played.session.state.queue).toMatchObject([{ text: 'go' }]);
    await played.session.login('key');
    await played.shows('Now I know you.');
  });

  it('manner 32: keeps the prompt of an agent that asks for a login only then', async ({ workshop }) => {
    const authMethods = [{ id: 'key', name: 'Key' }];
    const played = stage(
      workshop,
      { expect: 'initialize', reply: { protocolVersion: 1, authMethods } },
      { expect: 'session/prompt', fail: { code: -32000, message: 'Authentication required' } },
      { expect: 'authenticate', reply: {} },
      turn(speech('Now I know you.')),
    );
    played.session.send('go');
    await played.phase('login');
    expect(played.returned).toEqual([]);
    await played.session.login('key');
    await played.shows('Now I know you.');
  });

  it('manner 33: lists every sort of login, and runs only the terminal ones in a terminal', async ({
    workshop,
  }) => {
    const authMethods = [
      { id: 'plain', name: 'In the browser', description: 'opens a page' },
      { type: 'terminal', id: 'tty', name: 'In a terminal', args: ['login'], env: { A: '1' } },
      { type: 'env_var', id: 'env', name: 'By a variable', vars: [{ name: 'BAKERY_KEY' }] },
      { id: 'older', name: 'Older', _meta: { 'terminal-auth': { command: 'sh', args: ['-c', 'x'] } } },
      { id: 'inside', name: 'Inside', _meta: { type: 'terminal', args: ['x'] } },
    ];
    const played = stage(workshop, { expect: 'initialize', reply: { protocolVersion: 1, authMethods } });
    await played.phase('idle');
    const methods = played.session.state.agent.authMethods ?? [];
    expect(methods.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
      'plain agent',
      'tty terminal',
      'env agent',
      'older terminal',
      'inside terminal',
    ]);
    expect(methods[1]).toMatchObject({
      command: expect.arrayContaining([process.execPath, 'login']),
      env: { A: '1' },
    });
    // The agent's own program stands in front, never the shell that the method names.
    expect(methods[3]).toMatchObject({ command: expect.arrayContaining([process.execPath, '-c', 'x']) });
    expect(methods[3]).not.toMatchObject({ command: expect.arrayContaining(['sh']) });
    expect(loginPicker(1, 'Scripted', methods).items).toHaveLength(5);
  });

  it('manner 33: says that it can show pages, and shows the one of a device code', async ({ workshop }) => {
    const authMethods = [{ id: 'device', name: 'Device code' }];
    const page = { mode: 'url', elicitationId: 'e1', url: 'https://login.test/device', message: 'ABCD-1234' };
    const create = { id: 7, method: 'elicitation/create', params: { requestId: 1, ...page } };
    const played = stage(
      workshop,
      { expect: 'initialize', reply: { protocolVersion: 1, authMethods } },
      { expect: 'session/new', fail: { code: -32000, message: 'Authentication required' } },
      { expect: 'authenticate', say: [create] },
      { expect: 'answer', to: 'authenticate', reply: {} },
      { expect: 'session/new', reply: { sessionId: 's1' } },
    );
    await played.phase('login');
    const login = played.session.login('device');
    const [entry] = await played.question();
    expect(played.lines().join('\n')).toContain('https://login.test/device');
    played.session.asking.conclude(entry!.question.id, { action: 'accept' });
    expect(await login).toBe(true);
    await played.phase('idle');
    expect(workshop.sent[0]?.params).toMatchObject({
      clientCapabilities: { elicitation: { form: {}, url: {} } },
    });
  });

  it('manner 34: tells the stderr of an agent that exits before it answers', async ({ workshop }) => {
    const played = stage(workshop, { expect: 'initialize', stderr: 'No oven was found.\n', exit: 1 });
    played.session.send('go');
    await played.phase('down');
    expect(played.lines().slice(0, 2)).toEqual(['! tester exited with code 1.', '  No oven was found.']);
    await played.until(() => played.returned.length > 0, 'prompt that came back');
    expect(played.returned).toEqual(['go']);
  });
});
