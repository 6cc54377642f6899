import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { AgentPool } from '../../../src/acp/agent-pool.ts';
import { SessionActions } from '../../../src/app/sessions/session-actions.ts';
import { SessionBrowser } from '../../../src/app/sessions/session-browser.ts';
import { StoredSessions } from '../../../src/app/sessions/stored-sessions.ts';
import type { ChatSummary } from '../../../src/model/session-list.ts';
import { sessionsPicker } from '../../../src/view/pickers/sessions.ts';
import { type AgentHarness, it } from '../../support/agents/agent-harness.ts';
import { cancelled, permission, speech, titledCall, update } from '../../support/agents/messages.ts';
import { aScenario, aScriptedAgent, SessionScenario } from '../../support/agents/session-scenario.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { answerWithoutBuffers, EditorDouble } from '../../support/doubles/editor.ts';
import { SinkDouble } from '../../support/doubles/sink.ts';
import { choose } from '../../support/nvim/choose.ts';
import { withoutTerminals } from '../../support/workspace/workspace.ts';

const able = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, delete: {}, close: {}, additionalDirectories: {} },
};
const nothing = { 'session/load': {}, 'session/resume': {}, 'session/close': {}, 'session/delete': {} };

/** Sessions of one agent, which numbers them. */
async function several(harness: AgentHarness, capabilities: object = able) {
  let count = 0;
  const { agent, spec } = aScriptedAgent(harness, {
    capabilities,
    answers: { ...nothing, 'session/new': () => ({ sessionId: `s${++count}` }), 'session/close': undefined },
  });
  const launcher = new AgentPool({ launch: (wanted) => harness.launch(wanted) });
  const open = async () => {
    const scenario = new SessionScenario(harness, agent, spec, { launcher });
    await scenario.begin();
    return scenario;
  };
  return { agent, spec, launcher, open };
}

