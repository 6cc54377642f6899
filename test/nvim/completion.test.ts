import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import {
  type ChatOptions,
  converse,
  promptText,
  quickTour,
  startChat,
  transcript,
  waitForPhase,
} from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

const files = [
  'src/prompt/completion.ts',
  'src/prompt/mentions.ts',
  'src/main.ts',
  'my notes.md',
  'README.md',
];

/** A chat in a folder with some files, which the host has listed. */
async function startWithFiles(start: Start, options: ChatOptions = {}): Promise<TestNvim> {
  const nvim = await startChat(start, { columns: 120, ...options });
  await trackMenu(nvim);
  writeFiles(nvim.sandbox.cwd);
  await waitForListing(nvim);
  return nvim;
}

/** The same with a host process, which can be restarted and has the environment of Neovim. */
async function startWithOwnHost(start: Start): Promise<TestNvim> {
  const nvim = await start({ columns: 120, init: quickTour });
  await trackMenu(nvim);
  writeFiles(nvim.sandbox.cwd);
  await nvim.command('AcpChat tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  await waitForListing(nvim);
  return nvim;
}

function writeFiles(folder: string): void {
  for (const name of files) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `first line of ${name}\n`);
  }
}

const waitForListing = (nvim: TestNvim) =>
  nvim.waitFor(async () => (await offered(nvim, '@main')).includes('@src/main.ts'), 'the listing');

/** What the server offers at the end of a text, without a menu. */
async function offered(nvim: TestNvim, text: string): Promise<readonly string[]> {
  const answer = await nvim.lua<{ items: readonly { text: string }[] }>(
    "return (require('acp.host').request('completion.items', { chat = 1, text = ..., column = #... }))",
    text,
  );
  return answer.items.map((item) => item.text);
}

/** Notes the text each menu belongs to: the menu of the text before the last key may still be open. */
const trackMenu = (nvim: TestNvim) =>
  nvim.lua(`vim.api.nvim_create_autocmd('CompleteChanged', {
    callback = function(event)
      vim.b[event.buf].menu_line = vim.api.nvim_get_current_line()
    end,
  })`);

const menu = (nvim: TestNvim) =>
  nvim.lua<string[]>(`
    if vim.fn.pumvisible() == 0 then return {} end
    return vim.tbl_map(function(item) return item.word end, vim.fn.complete_info({ 'items' }).items)`);

const waitForMenu = (nvim: TestNvim, word: string) =>
  nvim.waitFor(async () => {
    const isCurrent = await nvim.lua<boolean>('return vim.b.menu_line == vim.api.nvim_get_current_line()');
    return isCurrent && (await menu(nvim)).includes(word);
  }, `${word} in the menu`);

// Counts what is asked about mentions, and the answers.
const countRequests = `
  _G.asked = {}
  local function count(name)
    asked[name] = (asked[name] or 0) + 1
  end
  local requests, host = require('acp.host.requests'), require('acp.host')
  local marks = require('acp.context.marks')
  local ask, notify, found = requests.ask, host.notify_if_running, marks.found
  requests.ask = function(op, payload, callback)
    if vim.startswith(payload.text or '', '@') then
      count(op .. ' @')
    end
    return ask(op, payload, callback)
  end
  host.notify_if_running = function(op, payload)
    if op == 'mentions.find' then
      count(op)
    end
    return notify(op, payload)
  end
  marks.found = function(...)
    count('mentions.found')
    return found(...)
  end`;

const waitForText = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await promptText(nvim)) === text, text);

