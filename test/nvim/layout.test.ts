import { describe, expect } from 'vitest';
import { startChat, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

interface Place {
  readonly row: number;
  readonly col: number;
  readonly width: number;
  readonly height: number;
}

/** Where the windows of the tab page are, by filetype. */
const places = (nvim: TestNvim) =>
  nvim.lua<Record<string, Place>>(`
    local found = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local row, col = unpack(vim.api.nvim_win_get_position(win))
      found[vim.bo[vim.api.nvim_win_get_buf(win)].filetype] = {
        row = row, col = col, width = vim.api.nvim_win_get_width(win), height = vim.api.nvim_win_get_height(win),
      }
    end
    return found`);

const files = { 'a.txt': 'text of a\n', 'b.txt': 'text of b\n' };

/** A chat of 42 columns beside a file. */
async function startBesideFile(start: Parameters<typeof startChat>[0]): Promise<TestNvim> {
  const nvim = await startChat(start, { files });
  await nvim.input('<C-w>t:edit a.txt<CR><C-w>b');
  await nvim.waitForScreen('text of a');
  return nvim;
}

async function waitForChat(nvim: TestNvim, expected: { col: number; width: number }): Promise<void> {
  await nvim.waitFor(async () => {
    const { acp, 'acp-prompt': prompt } = await places(nvim);
    return (
      acp?.col === expected.col &&
      acp.width === expected.width &&
      prompt?.col === expected.col &&
      prompt.width === expected.width &&
      prompt.row === acp.row + acp.height + 1
    );
  }, `the prompt below the transcript at ${expected.col}, ${expected.width} columns`);
}

const right = { col: 58, width: 42 };

describe('a chat that the user moves', () => {
  it.for(['', '<C-w>k'])('keeps its windows together (%s)', async (go, { start }) => {
    const nvim = await startBesideFile(start);
    await nvim.input(`${go}<C-w>H`);
    await waitForChat(nvim, { col: 0, width: 42 });
    expect(await windows(nvim)).toEqual(['acp', 'acp-prompt', 'text']);
    await nvim.input('<C-w>J');
    await waitForChat(nvim, { col: 0, width: 100 });
    expect(await windows(nvim)).toEqual(['text', 'acp', 'acp-prompt']);
    const { text, acp } = await places(nvim);
    expect(text?.height).toBeGreaterThan(acp?.height ?? 0);
    await nvim.input('<C-w>K');
    await nvim.waitFor(async () => (await places(nvim)).acp?.row === 0, 'the top');
    await waitForChat(nvim, { col: 0, width: 100 });
    await nvim.input('<C-w>L');
    await waitForChat(nvim, right);
    expect(await nvim.lua('return vim.bo.filetype')).toBe(go === '' ? 'acp-prompt' : 'acp');
    expect(await nvim.lua('return vim.o.cmdheight')).toBe(1);
    await nvim.input('<C-w>T');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'acp,acp-prompt', 'the new tab page');
    await waitForChat(nvim, { col: 0, width: 100 });
    const isKept = "return require('acp.ui.windows.kept').is_kept(vim.api.nvim_get_current_win())";
    expect(await nvim.lua(isKept)).toBe(true);
    await nvim.input(':tabnew<CR>');
    await nvim.waitFor(() => nvim.lua("return vim.fn.tabpagenr('$') == 3"), 'another tab page');
    expect(await nvim.lua('return { #vim.api.nvim_tabpage_list_wins(0), vim.wo.winfixbuf }')).toEqual([
      1,
      false,
    ]);
    await nvim.input(':tabfirst<CR>');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'text', 'the file alone');
    expect(await nvim.messages()).not.toMatch(/E\d+:|traceback/);
  });

  it('stays whole when a window opens between its windows', async ({ start }) => {
    const nvim = await startBesideFile(start);
    for (const command of ['new', 'split b.txt', 'vnew']) {
      await nvim.input(`:${command}<CR>`);
      await nvim.waitFor(
        async () => /^text,acp,acp-prompt,(text)?$/.test((await windows(nvim)).join()),
        `the chat above the window of :${command}`,
      );
      await waitForChat(nvim, right);
      await nvim.input(':close<CR><C-w>b');
      await nvim.waitFor(async () => (await windows(nvim)).length === 3, 'the window to close');
      await waitForChat(nvim, right);
      expect((await places(nvim))['acp-prompt']?.height).toBe(2);
    }
  });

  it('has its width again after it was split', async ({ start }) => {
    const nvim = await startBesideFile(start);
    for (const keys of [':vsplit<CR>', '<C-w>k:vsplit<CR>']) {
      await nvim.input(keys);
      await nvim.waitFor(async () => (await windows(nvim)).length === 4, 'the split');
      await nvim.input('<C-w>c<C-w>b');
      await waitForChat(nvim, right);
      expect((await places(nvim)).text?.width).toBe(57);
    }
    await nvim.input(':vertical resize 36<CR>');
    await waitForChat(nvim, { col: 64, width: 36 });
    await nvim.input(':vsplit<CR>');
    await nvim.waitFor(async () => (await windows(nvim)).length === 4, 'the split');
    await nvim.input('<C-w>c<C-w>b');
    await waitForChat(nvim, { col: 64, width: 36 });
  });

  it('has its width when it opens again beside a file in the window that it was closed in', async ({
    start,
  }) => {
    const nvim = await startBesideFile(start);
    await nvim.input('<C-w>o');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'acp,acp-prompt', 'the chat alone');
    await nvim.command('AcpChat!');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'text', 'the file alone');
    await nvim.command('AcpChat!');
    await waitForChat(nvim, right);
    await nvim.input('<Esc><C-w>t:vsplit<CR>');
    await nvim.waitFor(async () => (await windows(nvim)).length === 4, 'the split');
    await nvim.input(':close<CR>');
    await nvim.waitFor(async () => (await windows(nvim)).length === 3, 'the split to close');
    await waitForChat(nvim, right);
  });
});

