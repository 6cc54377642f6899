import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { HistoryFile } from '../../src/prompt/history-file.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { converse, promptText, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';

const waitForPrompt = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await promptText(nvim)) === text, `the prompt "${text}"`);

const waitForMessage = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await nvim.messages()).includes(text), `the message "${text}"`);

const stateFolder = (nvim: TestNvim) => path.join(nvim.sandbox.env.XDG_STATE_HOME ?? '', 'nvim', 'acp');

function historyFiles(nvim: TestNvim): readonly string[] {
  const folder = path.join(stateFolder(nvim), 'history');
  return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

const cursor = (nvim: TestNvim) => nvim.lua<[number, number]>('return vim.api.nvim_win_get_cursor(0)');

async function send(nvim: TestNvim, ...prompts: readonly string[]): Promise<void> {
  for (const prompt of prompts) await converse(nvim, prompt);
}

/** Answers the next list, and keeps its labels. */
async function chooseNext(nvim: TestNvim, index: number): Promise<() => Promise<string[] | undefined>> {
  await nvim.lua(
    `local index = ...
    vim.ui.select = function(items, options, on_choice)
      vim.g.labels = vim.tbl_map(options.format_item, items)
      vim.defer_fn(function() on_choice(items[index]) end, 600)
    end`,
    index,
  );
  return async () => (await nvim.lua<string[] | null>('return vim.g.labels or vim.NIL')) ?? undefined;
}

describe('the keys for earlier prompts', () => {
  it.for(['i', ''])('walk back and forth, and end at what was being typed (%s)', async (mode, { start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello one', 'hello two');
    await nvim.input(`ihalf a thought<Esc>${mode === 'i' ? 'A' : ''}`);
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello two');
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello one');
    await nvim.input('<Up>');
    await nvim.input('<Down>');
    await waitForPrompt(nvim, 'hello two');
    await nvim.input('<Down>');
    await waitForPrompt(nvim, 'half a thought');
    await nvim.input('<Down>');
    expect(await promptText(nvim)).toBe('half a thought');
  });

  it('skip several prompts with a count', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello one', 'hello two', 'hello three');
    await nvim.input('3<Up>');
    await waitForPrompt(nvim, 'hello one');
    await nvim.input('9<Down>');
    await waitForPrompt(nvim, '');
  });

  it('act only in the first and the last line of a text', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello');
    await nvim.input('ione<CR>two<CR>three<Esc>k');
    await nvim.input('<Down>');
    expect((await cursor(nvim))[0]).toBe(3);
    await nvim.input('<Up><Up>');
    expect((await cursor(nvim))[0]).toBe(1);
    expect(await promptText(nvim)).toBe('one\ntwo\nthree');
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello');
    await nvim.input('<Down>');
    await waitForPrompt(nvim, 'one\ntwo\nthree');
    expect((await cursor(nvim))[0]).toBe(3);
  });

  it.for(['i', ''])('move by screen lines in a first line that is wrapped (%s)', async (mode, { start }) => {
    const nvim = await startChat(start, { columns: 80 });
    await send(nvim, 'hello');
    const text = 'word '.repeat(20).trim();
    await nvim.input(`i${text}<Esc>${mode === 'i' ? 'A' : ''}`);
    const rows = await nvim.lua<number>('return vim.api.nvim_win_text_height(0, {}).all');
    expect(rows).toBeGreaterThan(1);
    for (let row = 1; row < rows; row += 1) {
      await nvim.input('<Up>');
      expect(await promptText(nvim)).toBe(text);
    }
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello');
    await nvim.input('<Down>');
    await waitForPrompt(nvim, text);
    await nvim.input('<Down>');
    expect(await promptText(nvim)).toBe(text);
  });

  it('open no completion menu, which would take the next key', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello', '/hello', '/hello you');
    await nvim.lua(`
      _G.completed = {}
      local requests = require('acp.host.requests')
      local ask = requests.ask
      requests.ask = function(op, payload, ...)
        table.insert(_G.completed, payload.text)
        return ask(op, payload, ...)
      end`);
    // The last text that was completed begins with an earlier prompt.
    await nvim.input('i/hello y');
    await nvim.waitFor(
      () => nvim.lua<boolean>("return _G.completed[#_G.completed] == '/hello y'"),
      'a request',
    );
    await nvim.lua('_G.completed = {}');
    for (const prompt of ['/hello you', '/hello', 'hello']) {
      await nvim.input('<Up>');
      await waitForPrompt(nvim, prompt);
    }
    expect(await nvim.lua('return #_G.completed')).toBe(0);
  });

  it('leave an open completion menu alone', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello');
    await nvim.input('i/<C-x><C-o>');
    await nvim.waitFor(() => nvim.lua<boolean>('return vim.fn.pumvisible() == 1'), 'the menu');
    await nvim.input('<Up><Up>');
    expect(await nvim.lua('return vim.fn.pumvisible()')).toBe(1);
    expect(await promptText(nvim)).toMatch(/^\//);
  });

  it.for([
    ['blink.cmp', "package.loaded['blink.cmp'] = { is_menu_visible = function() return vim.g.menu end }"],
    ['nvim-cmp', 'package.loaded.cmp = { visible = function() return vim.g.menu end }'],
  ] as const)('leave an open menu of %s alone', async ([, plugin], { start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello');
    await nvim.lua(`vim.g.menu = true ${plugin}`);
    await nvim.input('iab<Up>');
    expect(await promptText(nvim)).toBe('ab');
    await nvim.lua('vim.g.menu = false');
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello');
  });

  it('are undone step by step', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello one', 'hello two');
    await nvim.input('imine<Up><Up>!<Esc>');
    await waitForPrompt(nvim, 'hello one!');
    await nvim.input('u');
    await waitForPrompt(nvim, 'hello one');
    await nvim.input('u');
    await waitForPrompt(nvim, 'hello two');
    await nvim.input('u');
    await waitForPrompt(nvim, 'mine');
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello two');
    await nvim.input('<Down>');
    await waitForPrompt(nvim, 'mine');
  });

  it('keep the edits of a walk and never change the history', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello one', 'hello two');
    await nvim.input('<Up>A edited<Esc><Up>');
    await waitForPrompt(nvim, 'hello one');
    await nvim.input('<Down>');
    await waitForPrompt(nvim, 'hello two edited');
    await nvim.input('<CR>');
    await waitForPrompt(nvim, '');
    await waitForPhase(nvim, 'idle');
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello two edited');
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello two');
  });

  it('give back what was being typed once the earlier prompt is sent', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello');
    await nvim.input('imine<Esc><Up>');
    await waitForPrompt(nvim, 'hello');
    await nvim.input('<CR>');
    await waitForPrompt(nvim, 'mine');
    await nvim.waitFor(
      async () => (await transcript(nvim)).filter((line) => line === 'hello').length === 2,
      'the prompt in the chat',
    );
  });

  it('can be changed or turned off', async ({ start }) => {
    const nvim = await startChat(start, {
      config: "{ keys = { history_previous = '<M-p>', history_next = false } }",
    });
    await send(nvim, 'hello');
    await nvim.input('<Up>');
    expect(await promptText(nvim)).toBe('');
    await nvim.input('<M-p>');
    await waitForPrompt(nvim, 'hello');
    await nvim.input('<Down>');
    expect(await promptText(nvim)).toBe('hello');
  });
});