describe('the menu of completion', () => {
  it('opens on @, narrows with every key, and inserts the chosen path', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('isee @');
    await waitForMenu(nvim, '@selection');
    await nvim.input('cmpl');
    await waitForMenu(nvim, '@src/prompt/completion.ts');
    expect(await promptText(nvim)).toBe('see @cmpl');
    await nvim.input('<C-n><C-y> please<Esc>');
    await waitForText(nvim, 'see @src/prompt/completion.ts please');
    await nvim.input('u');
    await waitForText(nvim, '');
  });

  it('shows whole names at the edge of the screen', async ({ start }) => {
    const nvim = await startWithFiles(start);
    // As much room as the name takes in the menu, behind the text and the sign of the prompt.
    const before =
      (await nvim.lua<number>('return vim.api.nvim_win_get_width(0)')) - 2 - ' @diagnostics'.length;
    await nvim.input(`i${'x '.repeat(before).slice(-before)}@diag`);
    await waitForMenu(nvim, '@diagnostics');
    await nvim.waitForScreen('@diagnostics');
  });

  it('keeps the typed text when the user cancels it or goes on typing', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('i@mai');
    await waitForMenu(nvim, '@src/main.ts');
    await nvim.input('<C-e>');
    await nvim.waitFor(async () => (await menu(nvim)).length === 0, 'no menu');
    expect(await promptText(nvim)).toBe('@mai');
    await nvim.input('l me<CR>more<Esc>');
    await waitForText(nvim, '@mail me\nmore');
  });

  it('opens on / at the start of the prompt with the commands of the agent', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('i/');
    await waitForMenu(nvim, '/plan');
    await nvim.input('<Esc>cchello /');
    await waitForText(nvim, 'hello /');
    expect(await offered(nvim, 'hello /')).toEqual([]);
    expect(await menu(nvim)).toEqual([]);
  });

  it.for([
    ['an e-mail address', 'imail ada@main', 'mail ada@main'],
    ['a code fence', 'i```<CR>@main', '```\n@main'],
  ] as const)('does not open in %s', async ([, keys, text], { start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input(keys);
    await waitForText(nvim, text);
    expect(await offered(nvim, text)).toEqual([]);
    expect(await menu(nvim)).toEqual([]);
  });

  it('asks the host once per key, and once where the mentions are', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.lua(countRequests);
    for (const [key, word] of [
      ['i@', '@selection'],
      ['m', '@src/main.ts'],
      ['a', '@src/main.ts'],
      ['i', '@src/main.ts'],
      ['<BS>', '@src/main.ts'],
    ] as const) {
      await nvim.lua('asked = {}');
      await nvim.input(key);
      await waitForMenu(nvim, word);
      await nvim.waitFor(() => nvim.lua("return asked['mentions.found'] ~= nil"), 'the mentions');
      // What the menu that has opened would cause comes before this answer.
      await nvim.lua("return #require('acp.host').request('completion.items', ...).items", {
        chat: 1,
        text: 'x',
        column: 1,
      });
      expect(await nvim.lua('return asked'), key).toEqual({
        'completion.items @': 1,
        'mentions.find': 1,
        'mentions.found': 1,
      });
    }
  });

  it('does not open while a macro is recorded or run', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('qqi@main<Esc>q');
    await waitForText(nvim, '@main');
    await nvim.input('cc<Esc>@q');
    await waitForText(nvim, '@main');
    await nvim.input('a.<Esc>');
    await waitForText(nvim, '@main.');
    expect(await nvim.lua('return vim.v.errmsg')).toBe('');
  });

  it('leaves the menu of another completion alone', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('imail mailbox<CR>@x mai<C-n>');
    await nvim.waitFor(async () => (await menu(nvim)).includes('mailbox'), 'the words');
    await nvim.input('<C-e>');
    await waitForText(nvim, 'mail mailbox\n@x mai');
  });

  it('opens only on a key with completion = "manual"', async ({ start }) => {
    const nvim = await startWithFiles(start, { config: "{ completion = 'manual' }" });
    await nvim.input('i@completion');
    await waitForText(nvim, '@completion');
    expect(await menu(nvim)).toEqual([]);
    await nvim.input('<C-x><C-o>');
    await waitForText(nvim, '@src/prompt/completion.ts');
  });

  it('does not open with completion = "off"', async ({ start }) => {
    const nvim = await startWithFiles(start, { config: "{ completion = 'off' }" });
    await nvim.input('i@completion<C-x><C-o>');
    await waitForText(nvim, '@completion');
    expect(await nvim.lua('return { #vim.lsp.get_clients({ bufnr = 0 }), vim.bo.omnifunc }')).toEqual([
      0,
      '',
    ]);
  });

  it("takes the place of 'autocomplete' and inserts nothing by itself", async ({ start }) => {
    const nvim = await startWithFiles(start, {
      init: "if vim.fn.exists('+autocomplete') == 1 then vim.o.autocomplete = true end",
    });
    await nvim.input('isee @');
    await waitForMenu(nvim, '@selection');
    expect(await promptText(nvim)).toBe('see @');
    await nvim.input('cmpl');
    await waitForMenu(nvim, '@src/prompt/completion.ts');
    expect(await promptText(nvim)).toBe('see @cmpl');
  });

  it('changes no option of the user', async ({ start }) => {
    const nvim = await startWithFiles(start);
    const options = () => nvim.lua('return { vim.go.completeopt, vim.go.complete, vim.o.shortmess }');
    const before = await options();
    await nvim.input('i@mai');
    await waitForMenu(nvim, '@src/main.ts');
    await nvim.input('<C-n><C-y><Esc>');
    await waitForText(nvim, '@src/main.ts');
    expect(await options()).toEqual(before);
  });

  it('shows beside the menu what is cut in it', async ({ start }) => {
    const nvim = await startChat(start, { columns: 80 });
    const completeopt = () => nvim.lua('return vim.go.completeopt');
    const before = await completeopt();
    await trackMenu(nvim);
    // The second letter opens another menu while the first one is open.
    for (const key of ['i/', 't']) {
      await nvim.input(key);
      await waitForMenu(nvim, '/tour');
    }
    expect(nvim.screen.text()).not.toContain('step by step');
    await nvim.input('<C-n>');
    await nvim.waitForScreen('step by step');
    await nvim.input('<C-y><Esc>');
    await waitForText(nvim, '/tour');
    expect(await completeopt()).toEqual(before);
  });
});

