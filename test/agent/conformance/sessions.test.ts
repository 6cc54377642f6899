import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { AgentPool } from '../../../src/acp/agent-pool.ts';
import type { OpenSession } from '../../../src/session/catalogue.ts';
import { Sessions } from '../../../src/sessions.ts';
import { sessionsPicker } from '../../../src/view/session-pickers.ts';
import { it, SinkDouble, type Workshop } from '../../support/agent-it.ts';
import { choose } from '../../support/choose.ts';
import { EditorDouble, ManualClock } from '../../support/doubles.ts';
import { aPuppet, call, cancelled, Encounter, meet, permission, speech } from '../../support/encounter.ts';
import { update } from '../../support/stage.ts';
import { withoutTerminals } from '../../support/workspace.ts';

const able = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, delete: {}, close: {}, additionalDirectories: {} },
};
const nothing = { 'session/load': {}, 'session/resume': {}, 'session/close': {}, 'session/delete': {} };

/** Sessions that share one agent, which counts them. */
async function several(workshop: Workshop, capabilities: object = able) {
  let count = 0;
  const { agent, spec } = await aPuppet(workshop, {
    capabilities,
    answers: { ...nothing, 'session/new': () => ({ sessionId: `s${++count}` }), 'session/close': undefined },
  });
  const launcher = new AgentPool({ launch: (wanted) => workshop.launch(wanted) });
  const open = async () => {
    const encounter = new Encounter(workshop, agent, spec, { launcher });
    await encounter.begin();
    return encounter;
  };
  return { agent, spec, launcher, open };
}