describe('the draft of a walk', () => {
  it.for([
    ['an earlier prompt', '', 'mine'],
    ['an edited earlier prompt', 'A!<Esc>', 'hello!\n\nmine'],
  ] as const)('survives the end of Neovim behind %s', async ([, keys, restored], { start }) => {
    const sandbox = new Sandbox();
    const first = await startChat(start, { sandbox });
    await send(first, 'hello');
    await first.input(`imine<Esc><Up>`);
    await waitForPrompt(first, 'hello');
    if (keys !== '') await first.input(keys);
    await first.quit('qa');
    const second = await startChat(start, { sandbox });
    await waitForPrompt(second, restored);
  });

  it('survives :edit!', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello');
    await nvim.input('imine<Esc><Up>');
    await waitForPrompt(nvim, 'hello');
    await nvim.input(':edit!<CR>');
    await waitForPrompt(nvim, 'mine');
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello');
  });
});

describe('the history', () => {
  it('is kept on disk for the folder, readable only by the user', async ({ start }) => {
    const sandbox = new Sandbox();
    const first = await startChat(start, { sandbox });
    await send(first, 'hello one', 'hello one', 'hello two');
    const [file = '', ...others] = historyFiles(first);
    expect(others).toEqual([]);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    await first.quit('qa!');
    const second = await startChat(start, { sandbox });
    await second.input('<Up>');
    await waitForPrompt(second, 'hello two');
    await second.input('<Up>');
    await waitForPrompt(second, 'hello one');
    await second.input('<Up>');
    expect(await promptText(second)).toBe('hello one');
    const folder = path.join(sandbox.cwd, 'elsewhere');
    fs.mkdirSync(folder);
    await second.command(`cd ${folder}`);
    await second.command('AcpNew tour');
    await second.input('<Esc><Up>');
    expect(await promptText(second)).toBe('');
  });

  it('has what another Neovim has sent, once the prompt is entered', async ({ start }) => {
    const nvim = await startChat(start);
    const other = new HistoryFile(path.join(stateFolder(nvim), 'history'), nvim.sandbox.cwd, new LogDouble());
    other.append('hello from another', 1);
    await nvim.input('<Up>');
    expect(await promptText(nvim)).toBe('');
    await nvim.command('topleft new');
    await nvim.command('AcpChat');
    await nvim.input('<Esc>');
    await nvim.waitFor(async () => {
      await nvim.input('<Up>');
      return (await promptText(nvim)) === 'hello from another';
    }, 'the prompt of the other Neovim');
  });

  it('is not written with history = false', async ({ start }) => {
    const nvim = await startChat(start, { config: '{ history = false }' });
    await send(nvim, 'hello');
    expect(historyFiles(nvim)).toEqual([]);
    await nvim.input('<Up>');
    await waitForPrompt(nvim, 'hello');
  });
});