describe('completion on a key', () => {
  it('completes a path with <C-x><C-o> and quotes names with blanks', async ({ start }) => {
    const nvim = await startWithFiles(start, { config: "{ completion = 'manual' }" });
    await nvim.input('i@notes<C-x><C-o>');
    await waitForText(nvim, '@"my notes.md"');
  });

  it('inserts the only match with <C-x><C-o> while the menu is open by itself', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('i@mai');
    await waitForMenu(nvim, '@src/main.ts');
    await nvim.input('<C-x><C-o>');
    await waitForText(nvim, '@src/main.ts');
    await nvim.input(' and @notes<C-x><C-o>');
    await waitForText(nvim, '@src/main.ts and @"my notes.md"');
    await nvim.input(' @prom');
    await waitForMenu(nvim, '@src/prompt/');
    await nvim.input('<C-x><C-o>');
    await waitForText(nvim, '@src/main.ts and @"my notes.md" @src/prompt/');
    await nvim.input('<C-n><C-y>');
    await waitForText(nvim, '@src/main.ts and @"my notes.md" @src/prompt/mentions.ts');
  });

  it('leaves the choice to a user whose completeopt has menuone and noselect', async ({ start }) => {
    const nvim = await startWithFiles(start, { init: "vim.o.completeopt = 'menuone,noselect'" });
    await nvim.input('i@mai<C-x><C-o>');
    await waitForMenu(nvim, '@src/main.ts');
    expect(await promptText(nvim)).toBe('@mai');
    await nvim.input('<C-n><C-y>');
    await waitForText(nvim, '@src/main.ts');
  });

  it('completes the argument of a name', async ({ start }) => {
    const nvim = await startWithFiles(start, { config: "{ completion = 'manual' }" });
    await nvim.input('i@diagnostics:al<C-x><C-o>');
    await waitForMenu(nvim, '@diagnostics:all:error');
    expect(await menu(nvim)).toContain('@diagnostics:all');
  });

  it('works after the server was stopped, also while the user types', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.lua('vim.lsp.stop_client(vim.lsp.get_clients())');
    await nvim.waitFor(async () => (await nvim.lua('return #vim.lsp.get_clients()')) === 0, 'no server');
    await nvim.input('i@mai');
    await waitForMenu(nvim, '@src/main.ts');
    await nvim.lua('vim.lsp.stop_client(vim.lsp.get_clients(), true)');
    await nvim.input('<C-e>n');
    await waitForText(nvim, '@main');
    await nvim.input('<Esc>cc@READ');
    await waitForMenu(nvim, '@README.md');
  });
});