describe('a file that is split from a chat that is alone', () => {
  it.for([
    ['prompt', 'right', ':vsplit a.txt<CR>', 0, 58],
    ['prompt', 'right', ':vnew<CR>', 0, 58],
    ['transcript', 'right', '<C-w>k:vsplit a.txt<CR>', 0, 58],
    ['prompt', 'left', ':vsplit a.txt<CR>', 43, 0],
  ] as const)(
    'stands beside it: from the %s, at the %s, %s',
    async ([, position, keys, file, chat], { start }) => {
      const nvim = await startChat(start, { files, config: `{ position = '${position}' }` });
      await nvim.input('<C-w>o');
      await nvim.waitFor(async () => (await windows(nvim)).join() === 'acp,acp-prompt', 'the chat alone');
      await nvim.input(keys);
      await waitForChat(nvim, { col: chat, width: 42 });
      const isThere = keys.includes('vnew') ? '' : 'text';
      await nvim.waitFor(async () => (await places(nvim))[isThere]?.col === file, 'the file');
      expect((await places(nvim))[isThere]).toMatchObject({ row: 0, height: 28 });
      expect(await nvim.lua('return vim.bo.filetype')).toBe(isThere);
      expect(await nvim.lua('return { vim.wo.statuscolumn, vim.wo.winfixwidth }')).toEqual(['', false]);
    },
  );

  it.for([
    ':vsplit a.txt<CR><C-w>H',
    '<C-w>k:vsplit a.txt<CR><C-w>H',
    ':vsplit a.txt<CR>',
    ':vsplit a.txt<CR><C-w>L',
  ])('leaves the chat its width on a screen that becomes narrow and wide (%s)', async (keys, { start }) => {
    const nvim = await startChat(start, { files, columns: 120 });
    await nvim.input('<C-w>o');
    await nvim.waitFor(async () => (await windows(nvim)).join() === 'acp,acp-prompt', 'the chat alone');
    await nvim.input(keys);
    await nvim.waitFor(async () => (await places(nvim)).acp?.width === 50, 'the width of the chat');
    for (const columns of [80, 40, 20, 200]) await nvim.resize(columns, 30);
    await nvim.waitFor(async () => (await places(nvim)).acp?.width === 84, 'the width on the wide screen');
    expect((await places(nvim))['acp-prompt']?.width).toBe(84);
  });
});

