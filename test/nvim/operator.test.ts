import { describe, expect } from 'vitest';
import { chatStatus, promptText, startChat, transcript, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';

const text = `${['one', 'two', '', 'three()', '  four', 'five', '', 'six'].join('\n')}\n`;

/** A file on the left with a chat beside it, and the operators on `gs` and `ga`. */
async function startInFile(start: (options?: NvimOptions) => Promise<TestNvim>): Promise<TestNvim> {
  const nvim = await startChat(start, {
    columns: 120,
    files: { 'src/a.lua': text },
    init: `
      vim.keymap.set({ 'n', 'x', 'o' }, 'gs', '<Plug>(acp-send)')
      vim.keymap.set('n', 'gss', '<Plug>(acp-send-line)')
      vim.keymap.set({ 'n', 'x' }, 'ga', '<Plug>(acp-add)')
      vim.keymap.set('n', 'gaa', '<Plug>(acp-add-line)')
      vim.keymap.set('n', 'gaf', '<Plug>(acp-add-file)')`,
  });
  await nvim.command('wincmd t | edit src/a.lua');
  return nvim;
}

const sent = async (nvim: TestNvim) => (await transcript(nvim)).filter((line) => line.startsWith('@'));

async function waitForSent(nvim: TestNvim, ...mentions: string[]): Promise<void> {
  await nvim.waitFor(
    async () => (await sent(nvim)).join() === mentions.join(),
    `the prompts ${mentions.join()}`,
  );
}

const place = (nvim: TestNvim) =>
  nvim.lua<unknown[]>(
    'return { vim.fn.expand("%"), vim.api.nvim_win_get_cursor(0), vim.fn.line("w0"), vim.api.nvim_get_mode().mode }',
  );

describe('<Plug>(acp-send)', () => {
  it.for([
    ['a motion down', '2Ggs3j', '@src/a.lua:2-5'],
    ['a motion up', '5Ggsk', '@src/a.lua:4-5'],
    ['a text object', '5G2|gsip', '@src/a.lua:4-6'],
    ['a word, which is its line', '4Ggsiw', '@src/a.lua:4'],
    ['an exclusive motion to the start of a line', '4Ggs}', '@src/a.lua:4-6'],
    ['the line, with a name of its own', '2Ggss', '@src/a.lua:2'],
    ['as many lines as the count says', '2G3gss', '@src/a.lua:2-4'],
    ['the line, when it is typed twice', '2Ggsgs', '@src/a.lua:2'],
    ['a selection of characters', '4Glvjgs', '@src/a.lua:4-5'],
    ['a selection of lines', '4GVjgs', '@src/a.lua:4-5'],
    ['a block', '4Gl<C-v>jgs', '@src/a.lua:4-5'],
  ] as const)('sends %s', async ([, keys, mention], { start }) => {
    const nvim = await startInFile(start);
    await nvim.input(keys);
    await waitForSent(nvim, mention);
    await nvim.waitFor(
      async () => (await transcript(nvim)).includes(`  ▪ ${mention.slice(1)}`),
      'what is attached',
    );
  });

  it('leaves the cursor, the view, the mode and the registers alone', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('ggyyjyw6G3|');
    const before = await place(nvim);
    const registers = 'return { vim.fn.getreg("\\""), vim.fn.getreg("0"), vim.fn.getreg("1") }';
    const yanked = await nvim.lua(registers);
    await nvim.input('gsip');
    await waitForSent(nvim, '@src/a.lua:4-6');
    expect(await place(nvim)).toEqual(before);
    await nvim.input('vkgs');
    await waitForSent(nvim, '@src/a.lua:4-6', '@src/a.lua:5-6');
    expect((await place(nvim))[3]).toBe('n');
    expect(await nvim.lua(registers)).toEqual(yanked);
  });

  it('is repeated by a dot, and leaves the cursor alone then too', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('5Ggsip');
    await waitForSent(nvim, '@src/a.lua:4-6');
    await nvim.input('2G2|.');
    await waitForSent(nvim, '@src/a.lua:4-6', '@src/a.lua:1-2');
    expect((await place(nvim))[1]).toEqual([2, 1]);
  });

  it('sends nothing when the motion is cancelled', async ({ start }) => {
    const nvim = await startInFile(start);
    const before = (await chatStatus(nvim))?.entries;
    await nvim.input('gs<Esc>gsfz');
    expect((await chatStatus(nvim))?.entries).toBe(before);
  });

  it('mentions a buffer without a file by its number', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.command('enew');
    await nvim.input('ione<CR>two<CR>three<Esc>gsk');
    const buf = await nvim.lua<number>('return vim.api.nvim_get_current_buf()');
    await waitForSent(nvim, `@buffer:${buf}:2-3`);
    const attached = async () => (await transcript(nvim)).some((line) => /^ {2}▪ .*lines 2-3/.test(line));
    await nvim.waitFor(attached, 'what is attached');
  });

  it('opens a chat that is not shown, beside the file', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.command('AcpChat!');
    await nvim.waitFor(async () => (await windows(nvim)).length === 1, 'the chat to close');
    await nvim.input('gss');
    await waitForSent(nvim, '@src/a.lua:1');
    expect(await windows(nvim)).toEqual(['lua', 'acp', 'acp-prompt']);
    expect((await place(nvim))[0]).toBe('src/a.lua');
  });
});