describe('completion from the file system', () => {
  it('walks through folders with ./, also those with ignored files, and through the parent', async ({
    start,
  }) => {
    const nvim = await startWithFiles(start);
    execFileSync('git', ['init', '-q'], { cwd: nvim.sandbox.cwd });
    fs.writeFileSync(nvim.sandbox.path('.gitignore'), 'out/\n');
    fs.mkdirSync(nvim.sandbox.path('out'));
    fs.writeFileSync(nvim.sandbox.path('out/made.js'), '');
    await nvim.input('isee @./o');
    await waitForMenu(nvim, '@./out/');
    await nvim.input('<C-n><C-y>m');
    await waitForMenu(nvim, '@./out/made.js');
    await nvim.input('<C-n><C-y><Esc>');
    await waitForText(nvim, 'see @./out/made.js');
    const here = path.basename(nvim.sandbox.cwd);
    await nvim.input(`cc@../${here.slice(0, 3)}`);
    await waitForMenu(nvim, `@../${here}/`);
  });

  it('offers what is in the home folder, hidden files only after a dot', async ({ start }) => {
    const nvim = await startWithOwnHost(start);
    const home = await nvim.lua<string>('return vim.uv.os_homedir()');
    expect(home).toBe(nvim.sandbox.env.HOME);
    fs.writeFileSync(path.join(home, 'todo.md'), '');
    fs.writeFileSync(path.join(home, '.todorc'), '');
    await nvim.input('i@~/todo');
    await waitForMenu(nvim, '@~/todo.md');
    expect(await menu(nvim)).not.toContain('@~/.todorc');
    await nvim.input('<Esc>cc@~/.tod');
    await waitForMenu(nvim, '@~/.todorc');
  });
});

describe('completion of an argument', () => {
  it('offers the listed buffers by number and name', async ({ start }) => {
    const nvim = await startWithFiles(start);
    const [named, unnamed] = await nvim.lua<[number, number]>(`
      local named = vim.fn.bufadd('src/main.ts')
      vim.bo[named].buflisted = true
      return { named, vim.api.nvim_create_buf(true, false) }`);
    await nvim.input('i@buffer:mai');
    await waitForMenu(nvim, `@buffer:${named}`);
    expect(await menu(nvim)).toEqual([`@buffer:${named}`]);
    await nvim.input('<Esc>cc@buffer:');
    await waitForMenu(nvim, `@buffer:${unnamed}`);
    expect(await menu(nvim)).toContain(`@buffer:${named}`);
  });

  it('offers what is staged and the branches for @diff', async ({ start }) => {
    const nvim = await startWithFiles(start);
    const git = (...words: string[]) => execFileSync('git', words, { cwd: nvim.sandbox.cwd });
    git('init', '-q');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('branch', 'fix/login');
    await nvim.input('i@diff:');
    await waitForMenu(nvim, '@diff:fix/login');
    expect(await menu(nvim)).toContain('@diff:staged');
  });

  it('offers the other chats by title or first prompt', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await converse(nvim, 'hello "you" there?');
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().id == 2"), 'the second chat');
    await nvim.input('i@chat:');
    const labels = await nvim.waitFor(async () => {
      const found = await menu(nvim);
      return found.length > 0 && found;
    }, 'the other chat');
    await nvim.input('<C-n><C-y><Esc>');
    await waitForText(nvim, String((labels as string[])[0]));
    await nvim.input('<CR>');
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((line) => line.startsWith('  ▪ conv')),
      'the conversation',
    );
  });
});

