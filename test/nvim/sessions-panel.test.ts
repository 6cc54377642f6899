import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { type ProgrammableChat, startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { converse, drawn, startChat, transcript, waitForPhase, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const panelLines = (nvim: TestNvim) =>
  nvim.lua<string[]>(`
    local buf = vim.fn.bufnr('^acp://sessions$')
    return buf == -1 and {} or vim.api.nvim_buf_get_lines(buf, 0, -1, false)`);

async function openPanel(nvim: TestNvim, command = 'AcpSessions panel'): Promise<void> {
  await nvim.command(command);
  await nvim.waitFor(async () => (await windows(nvim)).includes('acp-sessions'), 'the panel');
  await loaded(nvim);
}

const loaded = (nvim: TestNvim) =>
  nvim.waitFor(async () => {
    const lines = await panelLines(nvim);
    return lines.length > 2 && !lines.includes('  …');
  }, 'the sessions');

const shows = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await panelLines(nvim)).join('\n').includes(text), `"${text}" in the panel`);

const goTo = (nvim: TestNvim, text: string) =>
  nvim.lua('vim.fn.search([[\\V]] .. vim.fn.escape(..., "\\\\"), "w")', text);

/** Two chats: "Plan", and the current one "Hello". */
async function twoChats(nvim: TestNvim): Promise<void> {
  await converse(nvim, 'plan');
  await nvim.command('AcpNew');
  await nvim.input('<Esc>');
  await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'the second chat');
  await nvim.command('AcpSend hello');
  await nvim.waitFor(async () => (await transcript(nvim)).join().includes('hello'), 'its prompt');
}

