import { describe, expect } from 'vitest';
import { promptText, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';

const text = `${Array.from({ length: 60 }, (_, index) => `line ${index + 1}`).join('\n')}\n`;

/** A chat beside a file, with the cursor in line 5 of the file. */
async function startBeside(
  start: (options?: NvimOptions) => Promise<TestNvim>,
  context: string,
): Promise<TestNvim> {
  const files = { 'src/a.lua': text, 'src/b.lua': text };
  const nvim = await startChat(start, { columns: 120, files, config: `{ context = ${context} }` });
  await nvim.command('wincmd t | edit src/a.lua');
  await nvim.input('5G');
  return nvim;
}

/** What stands below the text of the prompt. */
const chip = (nvim: TestNvim) =>
  nvim.lua<string>(`
    local buf = require('acp.chats').current().prompt
    local ns = vim.api.nvim_create_namespace('acp.context.sent_along')
    local mark = vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })[1]
    return mark and vim.iter(mark[4].virt_lines[1]):map(function(chunk) return chunk[1] end):join('') or ''`);

const waitForChip = (nvim: TestNvim, expected: string) =>
  nvim.waitFor(async () => (await chip(nvim)) === expected, `"${expected}" below the prompt`);

const waitForLine = (nvim: TestNvim, line: string) =>
  nvim.waitFor(async () => (await transcript(nvim)).includes(line), line);

const waitForEmptyPrompt = (nvim: TestNvim) =>
  nvim.waitFor(async () => (await promptText(nvim)) === '', 'an empty prompt');

/** The lines of the transcript that begin with a mention. */
const mentioned = async (nvim: TestNvim) => (await transcript(nvim)).filter((line) => line.startsWith('@'));

describe('the option context', () => {
  it.for([
    ['{ cursor = true }', '', '@src/a.lua:5'],
    ['{ file = true }', '', '@src/a.lua'],
    ['{ file = true, cursor = true, selection = true }', '', '@src/a.lua @src/a.lua:5'],
    ['{ cursor = true, selection = true }', 'Vjj', '@src/a.lua:5-7'],
    ['{ cursor = true, selection = true }', 'Vjj<Esc>9G', '@src/a.lua:9'],
    ['{ cursor = true }', 'Vjj', '@src/a.lua:7'],
    ['{ selection = true }', 'vj', '@src/a.lua:5-6'],
  ] as const)('%s after the keys "%s" shows and sends %s', async ([context, keys, mentions], { start }) => {
    const nvim = await startBeside(start, context);
    await nvim.input(`${keys}<C-w>b`);
    await nvim.waitForScreen(`+ ${mentions} · <BS> detach`);
    await nvim.input('ihello there');
    await nvim.waitForScreen(`+ ${mentions} · <Esc><BS> detach`);
    await nvim.input('<C-s>');
    await waitForLine(nvim, mentions);
    await waitForLine(nvim, `  ▪ ${mentions.split(' ').at(-1)!.slice(1)}`);
    await waitForEmptyPrompt(nvim);
    expect(await transcript(nvim)).toContain('hello there');
  });

  it.for([['false'], ['{}'], ['{ selection = true }']] as const)(
    '%s sends nothing along with a prompt about a line',
    async ([context], { start }) => {
      const nvim = await startBeside(start, context);
      await nvim.input('<C-w>bihello there<C-s>');
      await waitForLine(nvim, 'hello there');
      await waitForEmptyPrompt(nvim);
      expect(await chip(nvim)).toBe('');
      expect(await mentioned(nvim)).toEqual([]);
    },
  );

  it('is no code, also below a code block that is not closed', async ({ start }) => {
    const nvim = await startBeside(start, '{ cursor = true }');
    await nvim.input('<C-w>bifix<CR>````lua<CR>```<CR>x()<Esc><CR>');
    await waitForLine(nvim, '  ▪ src/a.lua:5');
    expect((await mentioned(nvim)).at(-1)).toBe('@src/a.lua:5');
  });
});

describe('what is sent along with a prompt', () => {
  it('is removed by <BS> in Normal mode, the last one first, until the prompt is sent', async ({ start }) => {
    const nvim = await startBeside(start, '{ file = true, cursor = true }');
    await nvim.input('<C-w>b');
    await waitForChip(nvim, '+ @src/a.lua @src/a.lua:5 · <BS> detach');
    await nvim.input('<BS>');
    await waitForChip(nvim, '+ @src/a.lua · <BS> detach');
    await nvim.input('<C-w>t9G<C-w>b');
    await waitForChip(nvim, '+ @src/a.lua · <BS> detach');
    await nvim.input('<BS>');
    await waitForChip(nvim, '');
    await nvim.input('ihello<Esc>');
    expect(await nvim.lua('return vim.fn.col(".")')).toBe(5);
    await nvim.input('<BS>');
    expect(await nvim.lua('return vim.fn.col(".")')).toBe(4);
    await nvim.input('<CR>');
    await waitForLine(nvim, 'hello');
    await waitForChip(nvim, '+ @src/a.lua @src/a.lua:9 · <BS> detach');
    expect(await mentioned(nvim)).toEqual([]);
  });

  it.for([
    ['the same lines', 'see @src/a.lua:5, please', '+ @src/a.lua'],
    ['the same lines at its end', 'see @src/a.lua:5', '+ @src/a.lua'],
    ['other lines that begin alike', 'see @src/a.lua:55', '+ @src/a.lua @src/a.lua:5'],
    ['@this', 'explain @this.', '+ @src/a.lua'],
    ['@buffer', 'explain @buffer', '+ @src/a.lua:5'],
    ['both', 'explain @buffer and (@this)', ''],
    ['a slash command', '/plan', ''],
  ] as const)('leaves out what the text has: %s', async ([, written, expected], { start }) => {
    const nvim = await startBeside(start, '{ file = true, cursor = true }');
    await nvim.input(`<C-w>bi${written}<C-e><Esc>`);
    await waitForChip(nvim, expected && `${expected} · <BS> detach`);
  });

  it.for(['explain @selection', 'explain @this'])(
    'leaves out the selection that "%s" is about',
    async (written, { start }) => {
      const nvim = await startBeside(start, '{ file = true, selection = true }');
      await nvim.input('Vjj<C-w>b');
      await waitForChip(nvim, '+ @src/a.lua @src/a.lua:5-7 · <BS> detach');
      await nvim.input(`i${written}<C-e><Esc>`);
      await waitForChip(nvim, '+ @src/a.lua · <BS> detach');
    },
  );

  it('is shown only while the user is in the prompt, and follows them to another file', async ({ start }) => {
    const nvim = await startBeside(start, '{ cursor = true }');
    await nvim.input('<C-w>b');
    await waitForChip(nvim, '+ @src/a.lua:5 · <BS> detach');
    await nvim.input('<C-w>t');
    await waitForChip(nvim, '');
    await nvim.input(':edit src/b.lua<CR>7G<C-w>b');
    await waitForChip(nvim, '+ @src/b.lua:7 · <BS> detach');
    await nvim.input('<C-w>k');
    await waitForChip(nvim, '');
    await nvim.input('<C-w>j');
    await waitForChip(nvim, '+ @src/b.lua:7 · <BS> detach');
  });

  it('stays what was shown when something else moves the cursor', async ({ start }) => {
    const nvim = await startBeside(start, '{ cursor = true }');
    await nvim.input('<C-w>bihello');
    await waitForChip(nvim, '+ @src/a.lua:5 · <Esc><BS> detach');
    await nvim.lua('vim.api.nvim_win_set_cursor(vim.fn.win_getid(1), { 30, 0 })');
    await nvim.input(' there<C-s>');
    await waitForLine(nvim, '@src/a.lua:5');
  });

  it('is a part of the prompt in the history and when it is sent again', async ({ start }) => {
    const nvim = await startBeside(start, '{ cursor = true }');
    await nvim.input('<C-w>bihello there<Esc><CR>');
    await waitForEmptyPrompt(nvim);
    await waitForPhase(nvim, 'idle');
    await nvim.input('<Up>');
    await nvim.waitFor(
      async () => (await promptText(nvim)) === 'hello there\n\n@src/a.lua:5',
      'the earlier prompt',
    );
    await waitForChip(nvim, '');
    await nvim.input('<CR>');
    await waitForEmptyPrompt(nvim);
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpRetry');
    await nvim.waitFor(async () => (await mentioned(nvim)).length === 3, 'three prompts');
    expect(await mentioned(nvim)).toEqual(Array(3).fill('@src/a.lua:5'));
  });

  it('leaves text that was typed since in the prompt', async ({ start }) => {
    const nvim = await startBeside(start, '{ cursor = true }');
    await nvim.input('<C-w>bihello there<C-s><CR>and more');
    await waitForLine(nvim, '@src/a.lua:5');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'and more', 'the rest');
  });

  it('is nothing for :AcpSend and for a window without a file', async ({ start }) => {
    const nvim = await startBeside(start, '{ file = true, cursor = true }');
    await nvim.input('<C-w>b');
    await waitForChip(nvim, '+ @src/a.lua @src/a.lua:5 · <BS> detach');
    await nvim.command('AcpSend hello from a command');
    await waitForLine(nvim, 'hello from a command');
    await waitForPhase(nvim, 'idle');
    expect(await mentioned(nvim)).toEqual([]);
    await nvim.input('<C-w>t:help tags<CR>:only<CR>:AcpChat<CR><Esc>');
    await waitForChip(nvim, '');
  });

  it('has a line of its own below a long text', async ({ start }) => {
    const nvim = await startBeside(start, '{ cursor = true }');
    await nvim.input('<C-w>bione<CR>two<CR>three');
    await nvim.waitForScreen(/› one.*two.*three.*\+ @src\/a\.lua:5/s);
    expect(await nvim.lua('return vim.api.nvim_win_get_height(0)')).toBe(4);
  });

  it('is cut at its left in a narrow window', async ({ start }) => {
    const nvim = await startBeside(start, '{ file = true, cursor = true }');
    await nvim.command('AcpChat! | set columns=60');
    await nvim.command('edit src/a.lua | AcpChat');
    await nvim.input('<Esc>');
    await nvim.waitForScreen(/\+ (…|@)\S* ?@src\/a\.lua:5\s*$/m);
  });
});
