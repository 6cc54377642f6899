import { describe, expect } from 'vitest';
import { textPrompt } from '../../../src/model/prompt.ts';
import { loginPicker } from '../../../src/view/pickers/login.ts';
import { it } from '../../support/agents/agent-harness.ts';
import { speech } from '../../support/agents/messages.ts';
import { playSteps, type SessionScenario, turn } from '../../support/agents/session-scenario.ts';

const notice = (scenario: SessionScenario) => scenario.chat.find((line) => line.startsWith('! '));

describe.concurrent('auth', () => {
  it.for<[string, object, string]>([
    [
      'with the error code of the protocol',
      { code: -32000, message: 'Authentication required' },
      '! tester wants you to log in: Authentication required',
    ],
    [
      'with a message of its own',
      { code: -32000, message: 'There is no key. Set BAKERY_KEY.' },
      '! tester wants you to log in: There is no key. Set BAKERY_KEY.',
    ],
    [
      'with login methods in the error',
      { code: -32000, message: 'Authentication required', data: { authMethods: [{ id: 'x' }] } },
      '! tester wants you to log in: Authentication required',
    ],
  ])('behaviour 32: waits for a login when session/new fails %s', async ([, fail, words], { harness }) => {
    const scenario = playSteps(
      harness,
      { expect: 'initialize', reply: { protocolVersion: 1, authMethods: [{ id: 'key', name: 'Key' }] } },
      { expect: 'session/new', fail },
      { expect: 'authenticate', reply: {} },
      { expect: 'session/new', reply: { sessionId: 's1' } },
      turn(speech('Now I know you.')),
    );
    scenario.session.send(textPrompt('go'));
    await scenario.phase('login');
    expect(notice(scenario)).toBe(words);
    expect(scenario.session.state.queue).toMatchObject([{ text: 'go' }]);
    await scenario.session.login.start('key');
    await scenario.shows('Now I know you.');
  });

  it('behaviour 32: keeps the prompt if the agent asks for a login during the prompt', async ({
    harness,
  }) => {
    const authMethods = [{ id: 'key', name: 'Key' }];
    const scenario = playSteps(
      harness,
      { expect: 'initialize', reply: { protocolVersion: 1, authMethods } },
      { expect: 'session/prompt', fail: { code: -32000, message: 'Authentication required' } },
      { expect: 'authenticate', reply: {} },
      turn(speech('Now I know you.')),
    );
    scenario.session.send(textPrompt('go'));
    await scenario.phase('login');
    expect(scenario.returned).toEqual([]);
    await scenario.session.login.start('key');
    await scenario.shows('Now I know you.');
  });

  it('behaviour 32: tries again with the next prompt when the model refused one', async ({ harness }) => {
    const refused = {
      code: -32000,
      message: 'Authentication required',
      data: { message: '401 invalid key' },
    };
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', fail: refused },
      turn(speech('first')),
      turn(speech('second')),
    );
    await scenario.phase('idle');
    scenario.session.send(textPrompt('one'));
    await scenario.phase('login');
    expect(notice(scenario)).toBe('! Tester wants you to log in: 401 invalid key');
    scenario.session.send(textPrompt('two'));
    await scenario.until(() => scenario.chat.includes('second'), 'answer to both prompts');
    await scenario.phase('idle');
    expect(scenario.session.state.queue).toEqual([]);
    expect(scenario.chat.filter((line) => ['one', 'two', 'first', 'second'].includes(line))).toEqual([
      ...['one', 'first', 'two', 'second'],
    ]);
  });

  it('behaviour 33: lists every kind of login, and runs only terminal logins in a terminal', async ({
    harness,
  }) => {
    const authMethods = [
      { id: 'plain', name: 'In the browser', description: 'opens a page' },
      { type: 'terminal', id: 'tty', name: 'In a terminal', args: ['login'], env: { A: '1' } },
      { type: 'env_var', id: 'env', name: 'By a variable', vars: [{ name: 'BAKERY_KEY' }] },
      { id: 'older', name: 'Older', _meta: { 'terminal-auth': { command: 'sh', args: ['-c', 'x'] } } },
      { id: 'inside', name: 'Inside', _meta: { type: 'terminal', args: ['x'] } },
    ];
    const scenario = playSteps(harness, { expect: 'initialize', reply: { protocolVersion: 1, authMethods } });
    await scenario.phase('idle');
    const methods = scenario.session.state.agent.authMethods ?? [];
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
    // The command begins with the agent's own program, never with the shell that the method names.
    expect(methods[3]).toMatchObject({ command: expect.arrayContaining([process.execPath, '-c', 'x']) });
    expect(methods[3]).not.toMatchObject({ command: expect.arrayContaining(['sh']) });
    expect(loginPicker(1, 'Tester', methods).items).toHaveLength(5);
  });

  it('behaviour 33: offers to show pages and shows the page of a device code', async ({ harness }) => {
    const authMethods = [{ id: 'device', name: 'Device code' }];
    const page = { mode: 'url', elicitationId: 'e1', url: 'https://login.test/device', message: 'ABCD-1234' };
    const create = { id: 7, method: 'elicitation/create', params: { requestId: 1, ...page } };
    const scenario = playSteps(
      harness,
      { expect: 'initialize', reply: { protocolVersion: 1, authMethods } },
      { expect: 'session/new', fail: { code: -32000, message: 'Authentication required' } },
      { expect: 'authenticate', say: [create] },
      { expect: 'answer', to: 'authenticate', reply: {} },
      { expect: 'session/new', reply: { sessionId: 's1' } },
    );
    await scenario.phase('login');
    const login = scenario.session.login.start('device');
    const entry = await scenario.question();
    expect(scenario.chat.join('\n')).toContain('https://login.test/device');
    scenario.session.questions.answerPage(entry!.question.id, { action: 'accept' });
    expect(await login).toBe(true);
    await scenario.phase('idle');
    expect(harness.sent[0]?.params).toMatchObject({
      clientCapabilities: { elicitation: { form: {}, url: {} } },
    });
  });

  it('behaviour 34: shows the stderr of an agent that exits before it answers', async ({ harness }) => {
    const scenario = playSteps(harness, { expect: 'initialize', stderr: 'No oven was found.\n', exit: 1 });
    scenario.session.send(textPrompt('go'));
    await scenario.phase('down');
    expect(scenario.chat.slice(0, 2)).toEqual(['! tester exited with code 1.', '  No oven was found.']);
    await scenario.until(() => scenario.returned.length > 0, 'prompt that came back');
    expect(scenario.returned).toEqual(['go']);
  });
});
