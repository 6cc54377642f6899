import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { converse, promptText, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

interface Answer {
  readonly items: readonly {
    readonly path?: string;
    readonly range?: { readonly first: number; readonly last: number };
    readonly name?: string;
    readonly text?: string;
  }[];
  readonly problem?: string;
}

/** What Neovim answers to the host for a mention such as `buffer:7`. */
async function ask(nvim: TestNvim, mention: string): Promise<Answer> {
  const [name = '', ...argument] = mention.split(':');
  await nvim.lua(
    `local name, argument = ...
     local host = require('acp.host')
     local notify = host.notify_if_running
     _G.answered = nil
     host.notify_if_running = function(op, payload)
       if op ~= 'context.answer' then
         return notify(op, payload)
       end
       host.notify_if_running = notify
       _G.answered = payload.answers[1]
     end
     local request = { name = name, argument = argument ~= '' and argument or nil }
     require('acp.context').read({ id = 1, cwd = vim.fn.getcwd() }, 1, { request })`,
    name,
    argument.join(':'),
  );
  return nvim.waitFor(() => nvim.lua<Answer | null>('return _G.answered'), `the answer to @${mention}`);
}

/** The places that a mention refers to, such as `a.lua:1-3`, or the problem. */
async function places(nvim: TestNvim, mention: string): Promise<readonly string[]> {
  const { items, problem } = await ask(nvim, mention);
  const found = items.map(({ path: file = '', range }) =>
    range ? `${path.basename(file)}:${range.first}-${range.last}` : path.basename(file),
  );
  return problem === undefined ? found : [...found, problem];
}

async function textOf(nvim: TestNvim, mention: string): Promise<string> {
  const { items, problem } = await ask(nvim, mention);
  return items[0]?.text ?? `problem: ${problem}`;
}

const numbered = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`).join('');
const luaFile = `local M = {}

function M.outer()
  vim.schedule(function()
    print('inner')
  end)
end

local name = 'x'
return M
`;
const files = { 'a.txt': numbered, 'b.txt': 'b\n', 'code.lua': luaFile };

describe('a mention of a place', () => {
  it('@this is the line of the cursor', async ({ start }) => {
    const nvim = await start({ files });
    await nvim.command('edit a.txt | 7');
    expect(await places(nvim, 'this')).toEqual(['a.txt:7-7']);
  });

  it('@this is the selection until the cursor is moved', async ({ start }) => {
    const nvim = await start({ files });
    await nvim.command('edit a.txt');
    await nvim.input('5GVjj');
    expect(await places(nvim, 'this')).toEqual(['a.txt:5-7']);
    await nvim.input('<Esc>');
    expect(await places(nvim, 'this')).toEqual(['a.txt:5-7']);
    await nvim.input('20G');
    expect(await places(nvim, 'this')).toEqual(['a.txt:20-20']);
    expect(await places(nvim, 'selection')).toEqual(['a.txt:5-7']);
  });

  it('@this in the prompt is about the window with code', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.command('topleft split a.txt | 9 | wincmd b');
    expect(await places(nvim, 'this')).toEqual(['a.txt:9-9']);
  });

  it('@selection without a selection says so', async ({ start }) => {
    const nvim = await start({ files });
    await nvim.command('edit a.txt');
    expect(await places(nvim, 'selection')).toEqual(['nothing was selected in this buffer']);
  });

  it('@buffer is the file of the buffer, or the text of one without a name', async ({ start }) => {
    const nvim = await start({ files });
    await nvim.command('edit a.txt | split b.txt');
    expect(await places(nvim, 'buffer')).toEqual(['b.txt']);
    const a = await nvim.lua<number>("return vim.fn.bufnr('a.txt')");
    expect(await places(nvim, `buffer:${a}`)).toEqual(['a.txt']);
    expect(await places(nvim, 'buffer:99')).toEqual(['there is no buffer 99; :ls lists them']);
    await nvim.command('enew');
    await nvim.input('itwo<CR>lines<Esc>');
    const { items } = await ask(nvim, 'buffer');
    expect(items).toEqual([
      { name: expect.stringMatching(/^buffer \d+ \(no name\)$/), text: 'two\nlines\n' },
    ]);
  });

  it('@buffer without a window of the user says so', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('wincmd t | close');
    expect(await places(nvim, 'buffer')).toEqual(['this tab page has no window with a file']);
  });

  it('@buffers are the listed buffers of files, not ours', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.command('topleft split a.txt | split b.txt | terminal');
    expect(await places(nvim, 'buffers')).toEqual(['a.txt', 'b.txt']);
  });

  it('@visible are the lines that windows with files show', async ({ start }) => {
    const nvim = await startChat(start, { files });
    await nvim.command('wincmd t | edit a.txt | 20 | normal! zt');
    const [visible] = await places(nvim, 'visible');
    expect(visible).toMatch(/^a\.txt:20-4\d$/);
  });

  it('@mark are the lines around it, in any file', async ({ start }) => {
    const nvim = await start({ files });
    await nvim.command('edit a.txt | 30 | mark a | 3 | mark B | edit b.txt');
    expect(await places(nvim, 'mark:B')).toEqual(['a.txt:1-13']);
    expect(await places(nvim, 'mark:a')).toEqual(['the mark a is not set']);
    await nvim.command('edit a.txt');
    expect(await places(nvim, 'mark:a')).toEqual(['a.txt:20-40']);
    expect(await places(nvim, 'mark:nonsense')).toEqual(['the mark nonsense is not set']);
  });
});

describe('a mention of code around the cursor', () => {
  it('@function is found by treesitter; a function passed to a call belongs to the one around it', async ({
    start,
  }) => {
    const nvim = await start({ files });
    await nvim.command('edit code.lua | 5');
    expect(await places(nvim, 'function')).toEqual(['code.lua:3-7']);
    await nvim.command('9');
    expect(await places(nvim, 'function')).toEqual([
      'no function around the cursor is known to treesitter or a language server',
    ]);
  });

  it('@class is found by treesitter', async ({ start }) => {
    const nvim = await start({ files: { 'a.c': 'int x;\nstruct point {\n  int x;\n};\n' } });
    await nvim.command('edit a.c | 3');
    expect(await places(nvim, 'class')).toEqual(['a.c:2-4']);
  });

  it('@function and @class are found by a language server where there is no parser', async ({ start }) => {
    const nvim = await start({ files, init: languageServer });
    await nvim.command('edit a.txt | 12');
    await nvim.lua('_G.attach()');
    expect(await places(nvim, 'function')).toEqual(['a.txt:11-13']);
    expect(await places(nvim, 'class')).toEqual(['a.txt:10-20']);
  });

  it('@symbol is found by a language server, with all lines of its definition', async ({ start }) => {
    const nvim = await start({ files, init: languageServer });
    await nvim.command('edit a.txt | 1');
    expect(await places(nvim, 'symbol:method')).toEqual(['no language server of this buffer knows symbols']);
    await nvim.lua('_G.attach()');
    expect(await places(nvim, 'symbol:method')).toEqual(['a.txt:11-13']);
    expect(await places(nvim, 'symbol:Shape.method')).toEqual(['a.txt:11-13']);
    expect(await places(nvim, 'symbol:Other.method')).toEqual(['no language server knows such a symbol']);
  });

  it('a language server that does not answer is given up, and the other answers arrive', async ({
    start,
  }) => {
    const nvim = await start({ files, init: languageServer });
    await nvim.command('edit a.txt | 1');
    await nvim.lua('_G.is_silent = true; _G.attach()');
    expect(await places(nvim, 'symbol:method')).toEqual(['no answer of a language server in time']);
  });
});

/** A language server in Neovim with the class `Shape` (lines 10-20 of a.txt) and its method (11-13). */
const languageServer = `
  local function range(first, last)
    return { start = { line = first - 1, character = 0 }, ['end'] = { line = last - 1, character = 3 } }
  end
  local function answer(method)
    local uri = vim.uri_from_fname(vim.fn.getcwd() .. '/a.txt')
    if method == 'initialize' then
      return { capabilities = { documentSymbolProvider = true, workspaceSymbolProvider = true } }
    elseif method == 'workspace/symbol' then
      local location = { uri = uri, range = range(11, 11) }
      return { { name = 'method', kind = 6, containerName = 'Shape', location = location },
        { name = 'methodical', kind = 6, location = location } }
    elseif method == 'textDocument/documentSymbol' then
      local method_symbol = { name = 'method', kind = 6, range = range(11, 13), selectionRange = range(11, 11) }
      return { { name = 'Shape', kind = 5, range = range(10, 20), selectionRange = range(10, 10), children = { method_symbol } } }
    end
  end
  function _G.attach()
    vim.lsp.start({ name = 'fake', root_dir = vim.fn.getcwd(), cmd = function()
      local id = 0
      return {
        request = function(method, _, callback)
          id = id + 1
          if not _G.is_silent or method == 'initialize' then
            vim.schedule(function() callback(nil, answer(method)) end)
          end
          return true, id
        end,
        notify = function() return true end,
        is_closing = function() return false end,
        terminate = function() end,
      }
    end })
    vim.wait(2000, function() return #vim.lsp.get_clients({ bufnr = 0, method = 'workspace/symbol' }) > 0 end)
  end`;

describe('a mention of a list', () => {
  const diagnose = (nvim: TestNvim) =>
    nvim.lua(`
      local ns = vim.api.nvim_create_namespace('test')
      vim.cmd('edit b.txt')
      vim.diagnostic.set(ns, 0, { { lnum = 0, col = 0, message = 'of b', severity = 4 } })
      vim.cmd('edit a.txt')
      vim.diagnostic.set(ns, 0, {
        { lnum = 4, col = 2, message = 'second', severity = 2 },
        { lnum = 1, col = 0, message = 'is wrong\\nand more', severity = 1, source = 'tsc', code = 2304 },
      })`);

  it('@diagnostics are those of the file, with place, severity, message, source and code', async ({
    start,
  }) => {
    const nvim = await start({ files });
    await diagnose(nvim);
    expect(await ask(nvim, 'diagnostics')).toEqual({
      items: [
        {
          name: 'diagnostics of a.txt',
          text: 'a.txt:2:1: error: is wrong\n    and more [tsc 2304]\na.txt:5:3: warn: second\n',
        },
      ],
    });
  });

  it('@diagnostics are of all files, of a severity, or both', async ({ start }) => {
    const nvim = await start({ files });
    await diagnose(nvim);
    expect(await textOf(nvim, 'diagnostics:warn')).toBe('a.txt:5:3: warn: second\n');
    expect((await textOf(nvim, 'diagnostics:all')).split('\n')).toHaveLength(5);
    expect(await textOf(nvim, 'diagnostics:all:hint')).toBe('b.txt:1:1: hint: of b\n');
    expect(await textOf(nvim, 'diagnostics:info')).toBe('problem: there are no info diagnostics of a.txt');
    expect(await textOf(nvim, 'diagnostics:fatal')).toMatch(/^problem: write all, error/);
  });

  it('@diagnostics of which there are many are cut', async ({ start }) => {
    const nvim = await start({ files });
    await nvim.command('edit a.txt');
    await nvim.lua(`
      local all = {}
      for index = 1, 1500 do
        all[index] = { lnum = index % 60, col = 0, message = 'wrong', severity = 1 }
      end
      vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0, all)`);
    expect(await textOf(nvim, 'diagnostics')).toMatch(/\n… 500 more\n$/);
  });

  it('@quickfix and @loclist have place, type and text', async ({ start }) => {
    const nvim = await start({ files });
    await nvim.command('edit a.txt');
    expect(await textOf(nvim, 'quickfix')).toBe('problem: the quickfix list is empty');
    expect(await textOf(nvim, 'loclist')).toBe('problem: the location list is empty');
    await nvim.lua(`
      local items = {
        { filename = 'a.txt', lnum = 3, col = 4, type = 'E', text = 'broken' },
        { text = 'make: *** [all] Error 2' },
      }
      vim.fn.setqflist({}, ' ', { title = 'make', items = items })
      vim.fn.setloclist(0, {}, ' ', { title = '', items = { { filename = 'b.txt', lnum = 1, text = 'here' } } })`);
    expect(await ask(nvim, 'quickfix')).toEqual({
      items: [{ name: 'quickfix list: make', text: 'a.txt:3:4: error: broken\nmake: *** [all] Error 2\n' }],
    });
    expect(await textOf(nvim, 'loclist')).toBe('b.txt:1: here\n');
  });
});

describe('a mention of a text', () => {
  it('@register is the content of a register', async ({ start }) => {
    const nvim = await start({ files });
    await nvim.command('edit a.txt');
    await nvim.input('"ayyjyy');
    expect(await textOf(nvim, 'register:a')).toBe('line 1\n');
    expect(await textOf(nvim, 'register')).toBe('line 2\n');
    expect(await textOf(nvim, 'register:z')).toBe('problem: the register z is empty');
    expect(await textOf(nvim, 'register:abc')).toBe('problem: there is no register abc');
  });

  it('@help is the section of a tag', async ({ start }) => {
    const nvim = await start({ files });
    const { items } = await ask(nvim, 'help:gg');
    expect(items[0]).toMatchObject({ path: expect.stringContaining('/doc/motion.txt') });
    expect(items[0]!.range!.last).toBeGreaterThan(items[0]!.range!.first);
    expect(await places(nvim, 'help:no-such-topic-at-all')).toEqual(['the help has no such topic']);
  });
});

describe('a prompt that mentions what Neovim knows', () => {
  it('is sent with it, without control characters', async ({ start }) => {
    const nvim = await startChat(start, { files, columns: 120 });
    await nvim.command('topleft split a.txt | 4');
    await nvim.lua(`
      vim.fn.setreg('c', 'red \\27[31mtext')
      vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0, { { lnum = 0, col = 0, message = 'no', severity = 1 } })`);
    await converse(nvim, 'hello @this @diagnostics @register:c @loclist');
    const lines = await transcript(nvim);
    expect(lines.filter((line) => /^ {2}[▪▣▸]/.test(line))).toEqual([
      '  ▪ a.txt:4',
      '  ▪ diagnostics of a.txt',
      '  ▪ register c',
    ]);
    expect(lines).toContain('· @loclist: the location list is empty');
  });
});

/** The text that was kept of the last attachment with a name. */
async function keptText(nvim: TestNvim, name: RegExp): Promise<string> {
  const journals = await nvim.lua<string>("return vim.fs.dirname(require('acp.chats').current().journal)");
  const files = fs.readdirSync(journals, { recursive: true, encoding: 'utf8' });
  const found = files.find((file) => file.includes('.attachments') && name.test(file));
  return found === undefined
    ? `nothing in ${files.join(' ')}`
    : fs.readFileSync(path.join(journals, found), 'utf8');
}

describe('a prompt that mentions what the host knows', () => {
  it('@terminal is the last command with its exit and output', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    await converse(nvim, 'hello @terminal');
    expect(await transcript(nvim)).toContain('· @terminal: no command has run yet');
    await nvim.command("AcpRun printf 'one\\ntwo\\n'; exit 3");
    await nvim.waitFor(async () => (await promptText(nvim)).includes('exit 3'), 'the end of the command');
    await converse(nvim, 'hello @terminal');
    expect(await keptText(nvim, /output/)).toMatch(/^\$ printf .*\none\ntwo\n\(exit 3\)\n$/);
  });

  it('@chat is another conversation as markdown, open or kept', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    await converse(nvim, 'hello first');
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().id == 2"), 'the second chat');
    await nvim.command('AcpSend hello @chat:"hello first" @chat:nothing-like-it');
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((line) => line.startsWith('  ▪ conv')),
      'it',
    );
    expect(await keptText(nvim, /conversation/)).toMatch(/^# .*\n\n## User\n\nhello first\n\n## tour\n/s);
    expect((await transcript(nvim)).join('\n')).toContain(
      'there is no other conversation with this title or agent',
    );
  });

  it('@diff outside of a repository says so', async ({ start }) => {
    const nvim = await startChat(start, { columns: 200 });
    await converse(nvim, 'hello @diff');
    expect((await transcript(nvim)).join('\n')).toMatch(/@diff: .* is not in a git repository/);
    await waitForPhase(nvim, 'idle');
  });
});
