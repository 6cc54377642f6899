import fs from 'node:fs';
import { describe, expect } from 'vitest';
import {
  type FileStep,
  type ProgrammableChat,
  programmableAgents,
  startEditingChat,
  startProgrammableChat,
} from '../support/agents/programmable-chat.ts';
import { converse, startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { recordNotifications, recordQuestions } from '../support/nvim/user.ts';

interface Fired {
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Records every event in `_G.fired`. */
const recordEvents = `
_G.fired = {}
vim.api.nvim_create_autocmd('User', {
  pattern = 'Acp*',
  callback = function(args)
    if args.match ~= 'AcpIdle' then
      table.insert(_G.fired, { name = args.match, data = args.data })
    end
  end,
})`;

const fired = (nvim: TestNvim) => nvim.lua<Fired[]>('return _G.fired');
const namesOf = async (nvim: TestNvim) => (await fired(nvim)).map(({ name }) => name);

async function waitForEvent(nvim: TestNvim, name: string, count = 1): Promise<Fired> {
  const all = async () => (await fired(nvim)).filter((event) => event.name === name);
  await nvim.waitFor(async () => (await all()).length >= count, `${name} to be fired`);
  return (await all())[count - 1]!;
}

interface Status {
  readonly waiting: number;
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
  readonly unreviewed: number;
  readonly cost: Readonly<Record<string, number>>;
  readonly context?: number;
  readonly chats: readonly { readonly chat: number; readonly state: string; readonly unseen?: string }[];
}

const status = (nvim: TestNvim) => nvim.lua<Status>("return require('acp').status()");
const statusline = (nvim: TestNvim) => nvim.lua<string>("return require('acp').statusline()");

async function waitForLine(nvim: TestNvim, text: string): Promise<void> {
  await nvim.waitFor(async () => (await statusline(nvim)) === text, `the statusline "${text}"`);
}

const anyPermission = {
  ask: 'session/request_permission',
  params: {
    toolCall: { toolCallId: 'c1', title: 'rm -rf build', kind: 'execute' },
    options: [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  },
};

const permissionFor = (title: string) => ({
  ...anyPermission,
  params: { ...anyPermission.params, toolCall: { toolCallId: title, title, kind: 'execute' } },
});

/** Hides the chat, or shows it again. */
const toggle = (chat: ProgrammableChat) => chat.nvim.command('AcpChat!');

describe('events', () => {
  it('are fired for a session, its turn, its tool calls and its files, in order', async ({ start }) => {
    const chat = await startEditingChat(start, { init: recordEvents });
    const { nvim } = chat;
    await nvim.lua("require('acp').send(...)", JSON.stringify([['disk', 'a.txt', 'one\ntwo\n']]));
    const { data } = await waitForEvent(nvim, 'AcpTurnEnded');
    expect(data).toMatchObject({
      chat: 1,
      agent: 'tester',
      session: 's1',
      stop_reason: 'end_turn',
      files: [{ path: chat.at('a.txt'), added: 2, removed: 0 }],
    });
    expect(data.duration).toEqual(expect.any(Number));
    const names = await namesOf(nvim);
    expect(names.filter((name) => name !== 'AcpFileChanged')).toEqual([
      'AcpSessionOpened',
      'AcpTurnStarted',
      'AcpToolStarted',
      'AcpToolEnded',
      'AcpTurnEnded',
    ]);
    const change = await waitForEvent(nvim, 'AcpFileChanged');
    expect(change.data).toMatchObject({ path: chat.at('a.txt'), added: 2, removed: 0 });
    expect(names.indexOf('AcpFileChanged')).toBeLessThan(names.indexOf('AcpTurnEnded'));
  });

  it.for<readonly [FileStep, string]>([
    [['disk', 'a.txt', 'one\n'], 'the agent writes it'],
    [['write', 'a.txt', 'one\n'], 'the client writes it'],
    [['twice', 'a.txt', 'one\n', 'client first'], 'both write it'],
  ])('are fired once for a file: $1', async ([step], { start }) => {
    const chat = await startEditingChat(start, { init: recordEvents });
    await chat.begin(step);
    await waitForEvent(chat.nvim, 'AcpTurnEnded');
    const changes = (await fired(chat.nvim)).filter(({ name }) => name === 'AcpFileChanged');
    const file = { path: chat.at('a.txt'), added: 1, removed: 0 };
    expect(changes.map(({ data }) => data)).toEqual([{ chat: 1, agent: 'tester', session: 's1', ...file }]);
  });

  it('of two prompts in the queue do not overlap', async ({ start }) => {
    const chat = await startEditingChat(start, { init: recordEvents });
    const { nvim } = chat;
    await chat.begin(['disk', 'a.txt', 'one\n']);
    await chat.begin(['disk', 'b.txt', 'one\n']);
    const second = await waitForEvent(nvim, 'AcpTurnEnded', 2);
    const turns = (await namesOf(nvim)).filter((name) => name.startsWith('AcpTurn'));
    expect(turns).toEqual(['AcpTurnStarted', 'AcpTurnEnded', 'AcpTurnStarted', 'AcpTurnEnded']);
    expect(second.data.files).toEqual([{ path: chat.at('b.txt'), added: 1, removed: 0 }]);
  });

  it('are fired for a question and its answer', async ({ start }) => {
    const chat = await startProgrammableChat(start, { init: recordEvents });
    await chat.begin(anyPermission);
    const { data } = await waitForEvent(chat.nvim, 'AcpWaiting');
    expect(data).toMatchObject({ chat: 1, kind: 'permission', waiting: 1 });
    expect(data.text).toContain('rm -rf build');
    await chat.next();
    await chat.nvim.lua('_G.asked[1].answer(_G.asked[1].items[1])');
    const answered = await waitForEvent(chat.nvim, 'AcpAnswered');
    expect(answered.data).toMatchObject({ question: data.question, answer: 'Allow', waiting: 0 });
  });

  it('are not fired for chunks of text, nor for a conversation that is loaded again', async ({ start }) => {
    const nvim = await startChat(start, { init: recordEvents });
    await converse(nvim, 'markdown');
    await waitForEvent(nvim, 'AcpTurnEnded');
    const before = await namesOf(nvim);
    expect(before.length).toBeLessThan(12);
    await nvim.command('AcpRestart!');
    await waitForEvent(nvim, 'AcpSessionOpened', 2);
    const after = (await namesOf(nvim)).slice(before.length);
    expect(after.filter((name) => /^Acp(Turn|Tool|Plan)/.test(name))).toEqual([]);
  });

  it('whose listener or autocommand fails do not stop the chat', async ({ start }) => {
    const init = `
      require('acp').on('AcpTurnEnded', function() error('first\\nsecond') end)
      vim.api.nvim_create_autocmd('User', { pattern = 'AcpTurnStarted', command = 'echoerr "oh"' })
      ${recordNotifications}\n${recordEvents}`;
    const chat = await startProgrammableChat(start, { init });
    const { nvim } = chat;
    // Neovim shows errors of autocommands itself, and waits for a key.
    const send = async () => {
      await nvim.lua("require('acp').send('[]')");
      await nvim.waitForScreen('Press ENTER');
      await nvim.input('<CR>');
    };
    await send();
    await waitForEvent(nvim, 'AcpTurnEnded');
    const said = () => nvim.lua<string[]>('return _G.said');
    await nvim.waitFor(async () => (await said()).length >= 1, 'the errors');
    expect((await said()).join(' ')).toMatch(/a listener of AcpTurnEnded failed: .*first/);
    await send();
    await waitForEvent(nvim, 'AcpTurnEnded', 2);
  });

  it('end the turn when the host exits', async ({ start }) => {
    const nvim = await start({
      init: `vim.g.acp = { agents = { tour = { env = { ACP_TOUR_PACE = '0' } } } }\n${recordEvents}`,
    });
    await nvim.command('AcpChat tour');
    await nvim.waitForScreen('Welcome');
    await nvim.lua(`
      _G.turns = {}
      require('acp').send('/ask', { callback = function(turn) table.insert(_G.turns, turn) end })`);
    await waitForEvent(nvim, 'AcpWaiting');
    expect((await status(nvim)).running).toBe(1);
    const pid = await nvim.lua<number>("return require('acp.host').request('host.status', {}).pid");
    process.kill(pid, 'SIGKILL');
    const { data } = await waitForEvent(nvim, 'AcpTurnEnded');
    expect(data).toMatchObject({ stop_reason: 'host_gone', error: 'the host has exited' });
    await waitForEvent(nvim, 'AcpAgentGone');
    expect(await nvim.lua('return _G.turns')).toMatchObject([{ stop_reason: 'host_gone' }]);
    expect((await status(nvim)).running).toBe(0);
    if (await nvim.lua<boolean>("return vim.fn.exists('+busy') == 1")) {
      expect(await nvim.lua("return vim.bo[require('acp.chats').current().buf].busy")).toBe(0);
    }
  });
});

describe('status()', () => {
  it('counts what waits and runs, what was not looked at and what is not reviewed', async ({ start }) => {
    const chat = await startEditingChat(start, { init: recordQuestions });
    const { nvim } = chat;
    expect(await statusline(nvim)).toBe('');
    await chat.begin(['wait', 'go'], ['disk', 'a.txt', 'one\n']);
    await toggle(chat);
    await waitForLine(nvim, '●1');
    expect(await status(nvim)).toMatchObject({ running: 1, chats: [{ chat: 1, state: 'running' }] });
    fs.writeFileSync(chat.at('go'), '');
    await waitForLine(nvim, '✓1 ±1');
    expect(await status(nvim)).toMatchObject({ finished: 1, chats: [{ state: 'idle', unseen: 'finished' }] });
    await toggle(chat);
    await waitForLine(nvim, '±1');
  });

  it('has the cost and the context of the chats', async ({ start }) => {
    const chat = await startProgrammableChat(start);
    const update = {
      sessionUpdate: 'usage_update',
      used: 50,
      size: 200,
      cost: { amount: 1.5, currency: 'USD' },
    };
    await chat.begin({ update });
    await chat.nvim.waitFor(async () => (await status(chat.nvim)).context === 0.25, 'the context');
    expect((await status(chat.nvim)).cost).toEqual({ USD: 1.5 });
  });

  it('is shown by a statusline and changes at once', async ({ start }) => {
    const init = `${recordQuestions}
      vim.o.laststatus = 3
      vim.o.statusline = "acp[%{v:lua.require'acp'.statusline()}]"`;
    const chat = await startProgrammableChat(start, { init });
    await chat.begin(anyPermission);
    await chat.nvim.waitForScreen('acp[?1 ●1]');
    await chat.nvim.lua('require("acp").cancel(1)');
    await chat.nvim.waitForScreen('acp[]');
  });
});

describe('notifications', () => {
  const recorded = (ways: string) => `{ notify = { ${ways} } }`;
  const note = 'function(note) _G.notes = _G.notes or {}; table.insert(_G.notes, note) end';
  const run = (event: string) => (nvim: TestNvim) => nvim.command(`doautocmd ${event}`);
  const notes = (nvim: TestNvim) =>
    nvim.lua<{ kind: string; text: string; focused: boolean; shown: boolean }[]>('return _G.notes or {}');

  it('are not given for the chat that the user looks at', async ({ start }) => {
    const chat = await startProgrammableChat(start, {
      config: recorded(`'message', ${note}`),
      init: `${recordNotifications}\n${recordEvents}`,
    });
    await chat.run();
    await waitForEvent(chat.nvim, 'AcpTurnEnded');
    expect(await notes(chat.nvim)).toEqual([]);
    expect(await chat.nvim.lua('return _G.said')).toEqual([]);
  });

  it('are given with vim.notify when no window shows the chat', async ({ start }) => {
    const chat = await startProgrammableChat(start, { init: recordNotifications });
    await toggle(chat);
    await chat.nvim.lua("require('acp').send(..., { open = false })", JSON.stringify([anyPermission]));
    const said = () => chat.nvim.lua<string[]>('return _G.said');
    await chat.nvim.waitFor(async () => (await said()).length > 0, 'a notification');
    expect(await said()).toEqual(['acp: Tester wants to run: rm -rf build · :AcpAnswer']);
  });

  it.for<[string, (nvim: TestNvim) => Promise<unknown>, (nvim: TestNvim) => Promise<unknown>]>([
    ['has lost the focus', run('FocusLost'), run('FocusGained')],
    ['is suspended', run('VimSuspend'), run('VimResume')],
    [
      'has no UI',
      (nvim) => nvim.client.request('nvim_ui_detach', []),
      (nvim) => nvim.client.request('nvim_ui_attach', [80, 24, { ext_linegrid: true, rgb: true }]),
    ],
  ])('reach a function when Neovim %s, and the inbox keeps it', async ([, leave, enter], { start }) => {
    const chat = await startProgrammableChat(start, { config: recorded(`'message', ${note}`) });
    const { nvim } = chat;
    await leave(nvim);
    await chat.run();
    await nvim.waitFor(async () => (await notes(nvim)).length > 0, 'a note');
    expect(await notes(nvim)).toMatchObject([{ kind: 'finished', focused: false, shown: true }]);
    expect(await statusline(nvim)).toBe('✓1');
    await enter(nvim);
    await waitForLine(nvim, '');
  });

  it('are given once for a turn that failed', async ({ start }) => {
    const chat = await startProgrammableChat(start, { config: recorded(note), init: recordEvents });
    const { nvim } = chat;
    await toggle(chat);
    await nvim.lua("require('acp').send('no JSON', { open = false })");
    await waitForEvent(nvim, 'AcpTurnEnded');
    await waitForLine(nvim, '✗1');
    expect((await notes(nvim)).map(({ kind }) => kind)).toEqual(['failed']);
  });

  it('reach the terminal without control characters of the agent', async ({ start }) => {
    const chat = await startProgrammableChat(start, {
      config: `{ notify = { 'bell', 'osc9', 'osc99', 'osc777' } }`,
      init: `_G.sent = {}; if vim.api.nvim_ui_send then
        vim.api.nvim_ui_send = function(text) table.insert(_G.sent, text) end end
        vim.env.TMUX = nil`,
    });
    const { nvim } = chat;
    if (!(await nvim.lua<boolean>('return vim.api.nvim_ui_send ~= nil'))) return;
    await nvim.lua("vim.api.nvim_exec_autocmds('FocusLost', {})");
    await nvim.lua(`
      require('acp.attention.notify').notify(require('acp.chats').current(), 'waiting',
        'a\\27]52;c;evil\\7b\\nc\\194\\157d; e · :AcpAnswer')`);
    expect(await nvim.lua('return _G.sent')).toEqual([
      '\u0007',
      '\u001b]9;tester: a ]52;c;evil b c d; e\u001b\\',
      '\u001b]99;i=acp.1:d=0;tester\u001b\\',
      '\u001b]99;i=acp.1:d=1:p=body;a ]52;c;evil b c d; e\u001b\\',
      '\u001b]777;notify;tester;a ]52;c;evil b c d; e\u001b\\',
    ]);
  });

  it('run a program with the agent and the text as arguments', async ({ start }) => {
    const chat = await startProgrammableChat(start, {
      config: `{ notify = { with = { 'desktop' }, on = { 'waiting' }, command = { 'sh', '-c', 'printf "%s|" "$@" > note', 'sh' } } }`,
    });
    const { nvim } = chat;
    await nvim.lua("vim.api.nvim_exec_autocmds('FocusLost', {})");
    await nvim.lua(`
      local notify, chat = require('acp.attention.notify').notify, require('acp.chats').current()
      notify(chat, 'finished', 'not this')
      notify(chat, 'waiting', '-x $(touch evil) · :AcpAnswer')`);
    await nvim.waitFor(() => chat.onDisk('note') === 'tester|-x $(touch evil)|', 'the program');
    expect(chat.onDisk('evil')).toBeUndefined();
  });

  it('are configured with complaints about what is unknown', async ({ nvim }) => {
    await nvim.lua("require('acp').setup({ notify = { 'message', 'smoke' } })");
    expect(await nvim.messages()).toContain('notify has an unknown value: "smoke"');
    expect(await nvim.lua("return require('acp.config').get().notify.with")).toEqual(['message']);
  });
});

describe('a running turn', () => {
  it('makes the transcript busy and has a progress message that ends', async ({ start }) => {
    const chat = await startProgrammableChat(start, {
      config: '{ progress = true }',
      init: `_G.progress = {}
        if vim.fn.has('nvim-0.12') == 1 then
          vim.api.nvim_create_autocmd('Progress', { pattern = 'acp', callback = function(args)
            table.insert(_G.progress, args.data.status)
          end })
        end`,
    });
    const { nvim } = chat;
    const isNew = await nvim.lua<boolean>("return vim.fn.has('nvim-0.12') == 1");
    const busy = () => nvim.lua<number>("return vim.bo[require('acp.chats').current().buf].busy");
    await chat.begin(['wait', 'go']);
    await waitForLine(nvim, '●1');
    if (isNew) expect(await busy()).toBe(1);
    await nvim.command('bwipeout! acp://tester-1 | AcpChat');
    if (isNew) await nvim.waitFor(async () => (await busy()) === 1, 'a busy new transcript');
    fs.writeFileSync(chat.at('go'), '');
    await waitForLine(nvim, '');
    if (isNew) await nvim.waitFor(async () => (await busy()) === 0, 'an idle transcript');
    expect(await nvim.lua('return _G.progress')).toEqual(isNew ? ['running', 'success'] : []);
  });
});

describe('a progress message', () => {
  const recordProgress = `
    _G.progress = {}
    vim.api.nvim_create_autocmd('Progress', { pattern = 'acp', callback = function(args)
      table.insert(_G.progress, args.data.status)
    end })`;

  it.skipIf(process.env.ACP_TEST_NVIM === '0.10').for<[string, (nvim: TestNvim) => Promise<unknown>]>([
    [
      'the agent exits',
      async (nvim) => {
        const [pid] = await nvim.lua<number[]>('return _G.agents()');
        process.kill(pid!, 'SIGKILL');
      },
    ],
    ['the chat is closed', (nvim) => nvim.command('AcpClose')],
    ['the host exits', (nvim) => nvim.command('AcpRestart!')],
  ])('ends when %s', async ([, end], { start }) => {
    const nvim = await start({
      init: `vim.g.acp = vim.tbl_extend('force', { progress = true }, ${programmableAgents})`,
    });
    await nvim.lua(`
      ${recordProgress}
      _G.agents = function()
        local found = {}
        local host = require('acp.host').request('host.status', {}).pid
        for _, pid in ipairs(vim.api.nvim_get_proc_children(host)) do
          if (vim.api.nvim_get_proc(pid) or {}).name == 'node' then table.insert(found, pid) end
        end
        return found
      end`);
    await nvim.command('AcpChat tester');
    await nvim.input('<Esc>');
    await nvim.lua("require('acp').send(...)", JSON.stringify([['wait', 'never']]));
    await waitForLine(nvim, '●1');
    expect(await nvim.lua('return _G.progress')).toEqual(['running']);
    await end(nvim);
    await nvim.waitFor(
      async () => (await nvim.lua<string[]>('return _G.progress')).at(-1) === 'failed',
      'the end of the progress message',
    );
    expect(await nvim.lua('return _G.progress')).toEqual(['running', 'failed']);
  });
});

describe('the component of lualine', () => {
  it('is found by its name and shows the statusline', async ({ start }) => {
    const chat = await startProgrammableChat(start);
    const { nvim } = chat;
    // What lualine does with a name in its sections.
    await nvim.lua(`
      package.loaded['lualine.component'] = { extend = function() return {} end }
      _G.component = require('lualine.components.acp')`);
    expect(await nvim.lua('return _G.component:update_status()')).toBe('');
    await chat.begin(anyPermission);
    await waitForLine(nvim, '?1 ●1');
    expect(await nvim.lua('return _G.component:update_status()')).toBe('?1 ●1');
  });
});

// A question may have opened by itself before.
async function inboxLabels(nvim: TestNvim): Promise<readonly string[]> {
  const labels = () =>
    nvim.lua<string[] | null>(`
      for _, asked in ipairs(_G.asked) do
        if asked.kind == 'acp.inbox' then return asked.labels end
      end`);
  return nvim.waitFor(async () => (await labels()) ?? undefined, 'the inbox');
}

describe(':AcpInbox', () => {
  it('says so when nothing waits', async ({ start }) => {
    const chat = await startProgrammableChat(start, { init: recordNotifications });
    await chat.nvim.command('AcpInbox');
    await chat.nvim.waitFor(
      async () => (await chat.nvim.lua<string[]>('return _G.said')).includes('acp: nothing waits for you'),
      'the message',
    );
  });

  it('lists questions, finished turns and changes of all chats, and goes to each', async ({ start }) => {
    const chat = await startEditingChat(start, { init: recordQuestions });
    const { nvim } = chat;
    await toggle(chat);
    await nvim.lua(
      "require('acp').send(..., { chat = 1, open = false })",
      JSON.stringify([['disk', 'a.txt', 'one\n']]),
    );
    await waitForLine(nvim, '✓1 ±1');
    await nvim.command('AcpNew tester');
    await nvim.input('<Esc>');
    await chat.begin(anyPermission);
    await waitForLine(nvim, '?1 ●1 ✓1 ±1');
    await toggle(chat);
    await nvim.command('AcpInbox');
    const labels = await inboxLabels(nvim);
    expect(labels.map((label) => label.slice(0, 1)).toSorted()).toEqual(['?', '±', '✓'].toSorted());
    expect(labels[0]).toMatch(/^\? .*Tester wants to run: rm -rf build · just now$/);
    expect(labels.join('\n')).toMatch(/± .* 1 file to review/);
    const choose = (sign: string) =>
      nvim.lua(
        `for _, asked in ipairs(_G.asked) do
           for _, item in ipairs(asked.kind == 'acp.inbox' and asked.items or {}) do
             if vim.startswith(item.label, ...) then asked.answer(item) end
           end
         end`,
        sign,
      );
    await choose('✓');
    await waitForLine(nvim, '?1 ●1 ±1');
    expect(await nvim.lua("return require('acp.chats').current().id")).toBe(1);
    await nvim.input('<Esc>');
    const before = await chat.timesAsked;
    await choose('?');
    await nvim.waitFor(async () => (await chat.timesAsked) > before, 'the question');
    expect(await nvim.lua('return _G.asked[#_G.asked].prompt')).toContain('rm -rf build');
    await choose('±');
    await nvim.waitForScreen('Changes by Tester');
  });

  it('is a float in which one digit goes there, if questions open in floats', async ({ start }) => {
    const chat = await startProgrammableChat(start, { config: "{ question = 'float' }" });
    const { nvim } = chat;
    await toggle(chat);
    await nvim.lua("require('acp').send('[]', { open = false })");
    await waitForLine(nvim, '✓1');
    await nvim.command('AcpInbox');
    await nvim.waitForScreen('What waits for you, the newest first:');
    await nvim.waitForScreen(/1 ✓ .*has finished/);
    await nvim.input('1');
    await waitForLine(nvim, '');
    await nvim.waitForScreen('tester · prompt');
    expect(await chat.timesAsked).toBe(0);
  });

  it.for<[string, string]>([
    ['Insert', 'i'],
    ['Visual', 'v'],
    ['Terminal', ':terminal cat<CR>i'],
  ])('is gone through from %s mode', async ([, keys], { start }) => {
    const init = `${recordQuestions}\nvim.keymap.set({ 'n', 'i', 'x', 't' }, '<F5>', '<Plug>(acp-next)')`;
    const chat = await startProgrammableChat(start, { init });
    const { nvim } = chat;
    await toggle(chat);
    await nvim.lua("require('acp').send('[]', { open = false })");
    await waitForLine(nvim, '✓1');
    await nvim.input(`${keys}<F5>`);
    await nvim.waitForScreen('tester · prompt');
    await waitForLine(nvim, '');
  });

  it('is walked through by <Plug>(acp-next)', async ({ start }) => {
    const init = `${recordQuestions}\nvim.keymap.set('n', '<F5>', '<Plug>(acp-next)')`;
    const chat = await startProgrammableChat(start, { init });
    const { nvim } = chat;
    await toggle(chat);
    await nvim.lua("require('acp').send('[]', { open = false })");
    await waitForLine(nvim, '✓1');
    await nvim.input('<F5>');
    await waitForLine(nvim, '');
    await nvim.input('<Esc>');
    await chat.begin({ all: [anyPermission, anyPermission] });
    await waitForLine(nvim, '?2 ●1');
    await toggle(chat);
    const before = await chat.timesAsked;
    await nvim.input('<F5>');
    await nvim.waitFor(async () => (await chat.timesAsked) > before, 'a question');
    await nvim.lua('local asked = _G.asked[#_G.asked]; asked.answer(asked.items[1])');
    await waitForLine(nvim, '?1 ●1');
    await nvim.input('<F5>');
    await nvim.waitFor(async () => (await chat.timesAsked) > before + 1, 'the other question');
  });
});

describe('the Lua API', () => {
  it('sends a prompt to a chat and calls back with the end of its turn', async ({ start }) => {
    const chat = await startEditingChat(start);
    const { nvim } = chat;
    await nvim.lua(
      `_G.turns = {}
       require('acp').send(..., { chat = 1, callback = function(turn) table.insert(_G.turns, turn) end })`,
      JSON.stringify([['disk', 'a.txt', 'one\n']]),
    );
    await nvim.waitFor(() => nvim.lua<boolean>('return #_G.turns > 0'), 'the callback');
    expect(await nvim.lua('return _G.turns')).toMatchObject([
      { stop_reason: 'end_turn', text: 'done', files: [{ path: chat.at('a.txt'), added: 1 }] },
    ]);
  });

  it('calls back for prompts that are removed from the queue, and when the chat is closed', async ({
    start,
  }) => {
    const chat = await startProgrammableChat(start);
    const { nvim } = chat;
    await chat.begin(['wait', 'go']);
    await nvim.lua(`
      _G.turns = {}
      require('acp').send('[]', { callback = function(turn) table.insert(_G.turns, turn.stop_reason) end })`);
    await nvim.waitFor(
      async () => (await nvim.lua("return require('acp').sessions()[1].queued")) === 1,
      'the queue',
    );
    await nvim.lua("require('acp').cancel(1)");
    await nvim.input(':AcpQueue<CR>ggdG:wq<CR>');
    await nvim.waitFor(() => nvim.lua<boolean>('return #_G.turns > 0'), 'the callback');
    fs.writeFileSync(chat.at('go'), '');
    await waitForLine(nvim, '');
    await nvim.lua(`
      local steps = vim.json.encode({ { 'wait', 'never' } })
      require('acp').send(steps, { callback = function(turn) table.insert(_G.turns, turn.stop_reason) end })`);
    await waitForLine(nvim, '●1');
    await nvim.command('AcpClose');
    await nvim.waitFor(() => nvim.lua<boolean>('return #_G.turns > 1'), 'the callback');
    expect(await nvim.lua('return _G.turns')).toEqual(['not_sent', 'closed']);
    expect(await statusline(nvim)).toBe('');
  });

  it('answers questions by the number, the name or the kind of a choice', async ({ start }) => {
    const chat = await startProgrammableChat(start, { init: `${recordEvents}\n${recordNotifications}` });
    const { nvim } = chat;
    await toggle(chat);
    await nvim.lua(
      "require('acp').send(..., { open = false })",
      JSON.stringify([{ all: [1, 2, 3].map((at) => permissionFor(`make ${at}`)) }]),
    );
    await waitForEvent(nvim, 'AcpWaiting', 3);
    await waitForLine(nvim, '?3 ●1');
    const questions = await nvim.lua<Record<string, unknown>[]>("return require('acp').questions()");
    expect(questions[0]).toEqual({
      chat: 1,
      agent: 'tester',
      question: expect.any(Number),
      kind: 'permission',
      tool_kind: 'execute',
      text: 'Tester wants to run: make 1',
      choices: [
        { name: 'Allow', kind: 'allow_once' },
        { name: 'Reject', kind: 'reject_once' },
      ],
      revision: 1,
    });
    expect((await fired(nvim)).find(({ name }) => name === 'AcpWaiting')?.data).toEqual({
      ...questions[0],
      session: 's1',
      waiting: 1,
    });
    const answer = (at: number, choice: string) =>
      nvim.lua<boolean>(`return require('acp').answer(require('acp').questions(1)[${at}], ${choice})`);
    expect(await answer(1, "'Later'")).toBe(false);
    expect(await answer(1, '2')).toBe(true);
    await waitForLine(nvim, '?2 ●1');
    expect(await answer(1, "'Allow'")).toBe(true);
    await waitForLine(nvim, '?1 ●1');
    // One that is answered already, or that was another when it was read, stays as it is.
    await nvim.lua('require("acp").answer(..., 1)', questions[0]);
    await nvim.lua(
      'require("acp").answer(vim.tbl_extend("force", require("acp").questions()[1], { revision = 9 }), 1)',
    );
    const said = () => nvim.lua<string[]>('return _G.said');
    await nvim.waitFor(
      async () => (await said()).some((line) => line.includes('has changed')),
      'the message',
    );
    expect((await said()).join('\n')).toContain('the question is no longer open');
    expect(await answer(1, "'reject_once'")).toBe(true);
    await waitForEvent(nvim, 'AcpTurnEnded');
    expect((await nvim.lua<string[]>("return require('acp').transcript(1)")).join('\n')).toMatch(
      /"optionId":"no".*"optionId":"yes".*"optionId":"no"/s,
    );
    expect(await nvim.lua("return require('acp').questions()")).toEqual([]);
  });

  it('attaches files and mentions to a prompt', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    fs.writeFileSync(`${nvim.sandbox.cwd}/my notes.md`, 'one\n');
    fs.writeFileSync(`${nvim.sandbox.cwd}/a.md`, 'one\n');
    await nvim.lua("require('acp').send('resources', { attachments = { 'my notes.md', '@a.md:1' } })");
    await nvim.waitForScreen('▪ my notes.md');
    await nvim.waitForScreen('▪ a.md:1');
    await nvim.waitForScreen('You attached:');
  });

  it('listens to events with on() until off()', async ({ start }) => {
    const chat = await startProgrammableChat(start, { init: recordEvents });
    const { nvim } = chat;
    await nvim.lua(`
      _G.heard = {}
      _G.listen = function(data, name) table.insert(_G.heard, name .. data.chat) end
      require('acp').on('AcpTurnStarted', _G.listen)
      _G.stop = require('acp').on('*', _G.listen)`);
    await chat.run();
    await waitForEvent(nvim, 'AcpTurnEnded');
    expect(await nvim.lua('return _G.heard')).toEqual([
      'AcpTurnStarted1',
      'AcpTurnStarted1',
      'AcpTurnEnded1',
    ]);
    await nvim.lua("require('acp').off('AcpTurnStarted', _G.listen); _G.stop()");
    await chat.run();
    await waitForEvent(nvim, 'AcpTurnEnded', 2);
    expect(await nvim.lua('return #_G.heard')).toBe(3);
    await expect(nvim.lua("require('acp').on('AcpNothing', print)")).rejects.toThrow('unknown event');
  });

  it('gives the transcript as lines and as Markdown', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello');
    expect(await nvim.lua("return require('acp').transcript(1)")).toContain('hello');
    await nvim.lua("require('acp').markdown(1, function(text) _G.markdown = text end)");
    const markdown = await nvim.waitFor(() => nvim.lua<string>('return _G.markdown'), 'the Markdown');
    expect(markdown).toMatch(/## You\n\nhello\n\n## Tour/);
  });
});

describe('names', () => {
  it('of functions are the same in Lua and in the help, each with its types', async ({ nvim }) => {
    const known = await nvim.lua<string[]>("return vim.fn.sort(vim.tbl_keys(require('acp')))");
    const help = fs.readFileSync('doc/acp.txt', 'utf8');
    const told = [...help.matchAll(/^require\('acp'\)\.(\w+)\((.*?)\) +\*acp\.(\w+)\(\)\*$/gm)];
    expect(told.map(([, name]) => name).toSorted()).toEqual(known);
    expect(told.map(([, , , tag]) => tag).toSorted()).toEqual(known);
    const source = fs.readFileSync('lua/acp/init.lua', 'utf8');
    for (const [, name, given] of told) {
      const [, comment = '', parameters = ''] =
        source.match(new RegExp(`((?:^---.*\\n)+)^function M\\.${name}\\((.*)\\)`, 'm')) ?? [];
      const names = parameters.split(', ').filter((each) => each !== '');
      expect([...comment.matchAll(/^---@param (\w+)/gm)].map(([, each]) => each)).toEqual(names);
      expect(given!.split(', ').filter((each) => each !== '')).toEqual(names.map((each) => `{${each}}`));
    }
  });

  it('of events are the same in the host, in Lua and in the help', async ({ nvim }) => {
    const known = await nvim.lua<string[]>("return require('acp.attention.events').names");
    const source = fs.readFileSync('src/app/attention/events.ts', 'utf8');
    const ofHost = [...source.matchAll(/^ {2}\| '(Acp\w+)'/gm)].map(([, name]) => name!);
    expect([...ofHost, 'AcpChatClosed'].toSorted()).toEqual(known);
    const help = fs.readFileSync('doc/acp.txt', 'utf8');
    const told = [...help.matchAll(/\*(Acp[A-Z]\w+)\*/g)].map(([, name]) => name!);
    expect(told.toSorted()).toEqual(known);
  });
});
