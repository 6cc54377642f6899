import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { promptText, startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { aPng } from '../support/pictures.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

const source = ['local M = {}', '', 'function M.add(a, b)', '  return a + b', 'end', '', 'return M'];
const body = source.slice(2, 5).join('\n');
const offer = '<C-g>m → @src/a.lua:3-5';
const map = "vim.keymap.set('n', 'gk', '<Plug>(acp-ask)')";

/** A chat beside a file. The cursor is in the file, in Normal mode. */
async function startInFile(start: Start, config = '{}', init = ''): Promise<TestNvim> {
  const nvim = await startChat(start, {
    columns: 140,
    files: { 'src/a.lua': `${source.join('\n')}\n` },
    config,
    init: `${map}\n${init}`,
  });
  await nvim.command('wincmd t | edit src/a.lua');
  return nvim;
}

/** Types in the prompt, in steps, as somebody who looks at the screen in between. */
async function type(nvim: TestNvim, ...steps: readonly string[]): Promise<void> {
  for (const keys of steps) {
    await nvim.input(keys);
    await nvim.lua('return vim.api.nvim_get_mode().mode');
  }
}

/** The offer in a buffer for prompts; the current one unless it is named. */
const offered = (nvim: TestNvim, buf = 0) =>
  nvim.lua<string[]>(
    `local ns = vim.api.nvim_create_namespace('acp.context.mention_offer')
     return vim.tbl_map(function(mark)
       return mark[4].virt_text[1][1]
     end, vim.api.nvim_buf_get_extmarks(..., ns, 0, -1, { details = true }))`,
    buf,
  );

/** Whether anything was offered since the start. */
const countOffers = `
  _G.offers = 0
  local set = vim.api.nvim_buf_set_extmark
  vim.api.nvim_buf_set_extmark = function(buf, ns, ...)
    if ns == vim.api.nvim_create_namespace('acp.context.mention_offer') then _G.offers = _G.offers + 1 end
    return set(buf, ns, ...)
  end
  -- The text that the checks have seen.
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, { pattern = 'acp://*', callback = function()
    _G.seen = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')
  end })`;

async function expectNoOffer(nvim: TestNvim, text: string): Promise<void> {
  await nvim.waitFor(async () => (await nvim.lua('return _G.seen')) === text, `the text ${text}`);
  expect(await nvim.lua('return _G.offers')).toBe(0);
}

const expectPrompt = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await promptText(nvim)) === text, `the prompt ${JSON.stringify(text)}`);

const paste = (nvim: TestNvim, text: string, phase = -1) =>
  nvim.lua('vim.api.nvim_paste(...)', text, true, phase);