describe.concurrent('opening a session', () => {
  it.for(['new', 'load', 'resume', 'list'] as const)(
    'SES-1: session/%s waits for the response to initialize',
    async (how, { harness }) => {
      const { agent, spec } = aScriptedAgent(harness, { answers: { initialize: undefined, ...nothing } });
      const link = harness.launch(spec);
      const { cwd } = spec;
      const asked =
        how === 'list'
          ? link.listSessions(cwd)
          : link.openSession(
              { method: how, cwd, ...(how !== 'new' && { sessionId: 's1' }) },
              new SinkDouble(),
            );
      asked.catch(() => undefined);
      const hello = await agent.receive('initialize');
      await agent.waitUntilProcessed();
      expect(agent.receivedMethods).toEqual(['initialize']);
      agent.reply(hello, { protocolVersion: 1, agentCapabilities: able });
      await agent.until(() => agent.count(`session/${how}`) === 1, how);
    },
  );

  it.for(['new', 'load', 'resume'] as const)(
    'SES-2: session/%s sends an absolute folder and a list of MCP servers, even if it is empty',
    async (how, { harness }) => {
      const { agent, spec } = aScriptedAgent(harness, { capabilities: able, answers: nothing });
      const link = harness.launch(spec);
      const known = how === 'new' ? {} : { sessionId: 's9' };
      await link.openSession({ method: how, cwd: spec.cwd, ...known }, new SinkDouble());
      const { params } = agent.received.at(-1)!;
      expect(params).toEqual({ ...known, cwd: harness.folder, mcpServers: [] });
      expect(path.isAbsolute(String(params.cwd))).toBe(true);
    },
  );

  it('SES-3: continues an earlier session only by an offered method', async ({ harness }) => {
    const ways = await Promise.all(
      [{}, { sessionCapabilities: { resume: {} } }, { loadSession: true }].map(
        async (capabilities, index) => {
          const folder = path.join(harness.folder, String(index));
          fs.mkdirSync(folder);
          const { agent, spec } = aScriptedAgent(harness, { capabilities, answers: nothing, folder });
          const scenario = new SessionScenario(harness, agent, spec);
          scenario.session.continueSession('s7');
          await scenario.begin();
          return agent.receivedMethods.at(-1);
        },
      ),
    );
    expect(ways).toEqual(['session/new', 'session/resume', 'session/load']);
  });

  it.for<[string, object, readonly string[]]>([
    ['neither', {}, ['local']],
    ['http', { mcpCapabilities: { http: true, sse: false } }, ['local', 'web']],
    ['sse', { mcpCapabilities: { sse: true } }, ['local', 'old']],
    ['both', { mcpCapabilities: { http: true, sse: true } }, ['local', 'web', 'old']],
  ])(
    'SES-4: sends an agent that supports %s only the MCP servers it can use',
    async ([, capabilities, names], { harness }) => {
      const mcpServers = [
        { local: { command: 'node', args: ['x.js'] } },
        { web: { type: 'http', url: 'https://example.com/mcp' } },
        { old: { type: 'sse', url: 'https://example.com/sse' } },
        { gone: { command: 'no-such-program-anywhere' } },
      ];
      const { agent, spec } = aScriptedAgent(harness, { capabilities, spec: { mcpServers } });
      await harness.launch(spec).openSession({ method: 'new', cwd: spec.cwd }, new SinkDouble());
      const servers = agent.received.at(-1)!.params.mcpServers as { name: string; command?: string }[];
      expect(servers.map(({ name }) => name)).toEqual(names);
      const local = servers.find(({ name }) => name === 'local');
      expect(local).not.toHaveProperty('type');
      expect(path.isAbsolute(local?.command ?? '')).toBe(true);
    },
  );

  it('SES-5: sends all additional folders each time, absolute, and none to an agent without support', async ({
    harness,
  }) => {
    const directories = ['lib', '/srv/shared', '', ' '];
    const sent = [`${harness.folder}/lib`, '/srv/shared'];
    const { agent, spec } = aScriptedAgent(harness, {
      capabilities: able,
      answers: nothing,
      spec: { directories },
    });
    const link = harness.launch(spec);
    const { cwd } = spec;
    await link.openSession({ method: 'new', cwd }, new SinkDouble());
    await link.openSession({ method: 'load', sessionId: 's2', cwd }, new SinkDouble());
    await link.openSession({ method: 'resume', sessionId: 's3', cwd }, new SinkDouble());
    expect(agent.received.slice(1).map(({ params }) => params.additionalDirectories)).toEqual([
      sent,
      sent,
      sent,
    ]);
    const folder = path.join(harness.folder, 'lib');
    fs.mkdirSync(folder);
    const other = aScriptedAgent(harness, { folder, spec: { directories } });
    await harness.launch(other.spec).openSession({ method: 'new', cwd }, new SinkDouble());
    expect(other.agent.received.at(-1)?.params).not.toHaveProperty('additionalDirectories');
  });

  it('SES-6: sends no folder twice, not cwd, and only folders that the user named', async ({ harness }) => {
    const { folder } = harness;
    const directories = ['/srv/a', '/srv/a/', folder, `${folder}/`, '.', '/srv/b', '/srv/a'];
    const sessions = [{ sessionId: 's1', cwd: folder, additionalDirectories: ['/etc'] }];
    const { agent, spec } = aScriptedAgent(harness, {
      capabilities: able,
      answers: { ...nothing, 'session/list': { sessions } },
      spec: { directories },
    });
    const link = harness.launch(spec);
    await link.listSessions(undefined);
    await link.openSession({ method: 'load', sessionId: 's1', cwd: folder }, new SinkDouble());
    expect(agent.received.at(-1)?.params.additionalDirectories).toEqual(['/srv/a', '/srv/b']);
  });

  it('SES-7: uses only the listed folders of a listed session', async ({ harness }) => {
    const lists = [['/srv/a'], ['/srv/b'], undefined].map((additionalDirectories) => ({
      sessions: [{ sessionId: 's1', cwd: harness.folder, additionalDirectories }],
    }));
    const { agent, spec } = aScriptedAgent(harness, {
      capabilities: able,
      answers: { ...nothing, 'session/list': () => lists.shift() },
    });
    const link = harness.launch(spec);
    for (const _ of [1, 2, 3]) await link.listSessions(undefined);
    await link.openSession({ method: 'resume', sessionId: 's1', cwd: spec.cwd }, new SinkDouble());
    // Folders that an agent remembers are not the user's consent: none are configured, so none are sent.
    expect(agent.received.at(-1)?.params).not.toHaveProperty('additionalDirectories');
  });

  it('SES-8: asks before anything outside of its folders is read or written, also through links', async ({
    harness,
  }) => {
    const { folder } = harness;
    const [work, shared, outside] = ['work', 'shared', 'outside'].map((name) => path.join(folder, name));
    for (const name of [work!, shared!, outside!]) fs.mkdirSync(name);
    for (const name of [work!, shared!, outside!]) fs.writeFileSync(path.join(name, 'a.txt'), name);
    fs.writeFileSync(path.join(folder, 'a.txt'), folder);
    fs.symlinkSync(outside!, path.join(work!, 'link'));
    fs.symlinkSync(path.join(outside!, 'new.txt'), path.join(work!, 'dangling'));
    const editor = new EditorDouble();
    editor.call = answerWithoutBuffers;
    const scenario = aScenario(harness, {
      capabilities: able,
      workspace: withoutTerminals(editor),
      spec: { cwd: work!, directories: [shared!] },
    });
    await scenario.begin();
    const { agent, session, state } = scenario;
    const read = (file: string) => agent.request('fs/read_text_file', { sessionId: 's1', path: file });
    expect(await read(`${work}/a.txt`)).toMatchObject({ result: { content: work } });
    expect(await read(`${work}/../shared/a.txt`)).toMatchObject({ result: { content: shared } });
    const ways = [
      `${outside}/a.txt`,
      `${work}/../outside/a.txt`,
      `${work}/link/a.txt`,
      `${work}/link/../a.txt`,
    ];
    for (const way of ways) {
      const answer = read(way);
      choose(session, (await scenario.question()).question.id, 'reject');
      expect((await answer).error?.message).toContain('denied access');
    }
    for (const way of ['link/new.txt', 'dangling', '../outside/new.txt']) {
      const params = { sessionId: 's1', path: `${work}/${way}`, content: 'x' };
      const answer = agent.request('fs/write_text_file', params);
      choose(session, (await scenario.question()).question.id, 'reject');
      expect((await answer).error?.message).toContain('denied access');
    }
    expect(fs.readdirSync(outside!)).toEqual(['a.txt']);
    expect(state.questions).toEqual([]);
  });
});