describe('a buffer that a command of the plugin shows', () => {
  it('opens beside the chat and not in it', async ({ start }) => {
    const nvim = await startBesideFile(start);
    for (const [command, filetype] of [
      ['AcpExport', 'markdown'],
      ['AcpLog', ''],
    ] as const) {
      await nvim.input(`<C-w>b:${command}<CR>`);
      await nvim.waitFor(async () => (await windows(nvim)).length === 4, `the window of :${command}`);
      await nvim.waitFor(async () => filetype in (await places(nvim)), filetype);
      expect((await places(nvim))[filetype]).toMatchObject({ row: 0, col: 0, width: 57 });
      await nvim.input(':close<CR>');
      await waitForChat(nvim, right);
    }
    await nvim.input('<C-w>b<C-w>o');
    await nvim.waitFor(async () => (await windows(nvim)).length === 2, 'the chat alone');
    await nvim.input(':AcpExport<CR>');
    await nvim.waitFor(async () => 'markdown' in (await places(nvim)), 'the Markdown');
    await waitForChat(nvim, right);
  });
});

describe('the quickfix list', () => {
  it.for(['<C-w>t', '<C-w>b'])('opens below all windows (from %s)', async (go, { start }) => {
    const nvim = await startBesideFile(start);
    await nvim.input(`${go}:copen<CR>`);
    await nvim.waitFor(async () => (await places(nvim)).qf?.width === 100, 'the list below all windows');
    await waitForChat(nvim, right);
    await nvim.input(':cclose<CR>');
    await waitForChat(nvim, right);
    expect((await places(nvim)).text?.height).toBe(28);
  });
});

it('a screen that is too low for a chat is reported, and the chat opens when it is higher', async ({
  start,
}) => {
  const nvim = await start({ columns: 100, lines: 3, init: "vim.g.acp = { agent = 'tour' }" });
  await nvim.lua("vim.cmd('AcpChat')");
  expect(await nvim.messages()).toBe(
    'acp: no room for a window: close another one or enlarge the screen, then try again',
  );
  await nvim.resize(100, 30);
  await nvim.command('AcpChat');
  await nvim.waitForScreen('Tour');
  expect(await windows(nvim)).toContain('acp-prompt');
});

describe('the prompt', () => {
  it('has two rows again after the screen was small or the command line high', async ({ start }) => {
    const nvim = await startChat(start);
    const rows = async () => (await places(nvim))['acp-prompt']?.height;
    await nvim.resize(40, 6);
    await nvim.waitFor(async () => (await rows()) === 1, 'a small screen');
    await nvim.resize(100, 30);
    await nvim.waitFor(async () => (await rows()) === 2, 'two rows');
    await nvim.input(':set cmdheight=3<CR>');
    await nvim.waitFor(async () => (await places(nvim)).acp?.height === 23, 'a high command line');
    expect(await rows()).toBe(2);
    await nvim.input(':set cmdheight=1 laststatus=3<CR><C-w>k');
    await nvim.waitForScreen(/^ tour$/m);
    await nvim.input(':set winbar=%f<CR><C-w>b');
    await nvim.waitFor(async () => (await places(nvim))['acp-prompt']?.height === 3, 'a row for the winbar');
    expect(nvim.screen.text()).not.toContain('tour-1-prompt');
  });

  it('stays on the screen when that becomes too low for the prompt and the quickfix list', async ({
    start,
  }) => {
    const nvim = await startChat(start, { lines: 29 });
    await nvim.lua("vim.api.nvim_buf_set_lines(require('acp.chats').current().prompt, 0, -1, false, ...)", [
      ...'a draft of nine lines that is long',
    ]);
    await nvim.waitFor(
      async () => (await places(nvim))['acp-prompt']?.height === 9,
      'the height of the prompt',
    );
    await nvim.command('copen');
    await nvim.resize(100, 20);
    await nvim.waitFor(async () => {
      const ends = Object.values(await places(nvim)).map(({ row, height }) => row + height);
      return ends.every((end) => end <= 18);
    }, 'all windows to end above the command line');
    await nvim.lua("require('acp.messages').info('a message')");
    await nvim.waitForScreen((text) => text.trimEnd().endsWith('acp: a message'));
  });
});
