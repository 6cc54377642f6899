import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { done, speech, update } from '../support/agents/messages.ts';
import { type Answers, ScriptedAgent } from '../support/agents/scripted-agent.ts';
import { drawn, promptText, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { recordQuestions, User } from '../support/nvim/user.ts';
import { aFolder } from '../support/system/temp.ts';
import { startWebServer } from '../support/system/web-server.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

interface Meeting {
  readonly answers?: Answers;
  readonly fixture?: string;
  readonly files?: Record<string, string>;
  /** It opens a session without authentication. */
  readonly isReady?: boolean;
}

/** A chat in a real Neovim with an agent that the test scripts. */
async function meetIn(start: Start, meeting: Meeting = {}) {
  const { answers = {}, fixture = 'scripted.mjs', files = {}, isReady = true } = meeting;
  const agent = new ScriptedAgent(aFolder(), answers);
  onTestFinished(() => {
    agent.dispose();
    expect(agent.violations).toEqual([]);
  });
  const program = path.resolve(import.meta.dirname, '../fixtures/agents', fixture);
  const command = [process.execPath, program, agent.socketPath];
  const words = command.map((word) => JSON.stringify(word)).join(', ');
  const config = `{ agents = { tester = { command = { ${words} }, env = { BASE = 'base', FLOW = 'none' } } } }`;
  const nvim = await start({ columns: 140, files, init: `vim.g.acp = ${config}\n${recordQuestions}` });
  await nvim.attachHost();
  await nvim.command('AcpChat tester');
  await nvim.input('<Esc>');
  if (isReady) await waitForPhase(nvim, 'idle');
  const cwd = await nvim.lua<string>('return vim.uv.cwd()');
  return { nvim, agent, user: new User(nvim), cwd, command };
}

async function chatText(nvim: TestNvim): Promise<string> {
  await drawn(nvim);
  return (await transcript(nvim)).join('\n');
}

/** Whether a text on the screen is highlighted differently from the cell before it. */
async function standsOut(nvim: TestNvim, text: string): Promise<boolean> {
  const row = await nvim.waitFor(
    () => nvim.screen.lines().findIndex((line) => line.includes(text)) + 1,
    text,
  );
  const column = [...nvim.screen.lines()[row - 1]!.split(text)[0]!].length;
  const [before, first] = [column - 1, column].map((at) => ({ ...nvim.screen.cell(row - 1, at), text: '' }));
  return JSON.stringify(before) !== JSON.stringify(first);
}

const hello = (fields: object) => ({ initialize: { protocolVersion: 1, ...fields } });
const ask = (id: unknown, params: object) => ({
  id,
  method: 'elicitation/create',
  params: { sessionId: 's1', ...params },
});
const form = {
  mode: 'form',
  message: 'Plan the trip; see https://example.com/help.',
  requestedSchema: {
    type: 'object',
    properties: {
      where: { type: 'string', title: 'Where', minLength: 3 },
      days: { type: 'integer', title: 'Days', default: 7, maximum: 30 },
    },
    required: ['where'],
  },
};
const page = (url: string) => ({ mode: 'url', message: 'Log in.', elicitationId: 'e1', url });

describe('what the chat shows of the agent', () => {
  it.for<[object | undefined, string]>([
    [{ name: 'machine-name', title: 'A Fine Agent', version: '1' }, 'A Fine Agent'],
    [{ name: 'machine-name', version: '1' }, 'machine-name'],
    [{ name: 'machine-name', title: null, version: '1' }, 'machine-name'],
    [{ name: 'machine-name', title: '', version: '1' }, 'machine-name'],
    [undefined, 'tester'],
  ])('INIT-6: its title, or else its name: %j', async ([agentInfo, shown], { start }) => {
    const { nvim, agent } = await meetIn(start, { answers: hello({ agentInfo }) });
    await nvim.command('AcpSend hi');
    const { id } = await agent.receive('session/prompt');
    agent.send(speech('Hello.'), { id, result: done });
    await waitForPhase(nvim, 'idle');
    expect(await chatText(nvim)).toContain(`\n${shown}\nHello.`);
    const [winbar = ''] = nvim.screen.lines();
    expect(winbar.split('│ ')[1]?.trim()).toBe(shown);
  });

  it('TURN-4: a refusal, and that the agent has dropped the prompt', async ({ start }) => {
    const { nvim, agent } = await meetIn(start);
    await nvim.command('AcpSend rob a bank');
    const { id } = await agent.receive('session/prompt');
    agent.reply({ id }, { stopReason: 'refusal' });
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen('! The agent refused to continue.');
    expect(await chatText(nvim)).toContain('It has removed this prompt and everything after it');
  });
});

describe('slash commands of an agent', () => {
  const commands = (...availableCommands: object[]) =>
    update('available_commands_update', { availableCommands });
  const offered = (nvim: TestNvim) =>
    nvim.lua<string[]>(`
      local answer = require('acp.host').request('completion.items', { chat = 1, text = '/', column = 1 })
      return vim.tbl_map(function(item) return item.text end, answer.items)`);

  it('are offered as soon as the agent reports them, if the user has typed / meanwhile', async ({
    start,
  }) => {
    const { nvim, agent } = await meetIn(start);
    await nvim.input('i/');
    await nvim.waitFor(async () => (await promptText(nvim)) === '/', 'the slash');
    expect(await offered(nvim)).toEqual([]);
    agent.send(commands({ name: 'web', description: 'Search' }));
    await nvim.waitFor(() => nvim.lua('return vim.fn.pumvisible() == 1'), 'the menu');
    expect(await promptText(nvim)).toBe('/');
  });

  it('are not offered when the agent reports them in an earlier prompt of the history', async ({ start }) => {
    const { nvim, agent } = await meetIn(start);
    await nvim.command('AcpSend /web');
    const { id } = await agent.receive('session/prompt');
    agent.reply({ id }, { stopReason: 'end_turn' });
    await waitForPhase(nvim, 'idle');
    await nvim.input('i<Up>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '/web', 'the earlier prompt');
    agent.send(commands({ name: 'web', description: 'Search' }));
    await nvim.waitFor(async () => (await offered(nvim)).includes('/web'), 'the command');
    expect(await nvim.lua('return { vim.fn.pumvisible(), vim.api.nvim_get_mode().mode }')).toEqual([0, 'i']);
  });

  it('CMD-1: are those of the last update, and show their argument hint until it is typed', async ({
    start,
  }) => {
    const { nvim, agent } = await meetIn(start);
    agent.send(
      commands({ name: 'old', description: 'Old', input: { hint: 'of old' } }),
      commands(
        { name: 'web', description: 'Search', input: { hint: 'what to look for' } },
        { name: 'x', description: '' },
      ),
    );
    await agent.waitUntilProcessed();
    expect(await offered(nvim)).toEqual(['/web', '/x']);
    await nvim.input('i/we');
    await nvim.waitForScreen('/we');
    expect(nvim.screen.text()).not.toContain('what to look for');
    await nvim.input('b');
    await nvim.waitForScreen(/\/web +what to look for/);
    await nvim.input(' cats');
    await nvim.waitForScreen((text) => text.includes('/web cats') && !text.includes('what to look for'));
    await nvim.input('<C-u>/old ');
    await nvim.waitForScreen('/old');
    expect(nvim.screen.text()).not.toContain('of old');
    agent.send(commands());
    await agent.waitUntilProcessed();
    expect(await offered(nvim)).toEqual([]);
  });
});

describe('a login in a terminal', () => {
  const authMethods = ['0', '3', 'wait'].map((code) => ({
    id: code,
    name: `Login ${code}`,
    type: 'terminal',
    args: ['--login', code],
    env: { FLOW: 'device' },
    command: '/bin/false',
  }));

  /** A chat whose agent requires a login, with a waiting prompt; the user has chosen the login in a terminal. */
  async function atTheDoor(start: Start, way: string) {
    const answers = { ...hello({ authMethods }), 'session/new': undefined };
    const meeting = await meetIn(start, { answers, fixture: 'terminal-login.mjs', isReady: false });
    const { nvim, agent, user } = meeting;
    agent.fail(await agent.receive('session/new'), -32000, 'Who are you?');
    await waitForPhase(nvim, 'login');
    await nvim.command('AcpSend hello');
    await nvim.command('AcpLogin');
    await user.next();
    await user.pick(`Login ${way}`);
    const { prompt } = await user.next();
    expect(prompt).toContain(`FLOW=device ${[...meeting.command, '--login', way].join(' ')}`);
    await user.pick('Run it');
    return meeting;
  }

  const runs = (socket: string) =>
    fs
      .readFileSync(`${socket}.login`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);

  it('AUTH-4: runs the agent’s own program with extra arguments, then restarts the agent and continues', async ({
    start,
  }) => {
    const { nvim, agent, command, cwd } = await atTheDoor(start, '0');
    const again = await agent.receive('session/new');
    expect(runs(agent.socketPath)).toEqual([
      { argv: [...command, '--login', '0'], BASE: 'base', FLOW: 'device', cwd },
    ]);
    expect([agent.starts, agent.count('initialize'), agent.count('authenticate')]).toEqual([2, 2, 0]);
    agent.reply(again, { sessionId: 's2' });
    const prompt = await agent.receive('session/prompt');
    expect(prompt.params).toEqual({ sessionId: 's2', prompt: [{ type: 'text', text: 'hello' }] });
    agent.reply(prompt, done);
    await waitForPhase(nvim, 'idle');
  });

  it.for(['3', 'wait'])(
    'AUTH-8: is judged by its exit code, not by its output: %s',
    async (way, { start }) => {
      const { nvim, agent } = await atTheDoor(start, way);
      await nvim.waitForScreen('Success! You are logged in.');
      if (way === 'wait') await nvim.command('bwipeout!');
      await nvim.waitFor(
        async () => (await chatText(nvim)).includes('The login command exited with code'),
        'the failure',
      );
      await waitForPhase(nvim, 'login');
      await agent.waitUntilProcessed();
      expect([agent.starts, agent.count('session/new')]).toEqual([1, 1]);
    },
  );
});

describe('files in the editor', () => {
  it('FS-1: are read with unsaved changes', async ({ start }) => {
    const { nvim, agent, cwd } = await meetIn(start, { files: { 'a.txt': 'one\ntwo\n' } });
    await nvim.command('wincmd t | edit a.txt | call setline(2, "TWO") | call append(2, "three")');
    const read = { sessionId: 's1', path: path.join(cwd, 'a.txt') };
    expect((await agent.request('fs/read_text_file', read)).result).toEqual({ content: 'one\nTWO\nthree\n' });
    expect(fs.readFileSync(path.join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('FS-5: are changed in their buffers, with undo, in their format, and on disk', async ({ start }) => {
    const { nvim, agent, cwd } = await meetIn(start, { files: { 'a.txt': 'one\r\ntwo\r\n' } });
    await nvim.command('wincmd t | edit a.txt');
    const write = { sessionId: 's1', path: path.join(cwd, 'a.txt'), content: 'one\r\n2\r\nthree\r\n' };
    expect((await agent.request('fs/write_text_file', write)).result).toEqual({});
    expect(await nvim.lines()).toEqual(['one', '2', 'three']);
    expect(await nvim.lua('return { vim.bo.fileformat, vim.bo.modified }')).toEqual(['dos', false]);
    expect(fs.readFileSync(write.path, 'utf8')).toBe(write.content);
    await nvim.waitForScreen('three');
    await nvim.command('undo');
    expect(await nvim.lines()).toEqual(['one', 'two']);
  });
});

describe('a form of an agent', () => {
  it('ELI-1: shows the name of the agent, and can be declined and cancelled', async ({ start }) => {
    const { nvim, agent, user } = await meetIn(start);
    for (const [id, ending] of [
      ['1', 'Decline'],
      ['2', 'Cancel'],
    ] as const) {
      agent.send(ask(id, form));
      expect((await user.open()).prompt).toContain('Tester');
      await user.type(undefined);
      await nvim.command('AcpAnswer');
      const review = await user.next();
      expect(review.prompt).toContain('Tester');
      expect(review.labels?.map((label) => label.trim())).toEqual(
        expect.arrayContaining(['Decline', 'Cancel']),
      );
      await user.pick(ending);
      expect((await agent.answerTo(id)).result).toEqual({ action: ending.toLowerCase() });
      await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 0"), 'the end');
    }
    expect(await chatText(nvim)).toMatch(/declined[\s\S]*cancelled/);
    agent.send(ask(3, page('https://example.com/')));
    const asked = await user.open();
    expect(asked.prompt).toContain('Tester');
    expect(asked.labels?.map((label) => label.trim())).toEqual(expect.arrayContaining(['Decline', 'Cancel']));
  });

  it('ELI-2: is validated, shows defaults, and can be reviewed and changed before it is sent', async ({
    start,
  }) => {
    const { agent, user } = await meetIn(start);
    agent.send(ask(1, form));
    await user.open();
    await user.type('X');
    const again = await user.next();
    expect(again).toMatchObject({ default: 'X', prompt: expect.stringContaining('at least 3 characters') });
    await user.type('Oslo');
    expect((await user.next()).default).toBe('7');
    await user.type('7');
    const review = await user.next();
    expect(review.labels).toEqual(expect.arrayContaining(['Where: Oslo', 'Days: 7']));
    expect(agent.answersTo(1)).toEqual([]);
    await user.pick('Where: Oslo');
    expect((await user.next()).default).toBe('Oslo');
    await user.type('Bergen');
    await user.next();
    await user.pick('Send');
    const content = { where: 'Bergen', days: 7 };
    expect((await agent.answerTo(1)).result).toEqual({ action: 'accept', content });
  });

  it('ELI-3: opens a page only after consent to its full address, and fetches nothing before', async ({
    start,
  }) => {
    let visits = 0;
    const { host } = await startWebServer((_, response) => {
      visits += 1;
      response.end();
    });
    const { nvim, agent, user } = await meetIn(start);
    const url = `http://${host}/login?state=abc#here`;
    agent.send(ask(1, page(url)));
    const asked = await user.open();
    expect(asked.prompt).toContain(host);
    expect(await chatText(nvim)).toContain(url);
    expect(await nvim.lua('return _G.opened')).toEqual([]);
    await user.pick('Open in the browser');
    expect((await agent.answerTo(1)).result).toEqual({ action: 'accept' });
    await nvim.waitFor(() => nvim.lua<boolean>('return #_G.opened > 0'), 'the page to be opened');
    expect(await nvim.lua('return _G.opened')).toEqual([url]);
    expect(visits).toBe(0);
  });

  it('ELI-4: highlights the host of the address, warns of dangers, and offers no other address', async ({
    start,
  }) => {
    const { nvim, agent, user } = await meetIn(start);
    agent.send(ask(1, page('https://xn--pple-43d.com/login')));
    await user.open();
    expect(await chatText(nvim)).toMatch(/xn--.*may imitate another host/);
    expect(await standsOut(nvim, 'xn--pple-43d.com/login')).toBe(true);
    await user.pick('Decline');
    await agent.answerTo(1);
    agent.send(ask(2, form));
    await user.open();
    expect(await chatText(nvim)).toContain('https://example.com/help');
    expect(await standsOut(nvim, 'https://example.com/help')).toBe(false);
  });
});