describe.concurrent('the list of sessions', () => {
  it('SES-9: passes cursors on unchanged until the last page, and starts without a cursor', async ({
    harness,
  }) => {
    const cursors = ['{"page":2}', '', ' ä\n%00'];
    const pages = [...cursors, undefined, undefined];
    let next = 0;
    const { agent, spec } = aScriptedAgent(harness, {
      capabilities: able,
      answers: {
        'session/list': () => {
          const nextCursor = pages[next++];
          return {
            sessions: [{ sessionId: `s${next}`, cwd: '/' }],
            ...(nextCursor !== undefined && { nextCursor }),
          };
        },
      },
    });
    const link = harness.launch(spec);
    const ids = async () => (await link.listSessions('/srv')).map(({ sessionId }) => sessionId);
    expect(await ids()).toEqual(['s1', 's2', 's3', 's4']);
    expect(await ids()).toEqual(['s5']);
    const asked = agent.received.slice(1).map(({ params }) => params);
    expect(asked).toEqual([
      { cwd: '/srv' },
      ...cursors.map((cursor) => ({ cwd: '/srv', cursor })),
      { cwd: '/srv' },
    ]);
  });

  it('SES-15: shortens long titles', async ({ harness }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    const title = 'long '.repeat(1_000);
    scenario.agent.send(update('session_info_update', { title }));
    await scenario.until(() => scenario.state.title, 'title');
    expect(scenario.winbar.length).toBeLessThan(120);
    const item = {
      agent: 'x',
      sessionId: 's',
      cwd: '/',
      title,
      updatedAt: 0,
      files: [],
      isStoredByAgent: true,
    };
    const place = { cwd: '/', home: '/', now: 0 };
    const [shown] = sessionsPicker([{ ...item, open: undefined }], 'open', place).items;
    expect(shown!.label.length).toBeLessThan(100);
  });
});