describe(':AcpHistory', () => {
  it('lists the prompts with all words, the newest first, and puts one above nothing', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello Red', 'think', 'hello red again', 'hello Red');
    await nvim.input('imy draft<Esc>');
    const labels = await chooseNext(nvim, 2);
    await nvim.command('AcpHistory RED hello');
    await waitForPrompt(nvim, 'hello red again');
    expect(await labels()).toEqual(['hello Red · just now', 'hello red again · just now']);
    await nvim.input('<Down>');
    await waitForPrompt(nvim, 'my draft');
  });

  it('has what was written in the queue', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihang<C-s>hello<C-s><Esc>');
    await nvim.waitForScreen('1 queued');
    await nvim.input(':AcpQueue<CR>');
    await nvim.waitForScreen('tour · queue');
    await nvim.input('ggO- hello zebra<Esc>:wq<CR>');
    await waitForMessage(nvim, 'the queue has 2 prompts now');
    await nvim.command('AcpQueue pause');
    await nvim.command('AcpCancel');
    const labels = await chooseNext(nvim, 1);
    await nvim.command('AcpHistory zebra');
    await waitForPrompt(nvim, 'hello zebra');
    expect(await labels()).toEqual(['hello zebra · just now']);
  });

  it('says that no prompt matches', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpHistory');
    await waitForMessage(nvim, 'no prompt of this folder is remembered');
    await send(nvim, 'hello');
    await nvim.command('AcpHistory nothing');
    await waitForMessage(nvim, 'no prompt has "nothing"');
  });

  it('forgets the prompts with ! after a confirmation', async ({ start }) => {
    const nvim = await startChat(start);
    await send(nvim, 'hello');
    let labels = await chooseNext(nvim, 1);
    await nvim.command('AcpHistory!');
    await nvim.waitFor(async () => (await labels()) !== undefined, 'the question');
    expect(await labels()).toEqual(['Keep them', 'Forget them']);
    await nvim.lua('vim.g.labels = nil');
    labels = await chooseNext(nvim, 2);
    expect(historyFiles(nvim)).toHaveLength(1);
    await nvim.command('AcpHistory!');
    await waitForMessage(nvim, 'the prompts of this folder were forgotten');
    expect(historyFiles(nvim)).toEqual([]);
    await nvim.input('<Up>');
    expect(await promptText(nvim)).toBe('');
  });
});

describe(':AcpRetry', () => {
  it('sends the last prompt again, with its mentions as they are now', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    const file = path.join(nvim.sandbox.cwd, 'notes.md');
    fs.writeFileSync(file, 'one\n');
    await send(nvim, 'resources @notes.md');
    fs.writeFileSync(file, 'one\ntwo\nthree\n');
    await nvim.input('iresources and more<Esc>');
    await nvim.command('AcpRetry');
    await nvim.waitFor(
      async () => (await transcript(nvim)).filter((line) => line === 'resources @notes.md').length === 2,
      'the second prompt',
    );
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((line) => /notes\.md`, .*3 lines/.test(line)),
      'the new text',
    );
    expect(await promptText(nvim)).toBe('resources and more');
  });

  it('says that there is no prompt, or that a turn runs', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpRetry');
    await waitForMessage(nvim, 'there is no prompt to send again');
    await nvim.command('AcpSend hang');
    await waitForPhase(nvim, 'running');
    await nvim.command('AcpRetry');
    await waitForMessage(nvim, 'the agent is still working on a prompt');
  });
});