describe('lines that were yanked in a file and are pasted into the prompt', () => {
  it.for<[string, string, readonly string[], string]>([
    ['p', '3Gyip<C-w>b', ['p'], '\n@src/a.lua:3-5'],
    ['P', '3GVjjy<C-w>b', ['P'], '@src/a.lua:3-5\n'],
    ['gp', '3Gy2j<C-w>bisee<Esc>', ['gp'], 'see\n@src/a.lua:3-5'],
    [']p with another indent', '3G3yy<C-w>bi  see<Esc>', [']p'], '  see\n@src/a.lua:3-5'],
    ['p from a named register', '3G"a3yyjyy<C-w>b', ['"ap'], '\n@src/a.lua:3-5'],
    ['p in Visual mode', '3G3yy<C-w>bisee<CR>this<CR>or<Esc>k', ['Vp'], 'see\n@src/a.lua:3-5\nor'],
    ['<C-r>', '3G3yy<C-w>b', ['i', '<C-r>"'], '@src/a.lua:3-5\n'],
    ['o and <C-r>', '3G3yy<C-w>bisee<Esc>', ['o<C-r>"'], 'see\n@src/a.lua:3-5\n'],
    ['<C-r> behind a word', '3G3yy<C-w>b', ['isee', '<C-r>"'], 'see @src/a.lua:3-5\n'],
    ['words and <C-r> at once', '3G3yy<C-w>b', ['iwhy <C-r>"'], 'why @src/a.lua:3-5\n'],
    ['<C-r> before a word', '3G3yy<C-w>biwhy<Esc>', ['I', '<C-r>"'], '@src/a.lua:3-5\nwhy'],
    ['<C-r><C-p>', '3G3yy<C-w>b', ['i', '<C-r><C-p>"'], '@src/a.lua:3-5\n'],
    [':put', ':3,5yank<CR><C-w>b', [':put<CR>'], '\n@src/a.lua:3-5'],
  ])('become a mention after %s', async ([, yank, keys, mentioned], { start }) => {
    const nvim = await startInFile(start);
    await type(nvim, yank, ...keys);
    await nvim.waitForScreen(offer);
    const before = await promptText(nvim);
    expect(before).toContain(source[3]);
    await type(nvim, '<C-g>m');
    await expectPrompt(nvim, mentioned);
    await nvim.waitForScreen((screen) => !screen.includes('→'));
    await type(nvim, '<Esc>u');
    await expectPrompt(nvim, before);
    expect(await offered(nvim)).toEqual([]);
    expect(await nvim.messages()).not.toContain('Error');
  });

  it('keep what is typed behind the mention when the mention is undone step by step', async ({ start }) => {
    const nvim = await startInFile(start);
    await type(nvim, '3G3yy<C-w>bisee ', '<C-r>"');
    await nvim.waitForScreen(offer);
    await type(nvim, '<C-g>m', 'and say why<Esc>');
    await expectPrompt(nvim, 'see @src/a.lua:3-5\nand say why');
    await type(nvim, 'u');
    await expectPrompt(nvim, 'see @src/a.lua:3-5\n');
    await type(nvim, 'u');
    await nvim.waitFor(async () => (await promptText(nvim)).startsWith('see function'), 'the pasted lines');
    await type(nvim, '<C-r><C-r>');
    await expectPrompt(nvim, 'see @src/a.lua:3-5\nand say why');
    expect(await offered(nvim)).toEqual([]);
  });

  it.for([
    ['i<C-g>m please', '\n@src/a.lua:3-5 please'],
    ['<C-g>ma please', '\n@src/a.lua:3-5 please'],
    ['jA<C-g>m please', '\n@src/a.lua:3-5 please'],
  ] as const)('let the user go on behind the mention, with the keys %s', async ([keys, text], { start }) => {
    const nvim = await startInFile(start);
    await type(nvim, '3Gy2j<C-w>b', 'p');
    await nvim.waitFor(async () => (await offered(nvim)).length === 1, 'the offer');
    await type(nvim, keys);
    await expectPrompt(nvim, text);
  });

  it('leave the registers as they are', async ({ start }) => {
    const nvim = await startInFile(start);
    await type(nvim, '3G3yy<C-w>bp');
    await nvim.waitForScreen(offer);
    await type(nvim, '<C-g>m');
    await expectPrompt(nvim, '\n@src/a.lua:3-5');
    expect(await nvim.lua(`return { vim.fn.getreg('"'), vim.fn.getreg('1') }`)).toEqual([`${body}\n`, '']);
  });

  it('become a mention in the window that asks about code', async ({ start }) => {
    const nvim = await startInFile(start);
    await type(nvim, '3G3yygk');
    await nvim.waitFor(() => nvim.lua("return vim.bo.filetype == 'acp-prompt' and vim.fn.mode() == 'i'"));
    await type(nvim, '<C-r>"');
    await nvim.waitForScreen(offer);
    await type(nvim, '<C-g>m');
    await nvim.waitFor(async () => (await nvim.lines())[0] === '@src/a.lua:3-5', 'the mention');
  });

  it('become a mention when they were yanked before the first chat', async ({ start }) => {
    const nvim = await start({
      columns: 140,
      files: { 'src/a.lua': `${source.join('\n')}\n` },
      args: ['src/a.lua'],
      init: "vim.g.acp = { agent = 'tour' }",
    });
    await nvim.attachHost();
    expect(await nvim.lua("return #vim.api.nvim_get_autocmds({ event = 'TextYankPost' })")).toBe(0);
    await type(nvim, '3G3yy:AcpChat<CR>');
    await nvim.waitFor(() => nvim.lua("return vim.bo.filetype == 'acp-prompt'"), 'the prompt');
    await type(nvim, '<Esc>p');
    await nvim.waitForScreen(offer);
  });

  it('become a mention of the place where they are now', async ({ start }) => {
    const nvim = await startInFile(start);
    await type(nvim, '3G3yyggOone<CR>two<Esc><C-w>bp');
    await nvim.waitForScreen('<C-g>m → @src/a.lua:5-7');
  });

  it.for([
    ['at once', -1],
    ['in parts', 1],
  ] as const)('become a mention when the terminal pastes them %s', async ([, phase], { start }) => {
    const nvim = await startInFile(start);
    await type(nvim, '3G3yy<C-w>bi');
    if (phase === -1) {
      await paste(nvim, `${body}\n`);
    } else {
      await paste(nvim, body.slice(0, 30), 1);
      await nvim.waitForScreen('function M.add');
      await paste(nvim, `${body.slice(30)}\n`, 2);
      await paste(nvim, '', 3);
    }
    await nvim.waitForScreen(offer);
    await type(nvim, '<C-g>m');
    await expectPrompt(nvim, '@src/a.lua:3-5\n');
  });

  it.for<[string, string, string, string]>([
    ['that have changed in the file', '3G3yyjAx<Esc><C-w>bp', `\n${body}`, ''],
    ['that were deleted', '3G3dd<C-w>bp', `\n${body}`, ''],
    ['of which a part was yanked', '3Gv2jy<C-w>bp', 'function M.add(a, b)\n  return a + b\ne', ''],
    ['that are blank', '2Gyy<C-w>bp', '\n', ''],
    ['that come from elsewhere', '3G3yy<C-w>bp', '\nother', ":call setreg('\"', ['other'], 'V')<CR>"],
    ['that were yanked in the prompt', '<C-w>bione<Esc>yyp', 'one\none', ''],
    ['that are pasted twice with a count', '5Gyy<C-w>b2p', '\nend\nend', ''],
    ['of a buffer without a file', ':enew<CR>ione<Esc>yy<C-w>bp', '\none', ''],
  ])('are not offered as a mention if they are lines %s', async ([, keys, text, before], { start }) => {
    const nvim = await startInFile(start, '{}', countOffers);
    await type(nvim, keys.replace('<C-w>bp', `${before}<C-w>bp`));
    await expectNoOffer(nvim, text);
  });

  it('are not offered if somebody types them', async ({ start }) => {
    const nvim = await startInFile(start, '{}', countOffers);
    await type(nvim, '5Gyy<C-w>bi', 'e', 'n', 'd', '<CR>', '.');
    await expectNoOffer(nvim, 'end\n.');
  });

  it('are not offered if the key is turned off', async ({ start }) => {
    const nvim = await startInFile(start, '{ keys = { mention = false } }', countOffers);
    await type(nvim, '3G3yy<C-w>bp');
    await expectNoOffer(nvim, `\n${body}`);
  });

  it('are not offered again when the prompt moves them with ddp', async ({ start }) => {
    const nvim = await startInFile(start, '{}', countOffers);
    await type(nvim, '3Gyy<C-w>bp');
    await nvim.waitForScreen('→ @src/a.lua:3');
    await type(nvim, 'ggdd');
    await nvim.waitForScreen((screen) => !screen.includes('→'));
    await type(nvim, 'ione<CR><Esc>jddggP');
    await nvim.waitFor(async () => (await nvim.lua<string>('return _G.seen')).startsWith('function M'));
    expect(await nvim.lua('return _G.offers')).toBe(1);
  });
});