describe('the list of sessions that stays', () => {
  it('shows state, agent, title, branch and the last line', async ({ start }) => {
    const nvim = await startChat(start);
    const cwd = await nvim.lua<string>('return vim.fn.getcwd()');
    execFileSync('git', ['init', '-q', '-b', 'trunk', cwd]);
    await converse(nvim, 'plan');
    await openPanel(nvim);
    await shows(nvim, 'tour · trunk');
    const [heading, first, , last] = await panelLines(nvim);
    expect(heading).toContain('Sessions');
    expect(first).toBe('○ Plan');
    expect(last?.trim()).not.toBe('');
    await nvim.waitForScreen('just now');
  });

  it('is read again by :edit!, and makes no error when its window is resized then', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'plan');
    await openPanel(nvim);
    await nvim.command('edit! | vsplit | redraw');
    await shows(nvim, '○ Plan');
    expect(await nvim.messages()).not.toContain('Error');
  });

  it('opens a chat, keeps its cursor, what is open and its draft, and stays open', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'plan');
    await converse(nvim, 'think');
    await nvim.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chats').current().buf))");
    await nvim.input('zR');
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((line) => line.startsWith('▾')),
      'the thought',
    );
    await drawn(nvim);
    const before = await transcript(nvim);
    await nvim.lua(`
      local chat = require('acp.chats').current()
      vim.api.nvim_set_current_win(vim.fn.bufwinid(chat.buf))
      vim.api.nvim_win_set_cursor(0, { 2, 0 })
      vim.api.nvim_buf_set_lines(chat.prompt, 0, -1, false, { 'not sent yet' })`);
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'the second chat');
    await openPanel(nvim);
    await goTo(nvim, 'Plan');
    await nvim.input('<CR>');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('plan'), 'the first chat');
    await nvim.input('<Esc>');
    const state = await nvim.lua(`
      local chat = require('acp.chats').current()
      return {
        vim.api.nvim_win_get_cursor(vim.fn.bufwinid(chat.buf))[1],
        vim.api.nvim_buf_get_lines(chat.prompt, 0, -1, false)[1],
      }`);
    expect(state).toEqual([2, 'not sent yet']);
    expect(await transcript(nvim)).toEqual(before);
    expect(await windows(nvim)).toContain('acp-sessions');
  });

  it('follows what happens in a chat, and changes only the lines of that chat', async ({ start }) => {
    const nvim = await startChat(start);
    await twoChats(nvim);
    await openPanel(nvim);
    await shows(nvim, 'Hello');
    await nvim.lua(`
      _G.changed = {}
      vim.api.nvim_buf_attach(vim.fn.bufnr('^acp://sessions$'), false, {
        on_lines = function(_, _, _, first) table.insert(_G.changed, first) end,
      })`);
    const before = await panelLines(nvim);
    await nvim.command('AcpSend ask');
    await shows(nvim, '? Tour');
    const after = await panelLines(nvim);
    const first = after.findIndex((line, index) => line !== before[index]);
    expect(first).toBeGreaterThan(2);
    expect(Math.min(...(await nvim.lua<number[]>('return _G.changed')))).toBe(first);
  });

  it('says that a line is about no session', async ({ start }) => {
    const nvim = await startChat(start);
    await openPanel(nvim);
    await nvim.input('ggx');
    await nvim.waitForScreen('acp: there is no session in this line');
  });

  it('renames with the key, at the agent', async ({ start }) => {
    const nvim = await startChat(start, {
      init: "vim.ui.input = function(options, done) _G.default = options.default; done('  Better name ') end",
    });
    await converse(nvim, 'plan');
    await openPanel(nvim);
    await shows(nvim, '○ Plan');
    // The line below the last session counts as its own.
    await nvim.input('Gr');
    await shows(nvim, '○ Better name');
    expect(await nvim.lua('return _G.default')).toBe('Plan');
    await nvim.waitForScreen('Tour · Better name');
  });

  it('closes a chat, whose session is listed as an earlier one', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'plan');
    await openPanel(nvim);
    await goTo(nvim, 'Plan');
    await nvim.input('x');
    await shows(nvim, '\n  Plan');
    expect(await nvim.lua("return vim.tbl_count(require('acp.chats').all())")).toBe(0);
    await nvim.input('<CR>');
    await waitForPhase(nvim, 'idle');
    await shows(nvim, '○ Plan');
  });

  it('deletes a session after a question, and renames one that no chat shows', async ({ start }) => {
    const nvim = await startChat(start, {
      init: `
        vim.ui.input = function(_, done) done('Kept') end
        vim.ui.select = function(items, options, done) _G.asked = options.prompt; done(items[2], 2) end`,
    });
    await converse(nvim, 'plan');
    await nvim.command('AcpClose');
    await openPanel(nvim);
    await shows(nvim, '\n  Plan');
    await goTo(nvim, 'Plan');
    await nvim.input('r');
    await shows(nvim, '\n  Kept');
    await goTo(nvim, 'Kept');
    await nvim.input('D');
    await shows(nvim, 'There are no sessions yet.');
    expect(await nvim.lua('return _G.asked')).toContain('Delete "Kept"?');
  });

  it.for<[string, (chat: ProgrammableChat) => Promise<void>]>([
    [
      'AcpForget folder',
      async ({ nvim }) => {
        await nvim.waitForScreen('2 Delete it');
        await nvim.input('2');
      },
    ],
    [
      'AcpSessions delete',
      async (chat) => {
        for (const choice of ['[{"update"', 'Delete it']) {
          const labels = await chat.nextLabels();
          await chat.pick(labels.find((label) => label.includes(choice))!.trim());
        }
      },
    ],
  ])('leaves out what :%s has deleted', async ([command, agree], { start }) => {
    const chat = await startProgrammableChat(start);
    const { nvim } = chat;
    await chat.hear('a needle');
    await nvim.command('AcpClose');
    await openPanel(nvim);
    await shows(nvim, '[{"update"');
    await nvim.command(command);
    await agree(chat);
    await nvim.waitForScreen('acp: deleted');
    await shows(nvim, 'There are no sessions yet.');
  });

  it('forks a session into a chat of its own', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'plan');
    const before = await transcript(nvim);
    await openPanel(nvim);
    await goTo(nvim, 'Plan');
    await nvim.input('F');
    await nvim.waitFor(() => nvim.lua("return vim.tbl_count(require('acp.chats').all()) == 2"), 'the fork');
    await nvim.input('<Esc>');
    await nvim.waitFor(
      async () => (await panelLines(nvim)).filter((line) => line === '○ Plan').length === 2,
      'both in the list',
    );
    await drawn(nvim);
    expect((await transcript(nvim)).slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    await nvim.command('AcpSend hello');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('hello'), 'a turn of the fork');
    const first = await nvim.lua<string[]>(
      "return vim.api.nvim_buf_get_lines(require('acp.chats').get(1).buf, 0, -1, false)",
    );
    expect(first).toEqual(before);
  });

  it('opens beside the windows with the option, and lists its keys', async ({ start }) => {
    const nvim = await startChat(start, { config: "{ sessions = 'sidebar' }" });
    await converse(nvim, 'plan');
    await openPanel(nvim, 'AcpSessions');
    expect(await windows(nvim)).toEqual(['acp-sessions', '', 'acp', 'acp-prompt']);
    expect(await nvim.lua('return vim.fn.line(".")')).toBe(2);
    await nvim.input('g?');
    await nvim.waitForScreen('fork the session');
    await nvim.input('q');
    await nvim.waitFor(async () => !(await windows(nvim)).includes('acp-keys'), 'the keys to close');
    await nvim.input('q');
    await nvim.waitFor(async () => !(await windows(nvim)).includes('acp-sessions'), 'the panel to close');
  });

  it('neutralises a hostile title', async ({ start }) => {
    const nvim = await startChat(start);
    const hostile = `%{execute('let g:hacked=1')} \u001b[31m\u202e${'x'.repeat(2000)}`;
    await converse(nvim, 'plan');
    await nvim.lua("require('acp.host').notify('session.rename', { chat = 1, text = ... })", hostile);
    await openPanel(nvim);
    await shows(nvim, '%{execute(');
    const line = (await panelLines(nvim))[1]!;
    expect(line).not.toMatch(/[\u001b\u202e]/);
    expect(line.length).toBeLessThan(80);
    await nvim.waitForScreen('%{execute(');
    expect(await nvim.lua('return vim.g.hacked or 0')).toBe(0);
  });
});