describe.concurrent('several sessions of one agent', () => {
  it('SES-10: receive only their own updates, also those that arrive before the id is known', async ({
    harness,
  }) => {
    const { agent, spec } = aScriptedAgent(harness, { answers: { 'session/new': undefined } });
    const link = harness.launch(spec);
    const [one, other] = [new SinkDouble(), new SinkDouble()];
    const opening = [one, other].map((sink) => link.openSession({ method: 'new', cwd: spec.cwd }, sink));
    const [first, second] = [await agent.receive('session/new'), await agent.receive('session/new')];
    agent.send(
      speech('B early. ', {}, 'b'),
      speech('A early. ', {}, 'a'),
      { id: second.id, result: { sessionId: 'b' } },
      speech('B late.', {}, 'b'),
      { id: first.id, result: { sessionId: 'a' } },
      speech('A late.', {}, 'a'),
    );
    expect(await Promise.all(opening)).toEqual(['a', 'b']);
    await agent.waitUntilProcessed();
    expect([one.text, other.text]).toEqual(['A early. A late.', 'B early. B late.']);
    const third = new SinkDouble();
    const late = link.openSession({ method: 'new', cwd: spec.cwd }, third);
    const request = await agent.receive('session/new');
    await agent.request(
      'session/request_permission',
      permission(0, undefined, undefined, 'c').params as object as never,
    );
    expect([one, other, third].map(({ asked }) => asked.length)).toEqual([0, 0, 1]);
    agent.reply(request, { sessionId: 'c' });
    expect(await late).toBe('c');
  });

  it('SES-13: settle their questions before they are closed, and ignore later updates', async ({
    harness,
  }) => {
    const { agent, open } = await several(harness);
    const [one, other] = [await open(), await open()];
    await one.prompt();
    agent.send(permission(1), permission(2, { toolCallId: 'c2', title: 'Do it' }));
    await one.until(() => one.state.questions.length === 2, 'questions');
    const before = agent.received.length;
    const ending = one.session.end();
    const close = await agent.receive('session/close');
    await agent.waitUntilProcessed();
    expect(agent.receivedMethods.slice(before)).toEqual([
      'session/cancel',
      'answer 1',
      'answer 2',
      'session/close',
    ]);
    for (const id of [1, 2]) expect(agent.answersTo(id)).toMatchObject([{ result: cancelled }]);
    agent.fail(close, -32002, 'Resource not found');
    await ending;
    agent.send(speech('still here', {}, 's1'), permission(3), titledCall('c9'));
    expect((await agent.answerTo(3)).result).toEqual(cancelled);
    await agent.waitUntilProcessed();
    expect(other.state.entries).toEqual([]);
    expect(other.state.questions).toEqual([]);
  });

  it('SES-14: are closed before they are deleted, and may have been deleted already', async ({ harness }) => {
    const { agent, spec, launcher, open } = await several(harness);
    const [one] = [await open(), await open()];
    const editor = new EditorDouble();
    const summary = { chat: 1, agent: 'tester', sessionId: 's1', cwd: spec.cwd, title: 'One', updatedAt: 0 };
    const chats = {
      get: () => {
        throw new Error('not used');
      },
      summaries: (): ChatSummary[] => [{ ...summary, isWaiting: false, isBusy: false }],
      close: async () => one!.session.dispose(),
    };
    const clock = new ManualClock();
    const stored = new StoredSessions({ launcher, editor, clock });
    const actions = new SessionActions({ editor, clock, chats, stored, onDeleted: () => {} });
    const sessions = new SessionBrowser({ editor, clock, chats, stored, actions });
    harness.disposables.push({ dispose: () => void stored.end() });
    const showing = sessions.show({
      spec,
      otherNames: [],
      folder: harness.folder,
      pid: 1,
      action: 'delete',
      isAll: true,
    });
    agent.reply(await agent.receive('session/list'), { sessions: [{ sessionId: 's1', cwd: spec.cwd }] });
    await showing;
    const removing = sessions.remove(0);
    agent.reply(await agent.receive('session/close'), {});
    await removing;
    const words = agent.receivedMethods.filter((word) => /close|delete/.test(word));
    expect(words).toEqual(['session/close', 'session/delete']);
    const link = launcher.launch(spec);
    await link.agent.deleteSession('s1');
    await link.end();
  });
});

describe.concurrent('an earlier session', () => {
  it('SES-11: is shown as history when it is loaded, and no turn runs', async ({ harness }) => {
    const scenario = aScenario(harness, { capabilities: able, answers: { 'session/load': undefined } });
    const { agent, session, state } = scenario;
    session.continueSession('s1');
    session.start();
    const load = await agent.receive('session/load');
    agent.send(
      update('user_message_chunk', { content: { type: 'text', text: 'Hello?' } }),
      speech('Hello.'),
      titledCall('c1', { status: 'in_progress' }),
    );
    await agent.waitUntilProcessed();
    expect(scenario.isBusy).toBe(false);
    agent.reply(load, {});
    await scenario.phase('idle');
    expect(scenario.outline).toEqual(['user: Hello?', 'agent: Hello.', 'c1: unreported']);
    expect(state.entries.every(({ isReplayed }) => isReplayed)).toBe(true);
    expect(agent.count('session/prompt')).toBe(0);
    await scenario.turn(speech('Now.'));
    expect(state.entries.at(-1)).not.toHaveProperty('isReplayed');
  });

  it('SES-12: shows our own transcript when it is resumed, or reports that there is none', async ({
    harness,
  }) => {
    const capabilities = { sessionCapabilities: { resume: {} } };
    const scenario = aScenario(harness, { capabilities, answers: nothing });
    scenario.session.replayJournal([
      { at: 1, event: { kind: 'turn_started', text: 'Hello?' } },
      { at: 2, event: { kind: 'chunk', role: 'agent', text: 'Hello.' } },
      { at: 3, event: { kind: 'turn_ended', stopReason: 'end_turn' } },
    ]);
    scenario.session.continueSession('s1');
    await scenario.begin();
    expect(scenario.outline).toEqual(['user: Hello?', 'agent: Hello.']);
    const folder = path.join(harness.folder, 'other');
    fs.mkdirSync(folder);
    const other = aScenario(harness, { capabilities, answers: nothing, folder });
    other.session.continueSession('s1');
    await other.begin();
    expect(other.chat.join('\n')).toContain('did not send its history');
  });
});