describe.concurrent('opening a session', () => {
  it.for(['new', 'load', 'resume', 'list'] as const)(
    'SES-1: session/%s waits for the answer to initialize',
    async (how, { workshop }) => {
      const { agent, spec } = await aPuppet(workshop, { answers: { initialize: undefined, ...nothing } });
      const link = workshop.launch(spec);
      const { cwd } = spec;
      const asked =
        how === 'list'
          ? link.listSessions(cwd)
          : link.openSession({ how, cwd, ...(how !== 'new' && { sessionId: 's1' }) }, new SinkDouble());
      asked.catch(() => undefined);
      const hello = await agent.hears('initialize');
      await agent.isUnderstood();
      expect(agent.words).toEqual(['initialize']);
      agent.reply(hello, { protocolVersion: 1, agentCapabilities: able });
      await agent.until(() => agent.count(`session/${how}`) === 1, how);
    },
  );

  it.for(['new', 'load', 'resume'] as const)(
    'SES-2: session/%s names an absolute folder and its servers, be it none',
    async (how, { workshop }) => {
      const { agent, spec } = await aPuppet(workshop, { capabilities: able, answers: nothing });
      const link = workshop.launch(spec);
      const known = how === 'new' ? {} : { sessionId: 's9' };
      await link.openSession({ how, cwd: spec.cwd, ...known }, new SinkDouble());
      const { params } = agent.heard.at(-1)!;
      expect(params).toEqual({ ...known, cwd: workshop.folder, mcpServers: [] });
      expect(path.isAbsolute(String(params.cwd))).toBe(true);
    },
  );

  it('SES-3: goes on with an earlier one only in a way that is offered', async ({ workshop }) => {
    const ways = await Promise.all(
      [{}, { sessionCapabilities: { resume: {} } }, { loadSession: true }].map(
        async (capabilities, index) => {
          const folder = path.join(workshop.folder, String(index));
          fs.mkdirSync(folder);
          const { agent, spec } = await aPuppet(workshop, { capabilities, answers: nothing, folder });
          const encounter = new Encounter(workshop, agent, spec);
          encounter.session.goOnWith('s7');
          await encounter.begin();
          return agent.words.at(-1);
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
    'SES-4: gives an agent that speaks %s the servers it can use',
    async ([, capabilities, names], { workshop }) => {
      const mcpServers = [
        { local: { command: 'node', args: ['x.js'] } },
        { web: { type: 'http', url: 'https://example.com/mcp' } },
        { old: { type: 'sse', url: 'https://example.com/sse' } },
        { gone: { command: 'no-such-program-anywhere' } },
      ];
      const { agent, spec } = await aPuppet(workshop, { capabilities, spec: { mcpServers } });
      await workshop.launch(spec).openSession({ how: 'new', cwd: spec.cwd }, new SinkDouble());
      const servers = agent.heard.at(-1)!.params.mcpServers as { name: string; command?: string }[];
      expect(servers.map(({ name }) => name)).toEqual(names);
      const local = servers.find(({ name }) => name === 'local');
      expect(local).not.toHaveProperty('type');
      expect(path.isAbsolute(local?.command ?? '')).toBe(true);
    },
  );

  it('SES-5: sends every other folder each time, absolute, and none to an agent of one folder', async ({
    workshop,
  }) => {
    const directories = ['lib', '/srv/shared', '', ' '];
    const sent = [`${workshop.folder}/lib`, '/srv/shared'];
    const { agent, spec } = await aPuppet(workshop, {
      capabilities: able,
      answers: nothing,
      spec: { directories },
    });
    const link = workshop.launch(spec);
    const { cwd } = spec;
    await link.openSession({ how: 'new', cwd }, new SinkDouble());
    await link.openSession({ how: 'load', sessionId: 's2', cwd }, new SinkDouble());
    await link.openSession({ how: 'resume', sessionId: 's3', cwd }, new SinkDouble());
    expect(agent.heard.slice(1).map(({ params }) => params.additionalDirectories)).toEqual([
      sent,
      sent,
      sent,
    ]);
    const folder = path.join(workshop.folder, 'lib');
    fs.mkdirSync(folder);
    const other = await aPuppet(workshop, { folder, spec: { directories } });
    await workshop.launch(other.spec).openSession({ how: 'new', cwd }, new SinkDouble());
    expect(other.agent.heard.at(-1)?.params).not.toHaveProperty('additionalDirectories');
  });

  it('SES-6: sends no folder twice, not its own, and none but those the user named', async ({ workshop }) => {
    const { folder } = workshop;
    const directories = ['/srv/a', '/srv/a/', folder, `${folder}/`, '.', '/srv/b', '/srv/a'];
    const sessions = [{ sessionId: 's1', cwd: folder, additionalDirectories: ['/etc'] }];
    const { agent, spec } = await aPuppet(workshop, {
      capabilities: able,
      answers: { ...nothing, 'session/list': { sessions } },
      spec: { directories },
    });
    const link = workshop.launch(spec);
    await link.listSessions(undefined);
    await link.openSession({ how: 'load', sessionId: 's1', cwd: folder }, new SinkDouble());
    expect(agent.heard.at(-1)?.params.additionalDirectories).toEqual(['/srv/a', '/srv/b']);
  });

  it('SES-7: takes the folders of a listed session for no more than what was listed', async ({
    workshop,
  }) => {
    const lists = [['/srv/a'], ['/srv/b'], undefined].map((additionalDirectories) => ({
      sessions: [{ sessionId: 's1', cwd: workshop.folder, additionalDirectories }],
    }));
    const { agent, spec } = await aPuppet(workshop, {
      capabilities: able,
      answers: { ...nothing, 'session/list': () => lists.shift() },
    });
    const link = workshop.launch(spec);
    for (const _ of [1, 2, 3]) await link.listSessions(undefined);
    await link.openSession({ how: 'resume', sessionId: 's1', cwd: spec.cwd }, new SinkDouble());
    // What an agent remembers of folders is no consent of the user's: none were configured, so none are given.
    expect(agent.heard.at(-1)?.params).not.toHaveProperty('additionalDirectories');
  });

  it('SES-8: lets nothing be read or written outside of its folders unasked, by no detour', async ({
    workshop,
  }) => {
    const { folder } = workshop;
    const [work, shared, outside] = ['work', 'shared', 'outside'].map((name) => path.join(folder, name));
    for (const name of [work!, shared!, outside!]) fs.mkdirSync(name);
    for (const name of [work!, shared!, outside!]) fs.writeFileSync(path.join(name, 'a.txt'), name);
    fs.writeFileSync(path.join(folder, 'a.txt'), folder);
    fs.symlinkSync(outside!, path.join(work!, 'link'));
    fs.symlinkSync(path.join(outside!, 'new.txt'), path.join(work!, 'dangling'));
    const editor = new EditorDouble();
    editor.call = async () => null;
    const encounter = await meet(workshop, {
      capabilities: able,
      workspace: withoutTerminals(editor),
      spec: { cwd: work!, directories: [shared!] },
    });
    await encounter.begin();
    const { agent, session, state } = encounter;
    const read = (file: string) => agent.ask('fs/read_text_file', { sessionId: 's1', path: file });
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
      choose(session, (await encounter.question()).question.id, 'reject');
      expect((await answer).error?.message).toContain('did not allow');
    }
    for (const way of ['link/new.txt', 'dangling', '../outside/new.txt']) {
      const params = { sessionId: 's1', path: `${work}/${way}`, content: 'x' };
      const answer = agent.ask('fs/write_text_file', params);
      choose(session, (await encounter.question()).question.id, 'reject');
      expect((await answer).error?.message).toContain('did not allow');
    }
    expect(fs.readdirSync(outside!)).toEqual(['a.txt']);
    expect(state.questions).toEqual([]);
  });
});

describe.concurrent('the list of sessions', () => {
  it('SES-9: goes by the cursors as they are, to the end, and begins without one', async ({ workshop }) => {
    const cursors = ['{"page":2}', '', ' ä\n%00'];
    const pages = [...cursors, undefined, undefined];
    let next = 0;
    const { agent, spec } = await aPuppet(workshop, {
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
    const link = workshop.launch(spec);
    const ids = async () => (await link.listSessions('/srv')).map(({ sessionId }) => sessionId);
    expect(await ids()).toEqual(['s1', 's2', 's3', 's4']);
    expect(await ids()).toEqual(['s5']);
    const asked = agent.heard.slice(1).map(({ params }) => params);
    expect(asked).toEqual([
      { cwd: '/srv' },
      ...cursors.map((cursor) => ({ cwd: '/srv', cursor })),
      { cwd: '/srv' },
    ]);
  });

  it('SES-15: shortens long titles', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await encounter.begin();
    const title = 'long '.repeat(1_000);
    encounter.agent.say(update('session_info_update', { title }));
    await encounter.until(() => encounter.state.title, 'title');
    expect(encounter.winbar.length).toBeLessThan(120);
    const item = { agent: 'x', sessionId: 's', cwd: '/', title, updatedAt: 0, files: [], isKept: true };
    const place = { cwd: '/', home: '/', now: 0 };
    const [shown] = sessionsPicker([{ ...item, open: undefined }], 'open', place).items;
    expect(shown!.label.length).toBeLessThan(100);
  });
});

describe.concurrent('sessions that share an agent', () => {
  it('SES-10: hear each its own, also what came before the agent told their id', async ({ workshop }) => {
    const { agent, spec } = await aPuppet(workshop, { answers: { 'session/new': undefined } });
    const link = workshop.launch(spec);
    const [one, other] = [new SinkDouble(), new SinkDouble()];
    const opening = [one, other].map((sink) => link.openSession({ how: 'new', cwd: spec.cwd }, sink));
    const [first, second] = [await agent.hears('session/new'), await agent.hears('session/new')];
    agent.say(
      speech('B early. ', {}, 'b'),
      speech('A early. ', {}, 'a'),
      { id: second.id, result: { sessionId: 'b' } },
      speech('B late.', {}, 'b'),
      { id: first.id, result: { sessionId: 'a' } },
      speech('A late.', {}, 'a'),
    );
    expect(await Promise.all(opening)).toEqual(['a', 'b']);
    await agent.isUnderstood();
    expect([one.text, other.text]).toEqual(['A early. A late.', 'B early. B late.']);
    const third = new SinkDouble();
    const late = link.openSession({ how: 'new', cwd: spec.cwd }, third);
    const request = await agent.hears('session/new');
    await agent.ask(
      'session/request_permission',
      permission(0, { sessionId: 'c' }).params as object as never,
    );
    expect([one, other, third].map(({ asked }) => asked.length)).toEqual([0, 0, 1]);
    agent.reply(request, { sessionId: 'c' });
    expect(await late).toBe('c');
  });

  it('SES-13: settle their questions before they are closed, and are not heard any more', async ({
    workshop,
  }) => {
    const { agent, open } = await several(workshop);
    const [one, other] = [await open(), await open()];
    await one.prompt();
    agent.say(permission(1), permission(2, { toolCallId: 'c2' }));
    await one.until(() => one.state.questions.length === 2, 'questions');
    const before = agent.heard.length;
    const ending = one.session.end();
    const close = await agent.hears('session/close');
    await agent.isUnderstood();
    expect(agent.words.slice(before)).toEqual(['session/cancel', 'answer 1', 'answer 2', 'session/close']);
    for (const id of [1, 2]) expect(agent.answersTo(id)).toMatchObject([{ result: cancelled }]);
    agent.fail(close, -32002, 'Resource not found');
    await ending;
    agent.say(speech('still here', {}, 's1'), permission(3), call('c9'));
    expect((await agent.answerTo(3)).result).toEqual(cancelled);
    await agent.isUnderstood();
    expect(other.state.entries).toEqual([]);
    expect(other.state.questions).toEqual([]);
  });

  it('SES-14: are closed before they are deleted, and may be gone already', async ({ workshop }) => {
    const { agent, spec, launcher, open } = await several(workshop);
    const [one] = [await open(), await open()];
    const editor = new EditorDouble();
    const summary = { chat: 1, agent: 'tester', sessionId: 's1', cwd: spec.cwd, title: 'One', updatedAt: 0 };
    const chats = {
      list: (): OpenSession[] => [{ ...summary, isWaiting: false, isBusy: false }],
      close: async () => one!.session.dispose(),
    };
    const sessions = new Sessions({ launcher, editor, clock: new ManualClock(), chats });
    workshop.leftovers.push({ dispose: () => void sessions.end() });
    const showing = sessions.show({ spec, folder: workshop.folder, action: 'delete', isAll: true });
    agent.reply(await agent.hears('session/list'), { sessions: [{ sessionId: 's1', cwd: spec.cwd }] });
    await showing;
    const removing = sessions.remove(0);
    agent.reply(await agent.hears('session/close'), {});
    await removing;
    const words = agent.words.filter((word) => /close|delete/.test(word));
    expect(words).toEqual(['session/close', 'session/delete']);
    const link = launcher.launch(spec);
    const again = link.deleteSession('s1');
    await again;
    link.dispose();
  });
});

describe.concurrent('an earlier session', () => {
  it('SES-11: is drawn as the past when it is loaded, and no turn runs', async ({ workshop }) => {
    const encounter = await meet(workshop, { capabilities: able, answers: { 'session/load': undefined } });
    const { agent, session, state } = encounter;
    session.goOnWith('s1');
    session.start();
    const load = await agent.hears('session/load');
    agent.say(
      update('user_message_chunk', { content: { type: 'text', text: 'Hello?' } }),
      speech('Hello.'),
      call('c1', { status: 'in_progress' }),
    );
    await agent.isUnderstood();
    expect(encounter.isBusy).toBe(false);
    agent.reply(load, {});
    await encounter.phase('idle');
    expect(encounter.outline).toEqual(['user: Hello?', 'agent: Hello.', 'c1: unreported']);
    expect(state.entries.every(({ isPast }) => isPast)).toBe(true);
    expect(agent.count('session/prompt')).toBe(0);
    await encounter.turn(speech('Now.'));
    expect(state.entries.at(-1)).not.toHaveProperty('isPast');
  });

  it('SES-12: shows our own transcript when it is resumed, or says that there is none', async ({
    workshop,
  }) => {
    const capabilities = { sessionCapabilities: { resume: {} } };
    const encounter = await meet(workshop, { capabilities, answers: nothing });
    encounter.session.restore([
      { at: 1, event: { kind: 'turn_started', text: 'Hello?' } },
      { at: 2, event: { kind: 'chunk', role: 'agent', text: 'Hello.' } },
    ]);
    encounter.session.goOnWith('s1');
    await encounter.begin();
    expect(encounter.outline).toEqual(['user: Hello?', 'agent: Hello.']);
    const folder = path.join(workshop.folder, 'other');
    fs.mkdirSync(folder);
    const other = await meet(workshop, { capabilities, answers: nothing, folder });
    other.session.goOnWith('s1');
    await other.begin();
    expect(other.chat.join('\n')).toContain('does not tell what was said');
  });
});
