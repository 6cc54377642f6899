import { describe, expect, it } from 'vitest';
import { FaultyChat } from '../support/faults/faulty-chat.ts';
import { shareNvim } from '../support/faults/shared-nvim.ts';
import { isLong } from '../support/long.ts';
import { recordNotifications, recordQuestions } from '../support/nvim/user.ts';

// A message of several lines, such as the error of an autocommand, makes Neovim 0.10 wait for a key.
const canBeQuiet = process.env.ACP_TEST_NVIM !== '0.10';
const noWaiting = `vim.o.more = false ${canBeQuiet ? "vim.o.messagesopt = 'wait:0,history:500'" : ''}`;

const nvimOf = shareNvim({
  init: `${recordQuestions}\n${recordNotifications}\n_G.recording_select = vim.ui.select\n${noWaiting}`,
  columns: 120,
  files: { 'note.txt': 'as it was\n' },
});

const answersIn = (chat: FaultyChat) => chat.received.filter(({ id, method }) => id === 'open' && !method);
const chosen = (optionId: string) => [{ result: { outcome: { outcome: 'selected', optionId } } }];

describe('a vim.ui.select of the user', () => {
  /** What it does, as Lua, and whether that has answered the question. */
  const selects: readonly (readonly [string, string, boolean])[] = [
    ['fails', "error('broken picker')", false],
    ['never calls back', '', false],
    ['calls back twice', 'on_choice(items[1], 1) on_choice(items[1], 1)', true],
    ['calls back with two choices', 'on_choice(items[1], 1) on_choice(items[2], 2)', true],
    ['calls back and fails', "on_choice(items[1], 1) error('broken picker')", true],
    ['calls back with an item of its own', "on_choice({ label = 'Yes' }, 1)", false],
    ['calls back with a text', "on_choice('Yes', 1)", false],
    ['closes the chat', "vim.cmd('AcpChat!') on_choice(items[1], 1)", true],
  ];

  it.each(selects)('that %s leaves the question answered once', async (_, code, isAnswered) => {
    const nvim = nvimOf();
    await nvim.lua('vim.ui.select = _G.recording_select');
    const chat = await FaultyChat.open(nvim, { stage: 'permission', fault: 'none' });
    await chat.waitForPhase('idle');
    await chat.type('a draft');
    await chat.send('go on');
    await chat.waitForQuestions(1);
    await nvim.lua(`
      _G.times = 0
      vim.ui.select = function(items, _, on_choice)
        _G.times = _G.times + 1
        ${code}
      end`);
    await nvim.input(':AcpAnswer<CR>');
    await nvim.waitFor(() => nvim.lua<boolean>('return _G.times == 1'), 'the picker');
    await chat.waitForQuestions(isAnswered ? 0 : 1);
    await nvim.lua('vim.ui.select = _G.recording_select');
    if (!isAnswered) await chat.answer('Yes');
    chat.go();
    await nvim.command('AcpChat');
    await nvim.input('<Esc>');
    await chat.waitForText('all is well');
    await chat.waitForPhase('idle');
    expect(answersIn(chat)).toMatchObject(chosen('yes'));
    await chat.waitForPrompt('a draft');
    await chat.close();
  });
});

describe('autocommands of the user that fail', () => {
  const groups = [
    ['WinEnter', 'WinLeave', 'WinNew', 'WinClosed', 'WinScrolled', 'WinResized'],
    ['BufAdd', 'BufEnter', 'BufLeave', 'BufWinEnter', 'BufHidden', 'BufDelete', 'BufWipeout', 'FileType'],
    [
      'TextChanged',
      'TextChangedI',
      'CursorMoved',
      'CursorMovedI',
      'InsertEnter',
      'InsertLeave',
      'ModeChanged',
    ],
    ['OptionSet', 'FileChangedShellPost', 'BufReadPost', 'User', 'TabNew', 'TabClosed'],
  ];

  const rows = isLong ? [...groups, ...groups.flat().map((name) => [name])] : groups;

  it.skipIf(!canBeQuiet).each(rows.map((events) => [events.join(' '), events] as const))(
    'do not break the chat: %s',
    async (_, events) => {
      const nvim = nvimOf();
      await nvim.command('edit! note.txt');
      await nvim.lua(
        `vim.api.nvim_create_autocmd(..., {
          group = vim.api.nvim_create_augroup('broken', {}),
          callback = function() error('broken autocommand', 0) end,
        })`,
        events,
      );
      await expectWorks();
      await nvim.lua("vim.api.nvim_del_augroup_by_name('broken')");
    },
  );

  it("are all ignored with 'eventignore', and the chat works", async () => {
    const nvim = nvimOf();
    await nvim.lua("vim.o.eventignore = 'all'");
    await expectWorks();
    await nvim.lua("vim.o.eventignore = ''");
  });

  async function expectWorks(): Promise<void> {
    const nvim = nvimOf();
    const chat = await FaultyChat.open(nvim, { stage: 'turn', fault: 'work' });
    await chat.waitForPhase('idle');
    await chat.send('go on');
    chat.go();
    await chat.waitForText('all is well');
    await chat.waitForPhase('idle');
    expect(nvim.sandbox.read('note.txt')).toBe('by the agent\n');
    await nvim.input('<C-\\><C-n>:AcpChat<CR>');
    const isThere = "return vim.api.nvim_get_current_buf() == require('acp.chats').current().prompt";
    await nvim.waitFor(() => nvim.lua<boolean>(isThere), 'the prompt');
    await nvim.input('<C-\\><C-n>Aa draft<Esc>');
    await chat.waitForPrompt('a draft');
    await chat.close();
  }
});
