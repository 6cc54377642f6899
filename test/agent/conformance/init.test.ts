import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import { describe, expect } from 'vitest';
import { version } from '../../../src/base/version.ts';
import { textPrompt } from '../../../src/model/prompt.ts';
import { it } from '../../support/agents/agent-harness.ts';
import { aScenario, aScriptedAgent } from '../../support/agents/session-scenario.ts';
import { SinkDouble } from '../../support/doubles/sink.ts';

describe.concurrent('initialization', () => {
  it('INIT-1: initialize is the first request, with our newest version and capabilities', async ({
    harness,
  }) => {
    const { agent, session } = aScenario(harness, { answers: { initialize: undefined } });
    session.send(textPrompt('go'));
    const hello = await agent.receive('initialize');
    await agent.waitUntilProcessed();
    expect(agent.receivedMethods).toEqual(['initialize']);
    expect(hello.params).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: { auth: { terminal: true } },
    });
  });

  it('INIT-2: sends our name and version', async ({ harness }) => {
    const { agent, session } = aScenario(harness, { answers: { initialize: undefined } });
    session.start();
    const { params } = await agent.receive('initialize');
    expect(params.clientInfo).toEqual({ name: 'acp.nvim', title: 'acp.nvim', version });
  });

  it.for([2, 0, '2', 'one'])(
    'INIT-3: ends the connection and notifies the user if the agent answers with version %j',
    async (protocolVersion, { harness }) => {
      const scenario = aScenario(harness, { answers: { initialize: { protocolVersion } } });
      const { agent } = scenario;
      scenario.session.send(textPrompt('go'));
      await scenario.phase('down');
      await agent.until(() => agent.isInputClosed, 'end');
      expect(agent.receivedMethods).toEqual(['initialize']);
      expect(scenario.chat.join('\n')).toContain(
        `! tester uses ACP version ${protocolVersion}; this plugin supports version 1.`,
      );
      expect(scenario.returned).toEqual(['go']);
    },
  );

  it.for<[string, unknown, readonly string[]]>([
    ['none at all', undefined, []],
    ['null', null, []],
    ['all null', everything(null, false), []],
    ['all false', everything(false, false), []],
    ['all of a wrong kind', everything('yes', 'yes'), []],
    ['all', everything({}, true), ['load', 'resume', 'list', 'delete', 'close', 'logout']],
    ['only close', { sessionCapabilities: { close: {} } }, ['close']],
    ['load without list', { loadSession: true, sessionCapabilities: { list: null } }, ['load']],
    [
      'logout among unknown capabilities',
      { auth: { logout: {}, x: 1 }, sessionCapabilities: { fly: {} } },
      ['logout'],
    ],
  ])(
    'INIT-4: does not call methods that are not offered: %s',
    async ([, capabilities, offered], { harness }) => {
      const nothing = () => ({});
      const answers = Object.fromEntries(
        ['session/load', 'session/resume', 'session/delete', 'session/close', 'logout'].map((name) => [
          name,
          nothing,
        ]),
      );
      const all = { ...answers, 'session/list': { sessions: [] } };
      const { agent, spec } = aScriptedAgent(harness, { capabilities, answers: all });
      const link = harness.launch(spec);
      const { cwd } = spec;
      await link.openSession({ method: 'new', cwd }, new SinkDouble());
      const asks: Record<string, () => Promise<unknown>> = {
        load: () => link.openSession({ method: 'load', sessionId: 's2', cwd }, new SinkDouble()),
        resume: () => link.openSession({ method: 'resume', sessionId: 's3', cwd }, new SinkDouble()),
        list: () => link.listSessions(undefined),
        delete: () => link.deleteSession('s2'),
        close: () => link.closeSession('s2'),
        logout: () => link.logout(),
      };
      for (const [name, ask] of Object.entries(asks)) {
        if (offered.includes(name)) await ask();
        else await expect(ask()).rejects.toMatchObject({ code: 'unsupported' });
      }
      await agent.waitUntilProcessed();
      const asked = offered.map((name) => (name === 'logout' ? name : `session/${name}`));
      expect(agent.receivedMethods).toEqual(['initialize', 'session/new', ...asked]);
    },
  );

  it('INIT-5: a connection has one handshake and keeps its version', async ({ harness }) => {
    const scenario = aScenario(harness, {
      answers: {
        initialize: { protocolVersion: 1, authMethods: [{ id: 'key', name: 'Key' }] },
        authenticate: {},
        'session/set_mode': {},
        'session/new': {
          sessionId: 's1',
          modes: { currentModeId: 'a', availableModes: [{ id: 'b', name: 'B' }] },
        },
      },
    });
    const { agent, session } = scenario;
    await scenario.begin();
    await session.login.start('key');
    await session.changeSetting('mode', 'b');
    await scenario.turn();
    const kinds = agent.received.map(({ method }) => method);
    expect(kinds.filter((method) => method === 'initialize')).toHaveLength(1);
    expect(kinds.slice(1)).toEqual(['session/new', 'authenticate', 'session/set_mode', 'session/prompt']);
    await session.restart();
    await scenario.phase('idle');
    expect([agent.starts, agent.count('initialize')]).toEqual([2, 2]);
  });

  it.for<[string, object, number]>([
    ['fs/read_text_file', { path: '/etc/hosts' }, -32601],
    ['fs/write_text_file', { path: '/etc/hosts', content: '' }, -32601],
    ['terminal/create', { command: 'ls' }, -32601],
    ['terminal/output', { terminalId: 't' }, -32601],
    ['terminal/wait_for_exit', { terminalId: 't' }, -32601],
    ['terminal/kill', { terminalId: 't' }, -32601],
    ['terminal/release', { terminalId: 't' }, -32601],
    ['elicitation/create', { mode: 'voice', message: 'Say yes.' }, -32602],
  ])('INIT-7: rejects methods that we do not advertise: %s', async ([method, params, code], { harness }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    const { agent } = scenario;
    const { fs, terminal, elicitation } = agent.received[0]!.params.clientCapabilities as ClientCapabilities;
    expect(fs).toEqual({ readTextFile: false, writeTextFile: false });
    expect(terminal).toBe(false);
    expect(Object.keys(elicitation ?? {})).toEqual(['form', 'url']);
    expect((await agent.request(method, { sessionId: 's1', ...params })).error?.code).toBe(code);
  });
});

function everything(object: unknown, flag: unknown): object {
  return {
    loadSession: flag,
    auth: { logout: object },
    sessionCapabilities: { list: object, resume: object, delete: object, close: object },
    promptCapabilities: { image: flag, audio: flag, embeddedContext: flag },
    mcpCapabilities: { http: flag, sse: flag },
  };
}