describe('<Plug>(acp-add)', () => {
  it('collects lines in the draft, names each once, and says where they went', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('5Ggaip');
    await nvim.waitForScreen('added @src/a.lua:4-6 to the draft for tour');
    await nvim.input('gaa');
    await nvim.waitFor(
      async () => (await promptText(nvim)) === '@src/a.lua:4-6 @src/a.lua:5',
      'two mentions',
    );
    await nvim.input('1GVjga');
    await nvim.input('gaf');
    await nvim.waitFor(async () => (await promptText(nvim)).endsWith(' @src/a.lua'), 'the file');
    await nvim.input('gaf');
    await nvim.waitForScreen('@src/a.lua is already in the draft');
    expect(await promptText(nvim)).toBe('@src/a.lua:4-6 @src/a.lua:5 @src/a.lua:1-2 @src/a.lua');
    expect((await place(nvim))[0]).toBe('src/a.lua');
    expect(await sent(nvim)).toEqual([]);
  });

  it('writes below a text that the user is writing', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input('<C-w>bifix this<Esc><C-w>t2Ggaj');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'fix this\n@src/a.lua:2-3', 'both');
  });
});

describe(':AcpAdd', () => {
  it('refuses a file that does not exist', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input(':AcpAdd nope.lua @diagnostics<CR>');
    await nvim.waitForScreen('there is no file "nope.lua"; nothing was added');
    expect(await promptText(nvim)).toBe('');
    await nvim.command('AcpAdd src/a.lua:2-3');
    expect(await promptText(nvim)).toContain('@src/a.lua:2-3');
  });

  it('adds what is named, and completes paths', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.command('AcpAdd src/a.lua @diagnostics');
    expect(await promptText(nvim)).toBe('@src/a.lua @diagnostics');
    expect(await nvim.lua("return vim.fn.getcompletion('AcpAdd src/', 'cmdline')")).toEqual(['src/a.lua']);
  });

  it('completes mentions, as the commands that send a text do', async ({ start }) => {
    const nvim = await startInFile(start);
    const complete = (line: string) => nvim.lua("return vim.fn.getcompletion(..., 'cmdline')", line);
    expect(await complete('AcpAdd @')).toEqual(expect.arrayContaining(['@this', '@diagnostics', '@src/']));
    expect(await complete('Acp add @dia')).toEqual(['@diagnostics']);
    expect(await complete('AcpSend look at @src/')).toEqual(['@src/a.lua']);
  });

  it.for([
    ['~~~<CR>x', '~~~\nx\n~~~\n\n@src/a.lua'],
    ['```<CR>x<CR>```', '```\nx\n```\n@src/a.lua'],
  ] as const)(
    'adds nothing into the code block of a draft that begins with %s',
    async ([keys, draft], { start }) => {
      const nvim = await startInFile(start);
      await nvim.input(`<C-w>bi${keys}<Esc>`);
      await nvim.command('AcpAdd src/a.lua');
      expect(await promptText(nvim)).toBe(draft);
    },
  );

  it('starts a chat if there is none, without opening it', async ({ start }) => {
    const nvim = await start({
      init: "vim.g.acp = { agent = 'tour' }",
      files: { 'a b.txt': 'text\n' },
    });
    await nvim.command('edit a\\ b.txt | AcpAdd');
    expect(await promptText(nvim)).toBe('@"a b.txt"');
    expect(await windows(nvim)).toEqual(['text']);
    await nvim.command('AcpAdd!');
    expect(await windows(nvim)).toEqual(['text', 'acp', 'acp-prompt']);
  });
});