describe('the offer of a mention', () => {
  it.for([
    ['the next change', 'Gox<Esc>'],
    ['the next change in the pasted lines', 'x'],
    ['another window', '<C-w>t'],
    ['undo', 'u'],
  ] as const)('disappears with %s, and the key has its own meaning again', async ([, keys], { start }) => {
    const nvim = await startInFile(start, '{}', "vim.keymap.set('n', '<C-g>m', 'ggOmine<Esc>')");
    await type(nvim, '3G3yy<C-w>bp');
    await nvim.waitForScreen(offer);
    await type(nvim, keys);
    await nvim.waitForScreen((screen) => !screen.includes('→'));
    await type(nvim, '<C-w>b<C-g>m');
    await nvim.waitFor(async () => (await promptText(nvim)).startsWith('mine\n'), 'the mapping of the user');
  });

  it('gives a mapping of the user for the same key in the prompt back', async ({ start }) => {
    const init = `vim.api.nvim_create_autocmd('FileType', { pattern = 'acp-prompt', callback = function()
      vim.keymap.set('n', '<C-g>m', 'ggOmine<Esc>', { buffer = true })
    end })`;
    const nvim = await startInFile(start, '{}', init);
    await type(nvim, '3G3yy<C-w>bp');
    await nvim.waitForScreen(offer);
    await type(nvim, '<C-g>m');
    await expectPrompt(nvim, '\n@src/a.lua:3-5');
    await type(nvim, '<C-g>m');
    await expectPrompt(nvim, 'mine\n\n@src/a.lua:3-5');
  });

  it('stands behind a line that has room for it', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.command("call setline(3, 'function M.add(the_first_number, the_second_number)')");
    await type(nvim, '3G3yy<C-w>bp');
    await nvim.waitForScreen(/return a \+ b <C-g>m → @src\/a.lua:3-5/);
  });

  it('stays when Insert mode ends', async ({ start }) => {
    const nvim = await startInFile(start);
    await type(nvim, '3G3yy<C-w>bi', '<C-r>"');
    await nvim.waitForScreen(offer);
    await type(nvim, '<Esc>', '<C-g>m');
    await expectPrompt(nvim, '@src/a.lua:3-5\n');
  });

  it('is refused when the file has changed since', async ({ start }) => {
    const nvim = await startInFile(start);
    const file = await nvim.lua<number>('return vim.api.nvim_get_current_buf()');
    await type(nvim, '3G3yy<C-w>bp');
    await nvim.waitForScreen(offer);
    await nvim.lua("vim.api.nvim_buf_set_lines(..., 3, 4, false, { '  return 0' })", file);
    await type(nvim, '<C-g>m');
    await nvim.waitFor(async () => (await nvim.messages()).includes('have changed in the file'), 'a message');
    expect(await promptText(nvim)).toBe(`\n${body}`);
  });

  it('is not made for the path of a picture that a paste turns into a mention', async ({ start }) => {
    const nvim = await startInFile(start, '{}', countOffers);
    const picture = path.join(nvim.sandbox.cwd, 'a.png');
    fs.writeFileSync(picture, aPng());
    await nvim.command(`call setline(1, ${JSON.stringify(picture)})`);
    await type(nvim, '1Gyy<C-w>bi');
    await paste(nvim, `${picture}\n`);
    await expectNoOffer(nvim, '@a.png ');
  });
});