describe('names of sessions', () => {
  it('offers a whole title for editing, by key and by :AcpRename', async ({ start }) => {
    const nvim = await startChat(start, {
      init: "vim.ui.input = function(options, done) _G.default = options.default; done(options.default .. '.') end",
    });
    const title = `A title of ${'many '.repeat(12)}words`;
    const isOffered = (expected: string) =>
      nvim.waitFor(() => nvim.lua('return _G.default == ...', expected), `"${expected}" in the input`);
    await nvim.command(`AcpRename ${title}`);
    await nvim.waitForScreen('Tour · A title of');
    await nvim.command('AcpRename');
    await isOffered(title);
    await openPanel(nvim);
    await goTo(nvim, 'A title of');
    await nvim.input('r');
    await isOffered(`${title}.`);
  });

  it(':AcpRename gives a title, :AcpSessions goes to the chat with it', async ({ start }) => {
    const nvim = await startChat(start);
    await twoChats(nvim);
    await nvim.command('AcpRename My second');
    await nvim.waitForScreen('Tour · My second');
    expect(await nvim.lua("return vim.fn.getcompletion('AcpSessions P', 'cmdline')")).toEqual([
      'panel',
      'Plan',
    ]);
    await nvim.command('AcpSessions plan');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('plan'), 'the first chat');
    expect(await nvim.lua("return require('acp.chats').current().id")).toBe(1);
    await nvim.input('<Esc>:AcpSessions my <Tab><CR>');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().id == 2"), 'the second chat');
    for (const line of ['AcpSessions My s', 'AcpSessions! my S', 'Acp sessions My ', 'AcpSess second']) {
      const words = await nvim.lua("return vim.fn.getcompletion(..., 'cmdline')", line);
      expect(words, line).toEqual(line.includes('Sess ') ? [] : ['second']);
    }
    const answer = await nvim.command('AcpSessions nothing like that');
    expect(answer).toContain('no open chat is titled "nothing like that"');
  });
});
