import fs from 'node:fs';
import { describe, expect } from 'vitest';
import {
  chatStatus,
  converse,
  drawn,
  promptText,
  startChat,
  transcript,
  waitForPhase,
  windows,
} from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

describe('the prompt', () => {
  it.for([
    ['<CR> in Normal mode', 'ihello there<Esc><CR>'],
    ['<C-s> in Insert mode', 'ihello there<C-s>'],
    [':w', 'ihello there<Esc>:w<CR>'],
  ] as const)('is sent by %s', async ([, keys], { start }) => {
    const nvim = await startChat(start);
    await nvim.input(keys);
    await nvim.waitFor(
      async () => (await transcript(nvim)).includes('hello there'),
      'the prompt in the transcript',
    );
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'an empty prompt');
  });

  it('keeps its lines and can be undone like any buffer', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ione<CR>two<Esc>dd');
    expect(await promptText(nvim)).toBe('one');
    await nvim.input('u');
    expect(await promptText(nvim)).toBe('one\ntwo');
    await nvim.input('<CR>');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('two'), 'both lines in the transcript');
    expect(await transcript(nvim)).toContain('one');
  });

  it('restores a sent text on undo', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihello<Esc><CR>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'an empty prompt');
    await nvim.input('u');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'hello', 'the text again');
  });

  it('sends nothing when there is only white space', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('i   <CR>  <Esc><CR>');
    await converse(nvim, 'hello');
    expect((await transcript(nvim)).filter((line) => line === 'You')).toHaveLength(1);
  });

  it('grows with its text up to a third of the screen', async ({ start }) => {
    const nvim = await startChat(start, { lines: 30 });
    const height = () => nvim.lua<number>('return vim.api.nvim_win_get_height(0)');
    expect(await height()).toBe(2);
    await nvim.input('ione<CR>two<CR>three<CR>four<Esc>');
    await nvim.waitFor(async () => (await height()) === 4, 'four lines');
    await nvim.input(`o${'more<CR>'.repeat(20)}<Esc>`);
    await nvim.waitFor(async () => (await height()) === 10, 'a third of the screen');
    await nvim.input('ggdG');
    await nvim.waitFor(async () => (await height()) === 2, 'two lines');
  });

  it('shows its first line when several lines are inserted at once', async ({ start }) => {
    const nvim = await startChat(start, { lines: 30 });
    await nvim.lua(`vim.fn.setreg('a', { 'one', 'two', 'three', 'four' }, 'V')`);
    await nvim.input('i<C-r>a');
    await nvim.waitForScreen('four');
    await nvim.waitForScreen('› one');
  });

  it('is full when more lines than it can show are inserted at once', async ({ start }) => {
    const nvim = await startChat(start, { lines: 30 });
    await nvim.lua(`vim.fn.setreg('a', vim.fn.range(1, 40), 'V')`);
    await nvim.input('i<C-r>a');
    const first = () =>
      nvim.lua("return { vim.api.nvim_win_get_height(0), vim.fn.line('w0'), vim.fn.line('.') }");
    await nvim.waitFor(async () => `${await first()}` === '10,32,41', 'the last ten lines');
  });

  it('shows the keys while it is empty', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    await nvim.waitForScreen('<CR> send · @ / menu · g? keys');
    await nvim.input('ix');
    await nvim.waitForScreen((text) => !text.includes('<CR> send'));
    await nvim.input('<BS>');
    await nvim.waitForScreen('<C-s> send · @ / menu');
  });

  it('shows how to stop a turn only while one runs', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    await nvim.command('AcpSend hang');
    await nvim.waitForScreen('<CR> queue · <C-c> stop · @ / menu · g? keys');
    await nvim.input('i');
    await nvim.waitForScreen('<C-s> queue · <C-c><C-c> stop · @ / menu');
    await nvim.input('<C-c><C-c>');
    await waitForPhase(nvim, 'idle');
    // A prompt that did not reach the agent is back in the buffer, which has no hint then.
    await nvim.waitForScreen((text) => !text.includes('stop'));
  });

  it('begins below the text of the transcript, behind its sign', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihello');
    await nvim.waitForScreen('› hello');
    const place = (buf: string) =>
      nvim.lua<number>(
        `return vim.fn.getwininfo(vim.fn.win_findbuf(require('acp.chats').current().${buf})[1])[1].textoff`,
      );
    expect([await place('buf'), await place('prompt')]).toEqual([1, 3]);
    const screen = nvim.screen.lines();
    const welcome = screen.find((line) => line.includes('Welcome'))!;
    expect(screen.find((line) => line.includes('› hello'))!.indexOf('›')).toBe(welcome.indexOf('Welcome'));
  });

  it.for([
    ['the window is narrow', { columns: 60 }],
    ['completion does not open by itself', { columns: 120, config: "{ completion = 'manual' }" }],
  ] as const)('shows no keys of completion when %s', async ([, options], { start }) => {
    const nvim = await startChat(start, options);
    await nvim.waitForScreen('<CR> send · g? keys');
  });

  it('shows the keys that fit, and how to resume a paused queue first', async ({ start }) => {
    const nvim = await startChat(start, { columns: 80, lines: 24 });
    await nvim.command('AcpSend permission');
    await nvim.waitForScreen('wants to run');
    await nvim.command('AcpSend hello');
    await nvim.waitForScreen('1 queued');
    await nvim.command('AcpCancel');
    await nvim.waitForScreen(/› +<CR> resume the queue/);
    await nvim.waitForScreen('1 paused · :AcpQueue resume');
  });

  it('does not keep Neovim from quitting', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ia draft<Esc>');
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
  });

  it('keeps text that was typed while the prompt was being sent', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihello<Esc><CR>onext thought<Esc>');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'next thought', 'the new text alone');
  });

  it('is not joined with prompts that are sent before the host has accepted it', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ione<C-s>two<C-s><C-s>three<CR>four<C-s>a draft');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'a draft', 'the draft alone');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('four'), 'the last prompt');
    const lines = await transcript(nvim);
    const prompts = lines.flatMap((line, row) => (line === 'You' ? [lines[row + 1]] : []));
    expect(prompts).toEqual(['one', 'two', 'three']);
  });

  it('is queued while a turn runs, and sent after it', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpSend slow 20');
    await waitForPhase(nvim, 'running');
    await nvim.command('AcpSend hello after that');
    await nvim.waitForScreen('1 queued');
    await nvim.waitFor(
      async () => (await transcript(nvim)).includes('hello after that'),
      'the second prompt',
    );
    await waitForPhase(nvim, 'idle');
    const lines = await transcript(nvim);
    expect(lines.indexOf('slow 20')).toBeLessThan(lines.indexOf('hello after that'));
  });

  it('is returned when its turn fails before an answer', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpSend error');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'error', 'the text in the prompt');
    await drawn(nvim);
    expect((await transcript(nvim)).some((line) => line.startsWith('! Tour reports an error'))).toBe(true);
  });

  it('is returned each time, also if the prompt has the same text already', async ({ start }) => {
    const nvim = await startChat(start);
    for (const both of ['error', 'error\n\nerror', 'error\n\nerror\n\nerror']) {
      await nvim.command('AcpSend error');
      await nvim.waitFor(async () => (await promptText(nvim)) === both, JSON.stringify(both));
      await waitForPhase(nvim, 'idle');
    }
  });

  it('that is returned is put above the text being typed', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpSend error');
    await nvim.input('imy next thou');
    await nvim.waitFor(async () => (await promptText(nvim)).includes('error'), 'the prompt');
    await nvim.input('ght goes on<Left><Left>!');
    await nvim.waitFor(async () => (await promptText(nvim)).includes('!'), 'the typed text');
    expect(await promptText(nvim)).toBe('error\n\nmy next thought goes !on');
  });

  it('that is returned into an empty buffer in Insert mode is not typed into', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ierror<C-s>');
    await nvim.waitFor(async () => (await promptText(nvim)).startsWith('error'), 'the prompt to come back');
    await nvim.input('limit');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'error\n\nlimit', 'both texts');
  });

  it('that is accepted and returned while an operator waits for its motion is not lost', async ({
    start,
  }) => {
    const nvim = await startChat(start);
    await nvim.input('ierror<Esc><CR>d');
    await nvim.waitFor(async () => (await chatStatus(nvim))?.entries === 3, 'the error');
    await drawn(nvim);
    await nvim.input('<Esc>');
    const isSending = () => nvim.lua("return require('acp.chats').current().sending ~= nil");
    await nvim.waitFor(async () => !(await isSending()), 'the changes of the text');
    expect(await promptText(nvim)).toBe('error');
  });

  it.for([
    ['deletes the buffer', 'bdelete!'],
    ['closes the chat', 'AcpClose'],
  ] as const)(
    'that waits for a motion to be returned is not lost if the user %s',
    async ([, command], { start }) => {
      const nvim = await startChat(start);
      await nvim.input('ia draft<Esc>d');
      await nvim.command('AcpSend error');
      const isReturned = () => nvim.lua<boolean>("return require('acp.chats').current().recovered ~= nil");
      await nvim.waitFor(isReturned, 'the prompt to be returned');
      await nvim.command(command);
      await nvim.command('AcpChat tour');
      await nvim.input('<Esc>');
      await nvim.waitFor(async () => (await promptText(nvim)) === 'error\n\na draft', 'both texts');
    },
  );

  it('is sent without the empty lines above and below it', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('i<CR><CR>  hello<CR><CR><Esc><CR>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'an empty prompt');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('You'), 'the prompt in the transcript');
    const lines = await transcript(nvim);
    const heading = lines.indexOf('You');
    expect(lines.slice(heading, heading + 3)).toEqual(['You', '  hello', '']);
  });

  it.for(['w', 'saveas'])(
    'is not sent but written by :%s with the name of a file',
    async (word, { start }) => {
      const nvim = await startChat(start);
      await nvim.input('ihello<CR>you<Esc>');
      await nvim.input(`:${word} note.txt<CR>`);
      const file = nvim.sandbox.path('note.txt');
      await nvim.waitFor(
        () => fs.existsSync(file) && fs.readFileSync(file, 'utf8') === 'hello\nyou\n',
        'the file',
      );
      await nvim.waitFor(
        async () => (await nvim.lua<string>('return vim.api.nvim_buf_get_name(0)')) === 'acp://tour-1-prompt',
        'the name of the buffer',
      );
      expect((await nvim.command('ls!')).split('-prompt"')).toHaveLength(2);
      expect(await promptText(nvim)).toBe('hello\nyou');
      await nvim.input(`:${word} note.txt<CR>`);
      await nvim.waitFor(async () => /exists/.test(await nvim.messages()), 'the refusal');
      await nvim.input('<CR>:w<CR>');
      await nvim.waitFor(async () => (await promptText(nvim)) === '', 'the prompt to be sent');
      await nvim.waitFor(async () => (await transcript(nvim)).includes('hello'), 'the prompt in the chat');
    },
  );

  it('that was returned is not sent by accident', async ({ start }) => {
    const nvim = await startChat(start, { columns: 160 });
    const entries = async () => (await chatStatus(nvim))?.entries;
    await nvim.input('ierror<C-s>');
    // Typed in Neovim: on a busy machine half a second would pass before the key arrives.
    await nvim.lua(`
      local prompt = require('acp.chats').current().prompt
      vim.wait(20000, function()
        local lines = vim.api.nvim_buf_get_lines(prompt, 0, -1, false)
        return lines[1] == 'error' and #lines > 1
      end, 1)
      vim.api.nvim_input('<C-s>')`);
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('a prompt was just returned unsent'),
      'the notice',
    );
    await nvim.waitForScreen('error returned, not sent');
    const before = await entries();
    await nvim.input('limit');
    await nvim.waitFor(async () => {
      await nvim.input('<C-s>');
      return (await nvim.messages()).includes('was returned above your text; send again to send both');
    }, 'the notice');
    expect(await entries()).toBe(before);
    await nvim.input('<Esc>ggdj<CR>');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('limit'), 'the text alone to be sent');
  });

  it.for<[string, string]>([
    ['at the default size', '{}'],
    ['below what is sent along', "{ context = { 'file' } }"],
  ])('shows what is reported to a key in Insert mode, %s', async ([, config], { start }) => {
    const nvim = await startChat(start, { config, files: { 'a.ts': 'a\n' }, init: 'vim.cmd.edit("a.ts")' });
    await nvim.input('ierror<C-s>');
    await nvim.waitFor(async () => (await promptText(nvim)).startsWith('error\n'), 'the prompt to come back');
    await nvim.input('more');
    const report = 'send again to send both';
    await nvim.waitFor(async () => {
      await nvim.input('<C-s>');
      return (await nvim.messages()).includes(report);
    }, 'the notice');
    await nvim.waitForScreen((screen) => screen.includes(report) && screen.includes('-- INSERT --'));
    await nvim.input('!');
    await nvim.waitForScreen((screen) => screen.includes('more!') && !screen.includes(report));
  });

  it.for(['Acp', 'AcpPrompt', 'AcpAgents', 'AcpHistory'])(
    'is not sent by the <CR> of q<CR>, which closes the list of :%s',
    async (command, { start }) => {
      const nvim = await startChat(start);
      await converse(nvim, 'hello');
      const before = await chatStatus(nvim);
      await nvim.input('iunfinished<Esc>');
      await nvim.waitFor(async () => (await promptText(nvim)) === 'unfinished', 'the draft');
      await nvim.input(`:${command}<CR>`);
      await nvim.waitForScreen('Type number and <Enter>');
      await nvim.input('q<CR>');
      await nvim.waitForScreen('ignored <CR>, which was typed just after a list was closed');
      expect(await promptText(nvim)).toBe('unfinished');
      expect(await chatStatus(nvim)).toEqual(before);
      await nvim.waitFor(async () => {
        await nvim.input('<CR>');
        return (await promptText(nvim)) === '';
      }, 'the prompt to be sent later');
    },
  );

  it.for([
    ['stays', '', 'hello @selection'],
    ['stays apart from what was typed and sent since', 'Atwo<Esc><CR>', 'hello @selection\n\ntwo'],
  ] as const)(
    'that is being sent is not sent if the user cancels, and %s',
    async ([, since, left], { start }) => {
      const nvim = await startChat(start);
      await nvim.lua(`
      local read = require('acp.context').read
      require('acp.context').read = function(...)
        local arguments = { ... }
        vim.g.is_asked = true
        _G.answer = function() read(unpack(arguments)) end
      end
      local cancel = require('acp.chat.actions').cancel
      require('acp.chat.actions').cancel = function(...)
        vim.g.is_cancelled = true
        return cancel(...)
      end`);
      await nvim.input('ihello @selection<Esc><CR>');
      await nvim.waitFor(() => nvim.lua<boolean>('return vim.g.is_asked == true'), 'the request');
      await nvim.input(`${since}<C-c>`);
      await nvim.waitFor(() => nvim.lua<boolean>('return vim.g.is_cancelled == true'), 'the key');
      await nvim.lua('answer()');
      await nvim.waitFor(
        () => nvim.lua<boolean>("return require('acp.chats').current().sending == nil"),
        'the end',
      );
      expect(await promptText(nvim)).toBe(left);
      await drawn(nvim);
      expect((await transcript(nvim)).filter((line) => line === 'You')).toEqual([]);
    },
  );

  it.for([
    ['behind', 'hello', 'A', 'ab', 'ab'],
    ['in another line', 'one<CR>two', 'o', 'ab<Left>', 'ab'],
  ] as const)(
    'that was accepted leaves the cursor in the text typed since, %s',
    async ([, sent, enter, since, left], { start }) => {
      const nvim = await startChat(start, { config: '{ keys = { send = false } }' });
      await nvim.input(`i${sent}<Esc>${enter}${since}`);
      const cursor = () => nvim.lua<[number, number]>('return vim.api.nvim_win_get_cursor(0)');
      await nvim.waitFor(async () => (await promptText(nvim)).endsWith('ab'), 'the text');
      const [, column] = await cursor();
      const text = sent.replace('<CR>', '\n');
      await nvim.lua("require('acp.chats').current().sending = ...", {
        id: 'a',
        text,
        prompt: text,
        following: [],
      });
      await nvim.lua("require('acp.chat.prompt.sending').accepted(require('acp.chats').current(), ...)", {
        id: 'a',
        text,
      });
      expect(await promptText(nvim)).toBe(left);
      expect(await cursor()).toEqual([1, enter === 'A' ? column - sent.length : column]);
      await nvim.input('X');
      await nvim.waitFor(async () => (await promptText(nvim)).includes('X'), 'a key');
      expect(await promptText(nvim)).toBe(enter === 'A' ? 'abX' : 'aXb');
    },
  );

  it('offers the slash commands of the agent as completion', async ({ start }) => {
    const nvim = await startChat(start, { config: "{ completion = 'manual' }" });
    await nvim.waitFor(
      () => nvim.lua<boolean>("return #(require('acp.chats').current().commands or {}) > 0"),
      'the commands',
    );
    await nvim.input('i/pla<C-x><C-o>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '/plan', 'the completed command');
  });

  it('keeps its keys while windows change on another tab page', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.waitForScreen('<CR> send');
    await nvim.command('tabnew | vsplit');
    await nvim.waitForScreen(/│~/);
    await nvim.command('tabclose');
    await nvim.waitForScreen('<CR> send');
  });

  const tellCommands = (nvim: TestNvim) =>
    nvim.lua(`require('acp.operations').receive('chat.state', { chat = 1, context = {}, commands = {
      { name = 'memory show', description = 'Show it' },
      { name = 'memory add', description = 'Add to it', hint = 'what to add' },
      { name = 'plain', description = 'Nothing special' },
    } })`);

  it('shows the argument hint of a command of two words', async ({ start }) => {
    const nvim = await startChat(start);
    await tellCommands(nvim);
    await nvim.input('i/memory add ');
    await nvim.waitForScreen(/\/memory add +what to add/);
  });

  it('marks an argument hint that is cut at the edge of the window', async ({ start }) => {
    const nvim = await startChat(start, { columns: 80 });
    await tellCommands(nvim);
    await nvim.input('i/memory add ');
    await nvim.waitForScreen(/\/memory add +what to add/);
    await nvim.command('vertical resize 24');
    await nvim.waitForScreen(/\/memory add +what to…$/m);
  });

  it('shows no null and opens no window during completion', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('i/<C-x><C-o>');
    await nvim.waitFor(() => nvim.lua<boolean>('return vim.fn.pumvisible() == 1'), 'the menu');
    await nvim.input('<C-n><C-n>');
    await nvim.waitFor(async () => (await promptText(nvim)).length > 2, 'a command');
    expect(
      await nvim.lua(
        "return vim.iter(vim.fn.complete_info({'items'}).items):any(function(i) return (i.info .. i.menu):find('null') end)",
      ),
    ).toBe(false);
    expect(nvim.screen.text()).not.toContain('null');
    const previews =
      "return vim.iter(vim.api.nvim_list_wins()):any(function(w) return vim.wo[w].previewwindow and vim.api.nvim_win_get_config(w).relative == '' end)";
    expect(await nvim.lua(previews)).toBe(false);
    expect(await windows(nvim)).toEqual(expect.arrayContaining(['acp', 'acp-prompt']));
  });
});