describe('an earlier conversation', () => {
  it('of another Neovim is offered after @chat: by a word of its title, and sent', async ({ start }) => {
    const sandbox = new Sandbox();
    const first = await startChat(start, { sandbox });
    await converse(first, 'hello from "the first" Neovim');
    await first.quit('qa');
    const second = await startWithFiles(start, { sandbox });
    await second.input('iresources @chat:fir');
    await waitForMenu(second, `@chat:"Hello from 'the first' Neovim"`);
    await second.input('<C-n><C-y><Esc><CR>');
    await second.waitFor(
      async () => (await transcript(second)).some((line) => line.startsWith('  ▪ conversation "Hello from')),
      'the conversation below the prompt',
    );
    await second.waitFor(
      async () => /first line: `# Hello from "the first" Neovim`/.test((await transcript(second)).join('\n')),
      'what the agent received',
    );
  });
});

describe('completion goes on', () => {
  it.for([false, true])(
    'after the server was stopped while the menu is open, by force: %s',
    async (isForced, { start }) => {
      const nvim = await startWithFiles(start);
      await nvim.input('isee @mai');
      await waitForMenu(nvim, '@src/main.ts');
      await nvim.lua(
        `local is_forced = ...
         if is_forced or vim.fn.exists(':lsp') ~= 2 then
           vim.lsp.stop_client(vim.lsp.get_clients(), is_forced)
         else
           vim.cmd('lsp stop acp')
         end`,
        isForced,
      );
      await nvim.input('n');
      await waitForText(nvim, 'see @main');
      await nvim.input('.');
      await waitForText(nvim, 'see @main.');
      await waitForMenu(nvim, '@src/main.ts');
      await nvim.input('<C-n><C-y><Esc>');
      await waitForText(nvim, 'see @src/main.ts');
      expect(await nvim.lua('return vim.v.errmsg')).toBe('');
      expect(await nvim.messages()).not.toMatch(/error|E\d+:/i);
    },
  );

  it('without inserting an item when the server stops while a key is typed', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('isee @mai');
    await waitForMenu(nvim, '@src/main.ts');
    await nvim.lua(`vim.api.nvim_create_autocmd('InsertCharPre', {
      once = true,
      callback = function()
        vim.lsp.stop_client(vim.lsp.get_clients(), true)
      end,
    })`);
    await nvim.input('n');
    await waitForText(nvim, 'see @main');
    await waitForMenu(nvim, '@src/main.ts');
    expect(await promptText(nvim)).toBe('see @main');
  });

  it('after :AcpRestart!, also one while the menu is open', async ({ start }) => {
    const nvim = await startWithOwnHost(start);
    await nvim.input('isee @mai');
    await waitForMenu(nvim, '@src/main.ts');
    await nvim.command('AcpRestart!');
    await waitForPhase(nvim, 'idle');
    await waitForListing(nvim);
    await nvim.input('n');
    await waitForText(nvim, 'see @main');
    await waitForMenu(nvim, '@src/main.ts');
    await nvim.input('<C-n><C-y><Esc>');
    await waitForText(nvim, 'see @src/main.ts');
    expect(await nvim.lua('return vim.v.errmsg')).toBe('');
  });

  it('in the new prompt after the prompt was wiped out with the menu open', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('isee @mai');
    await waitForMenu(nvim, '@src/main.ts');
    await nvim.lua("vim.cmd.bwipeout({ require('acp.chats').current().prompt, bang = true })");
    await nvim.input('<Esc>');
    await nvim.command('AcpChat');
    await nvim.input('<Esc>');
    await waitForText(nvim, 'see @mai');
    await nvim.input('cc@READ');
    await waitForMenu(nvim, '@README.md');
    await nvim.input('<C-n><C-y><Esc>');
    await waitForText(nvim, '@README.md');
    expect(await nvim.lua('return #vim.lsp.get_clients({ bufnr = 0, name = "acp" })')).toBe(1);
  });
});

