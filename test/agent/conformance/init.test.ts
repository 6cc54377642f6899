import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import { describe, expect } from 'vitest';
import { version } from '../../../src/version.ts';
import { it, SinkDouble } from '../../support/agent-it.ts';
import { aPuppet, meet } from '../../support/encounter.ts';

describe.concurrent('the beginning', () => {
  it('INIT-1: initialize is the first word, with our newest version and what we can do', async ({
    workshop,
  }) => {
    const { agent, session } = await meet(workshop, { answers: { initialize: undefined } });
    session.send('go');
    const hello = await agent.hears('initialize');
    await agent.isUnderstood();
    expect(agent.words).toEqual(['initialize']);
    expect(hello.params).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: { auth: { terminal: true } },
    });
  });

  it('INIT-2: it says who we are', async ({ workshop }) => {
    const { agent, session } = await meet(workshop, { answers: { initialize: undefined } });
    session.start();
    const { params } = await agent.hears('initialize');
    expect(params.clientInfo).toEqual({ name: 'acp.nvim', title: 'acp.nvim', version });
  });

  it.for([2, 0, '2', 'one'])(
    'INIT-3: an agent that speaks version %j is left, and the user told',
    async (protocolVersion, { workshop }) => {
      const encounter = await meet(workshop, { answers: { initialize: { protocolVersion } } });
      const { agent } = encounter;
      encounter.session.send('go');
      await encounter.phase('down');
      await agent.until(() => agent.isLeft, 'end');
      expect(agent.words).toEqual(['initialize']);
      expect(encounter.chat.join('\n')).toContain(
        `! tester speaks ACP version ${protocolVersion}; this plugin speaks 1.`,
      );
      expect(encounter.returned).toEqual(['go']);
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
      'logout with unknown others',
      { auth: { logout: {}, x: 1 }, sessionCapabilities: { fly: {} } },
      ['logout'],
    ],
  ])('INIT-4: what is not offered is not asked for: %s', async ([, capabilities, offered], { workshop }) => {
    const nothing = () => ({});
    const answers = Object.fromEntries(
      ['session/load', 'session/resume', 'session/delete', 'session/close', 'logout'].map((name) => [
        name,
        nothing,
      ]),
    );
    const all = { ...answers, 'session/list': { sessions: [] } };
    const { agent, spec } = await aPuppet(workshop, { capabilities, answers: all });
    const link = workshop.launch(spec);
    const { cwd } = spec;
    await link.openSession({ how: 'new', cwd }, new SinkDouble());
    const asks: Record<string, () => Promise<unknown>> = {
      load: () => link.openSession({ how: 'load', sessionId: 's2', cwd }, new SinkDouble()),
      resume: () => link.openSession({ how: 'resume', sessionId: 's3', cwd }, new SinkDouble()),
      list: () => link.listSessions(undefined),
      delete: () => link.deleteSession('s2'),
      close: () => link.closeSession('s2'),
      logout: () => link.logout(),
    };
    for (const [name, ask] of Object.entries(asks)) {
      if (offered.includes(name)) await ask();
      else await expect(ask()).rejects.toMatchObject({ code: 'unsupported' });
    }
    await agent.isUnderstood();
    const asked = offered.map((name) => (name === 'logout' ? name : `session/${name}`));
    expect(agent.words).toEqual(['initialize', 'session/new', ...asked]);
  });

  it('INIT-5: a connection has one handshake and goes on in its version', async ({ workshop }) => {
    const encounter = await meet(workshop, {
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
    const { agent, session } = encounter;
    await encounter.begin();
    await session.login('key');
    await session.change('mode', 'b');
    await encounter.turn();
    const kinds = agent.heard.map(({ method }) => method);
    expect(kinds.filter((method) => method === 'initialize')).toHaveLength(1);
    expect(kinds.slice(1)).toEqual(['session/new', 'authenticate', 'session/set_mode', 'session/prompt']);
    await session.restart();
    await encounter.phase('idle');
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
  ])('INIT-7: what we do not advertise is not there: %s', async ([method, params, code], { workshop }) => {
    const encounter = await meet(workshop);
    await encounter.begin();
    const { agent } = encounter;
    const { fs, terminal, elicitation } = agent.heard[0]!.params.clientCapabilities as ClientCapabilities;
    expect(fs).toEqual({ readTextFile: false, writeTextFile: false });
    expect(terminal).toBe(false);
    expect(Object.keys(elicitation ?? {})).toEqual(['form', 'url']);
    expect((await agent.ask(method, { sessionId: 's1', ...params })).error?.code).toBe(code);
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