describe('the language server', () => {
  it('causes no error or warning of its own in :checkhealth vim.lsp', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('i@mai');
    await waitForMenu(nvim, '@src/main.ts');
    await nvim.input('<Esc>');
    await nvim.command('checkhealth vim.lsp');
    const report = await nvim.waitFor(async () => {
      const text = (await nvim.lines()).join('\n');
      return /^- acp \(id: \d+\)/m.test(text) && text;
    }, 'the report');
    expect(report).not.toMatch(/ERROR|failed to run|stack traceback/i);
    expect((report as string).split('\n').filter((line) => /WARNING/.test(line) && /acp/.test(line))).toEqual(
      [],
    );
  });

  it('lists the turns and tool calls for gO', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    await converse(nvim, 'tools');
    await nvim.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chats').current().buf))");
    await nvim.input('gO');
    const list = () =>
      nvim.lua<{ text: string; lnum: number }[]>(`
      local location = vim.fn.getloclist(0)
      return #location > 0 and location or vim.fn.getqflist()`);
    const texts = async () => (await list()).map(({ text }) => text);
    await nvim.waitFor(async () => (await texts()).length > 2, 'the outline');
    expect((await texts())[0]).toContain('tools');
    const lines = await transcript(nvim);
    expect(lines[(await list())[0]!.lnum - 1]).toMatch(/^You/);
  });

  it('shows on K what a mention and a tool call stand for', async ({ start }) => {
    const nvim = await startWithFiles(start);
    await nvim.input('isee @src/main.ts now<Esc>06lK');
    await nvim.waitForScreen('first line of src/main.ts');
    await converse(nvim, 'tools');
    await nvim.lua(`
      vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chats').current().buf))
      vim.fn.search('locked.txt', 'w')`);
    await nvim.input('K');
    const floats = () =>
      nvim.lua<string>(`
        local texts = {}
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.api.nvim_win_get_config(win).relative ~= '' then
            vim.list_extend(texts, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
          end
        end
        return table.concat(texts, '\\n')`);
    await nvim.waitFor(async () => (await floats()).includes('Permission denied'), 'the whole text');
  });

  it('shows on K in the prompt as much of the mentioned lines as fits on the screen', async ({ start }) => {
    const lines = Array.from({ length: 40 }, (_, index) => `row ${index + 1}`).join('\n');
    const nvim = await startChat(start, { columns: 120, files: { 'src/long.txt': lines } });
    await nvim.input('isee @src/long.txt now<Esc>06lK');
    await nvim.waitForScreen((screen) => screen.includes('row 1 ') && screen.includes('row 15'));
    // The text of the prompt stays visible.
    expect(nvim.screen.text()).toContain('› see @src/long.txt now');
    await nvim.input('<Esc>0cwsee it<Esc>0');
    await nvim.waitForScreen((screen) => !screen.includes('row 1 '));
    await nvim.input('ccsee @src/long.txt:30-33<Esc>06lK');
    await nvim.waitForScreen((screen) => screen.includes('row 30') && screen.includes('row 33'));
    expect(nvim.screen.text()).not.toMatch(/row (1|29|34)\b/);
  });

  it('offers no formatting, renaming or diagnostics', async ({ start }) => {
    const nvim = await startChat(start);
    const methods = [
      'textDocument/formatting',
      'textDocument/rename',
      'textDocument/codeAction',
      'textDocument/definition',
    ];
    const supported = await nvim.lua(
      `local client = vim.lsp.get_clients({ name = 'acp' })[1]
       return vim.tbl_filter(function(method)
         if vim.fn.has('nvim-0.11') == 1 then return client:supports_method(method) end
         return client.supports_method(method)
       end, ...)`,
      methods,
    );
    expect(supported).toEqual([]);
    expect(await nvim.lua('return vim.bo.formatexpr .. vim.bo.tagfunc')).toBe('');
  });
});

describe('blink.cmp', () => {
  it('ranks what the plugin offers above the paths of its own source, whose score has 3 more', async ({
    start,
  }) => {
    const nvim = await startChat(start);
    await nvim.lua(
      "vim.api.nvim_buf_set_lines(require('acp.chats').current().prompt, 0, -1, false, { '/he' })",
    );
    const offsets = `
      local buf = require('acp.chats').current().prompt
      local params = { textDocument = { uri = vim.uri_from_bufnr(buf) }, position = { line = 0, character = 3 } }
      local list
      require('acp.lsp.completion').complete(params, function(answer) list = answer end)
      vim.wait(1000, function() return list end)
      return vim.tbl_map(function(item) return { item.label, item.score_offset > 3 } end, list.items)`;
    expect(await nvim.lua(offsets)).toContainEqual(['/help', true]);
  });
});
