import { describe, expect } from 'vitest';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

interface Highlight {
  readonly fg?: number;
  readonly bg?: number;
  readonly ctermbg?: number;
  readonly ctermfg?: number;
  readonly italic?: boolean;
  readonly bold?: boolean;
}

/** The groups after a colour scheme has set these highlights. */
async function groupsWith(
  nvim: TestNvim,
  ...highlights: readonly string[]
): Promise<Record<string, Highlight>> {
  return nvim.lua(
    `require('acp.ui.highlight').define()
     vim.o.termguicolors = true
     vim.cmd('highlight clear')
     for _, highlight in ipairs(...) do vim.cmd('highlight ' .. highlight) end
     vim.cmd('doautocmd ColorScheme')
     local found = {}
     for name in pairs(require('acp.ui.highlight').groups) do
       found[name] = vim.api.nvim_get_hl(0, { name = name, link = false })
     end
     return found`,
    highlights,
  );
}

const normal = 'Normal guifg=#ffffff guibg=#000000';

describe('the colours of the chat', () => {
  it('are italic only where that is meant, in a colour scheme that likes italics', async ({ start }) => {
    const nvim = await start();
    const names = ['Comment', 'String', 'Title', 'Function', 'WinBar', 'ErrorMsg'];
    const kinds = ['Ok', 'Info', 'Warn', 'Error', 'Hint'].map((kind) => `Diagnostic${kind}`);
    const italics = [...names, ...kinds].map((name) => `${name} gui=italic guifg=#808080`);
    const groups = await groupsWith(nvim, normal, ...italics);
    const italic = Object.keys(groups).filter((name) => groups[name]!.italic);
    expect(italic.sort()).toEqual(['AcpHeading3', 'AcpItalic', 'AcpThought']);
  });

  it('give the lines of a diff a background that is weak, and one of their text if they have none', async ({
    start,
  }) => {
    const nvim = await start();
    const groups = await groupsWith(
      nvim,
      normal,
      'DiffAdd guibg=#00ff00 guifg=#000000 gui=bold',
      'DiffDelete guibg=NONE guifg=#ff0000 gui=bold',
    );
    expect(groups.AcpDiffAdd).toMatchObject({ bg: 0x008000 });
    expect(groups.AcpDiffDelete).toMatchObject({ bg: 0x330000 });
    const weak = await groupsWith(
      nvim,
      normal,
      'DiffAdd guibg=#102010',
      'DiffDelete gui=reverse guifg=#201010',
    );
    expect(weak.AcpDiffAdd).toMatchObject({ bg: 0x102010 });
    expect(weak.AcpDiffDelete).toMatchObject({ bg: 0x201010 });
  });

  it('keep the colours of terminals with 256 and 16 colours', async ({ start }) => {
    const nvim = await start();
    const groups = await groupsWith(
      nvim,
      'Comment ctermfg=244 cterm=italic',
      'DiffAdd ctermbg=22 ctermfg=NONE',
      'DiffDelete ctermbg=NONE ctermfg=160',
    );
    expect(groups.AcpMuted?.ctermfg).toBe(244);
    expect(groups.AcpHint?.ctermfg).toBe(244);
    expect(groups.AcpDiffAdd?.ctermbg).toBe(22);
    expect(groups.AcpDiffDelete?.ctermfg).toBe(160);
  });

  it.for<[string, string, 'DiffAdd' | 'DiffDelete', string, object]>([
    ['256', 'dark', 'DiffAdd', 'ctermbg=10 ctermfg=0', { ctermbg: 22 }],
    ['256', 'light', 'DiffAdd', 'ctermbg=10 ctermfg=0', { ctermbg: 194 }],
    ['256', 'dark', 'DiffDelete', 'ctermbg=NONE ctermfg=9', { ctermbg: 52 }],
    ['16', 'dark', 'DiffAdd', 'ctermbg=10 ctermfg=0', { ctermfg: 10 }],
    ['16', 'dark', 'DiffDelete', 'ctermbg=NONE ctermfg=9', { ctermfg: 9 }],
  ])('put code on no strong background: %s colours, %s, %s', async (row, { start }) => {
    const [count, background, name, colours, expected] = row;
    const nvim = await start();
    await nvim.client.request('nvim_ui_set_option', ['term_colors', Number(count)]);
    await nvim.command(`set background=${background}`);
    const groups = await groupsWith(nvim, `${name} ${colours}`);
    const { ctermbg, ctermfg } = groups[`Acp${name}`] ?? {};
    expect({ ...(ctermbg !== undefined && { ctermbg }), ...(ctermfg !== undefined && { ctermfg }) }).toEqual(
      expected,
    );
  });

  it('of output are those of a terminal, and differ', async ({ start }) => {
    const nvim = await start();
    const names = ['Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan'].map((name) => `AcpAnsi${name}`);
    for (const background of ['dark', 'light']) {
      await nvim.command(`set background=${background}`);
      const groups = await groupsWith(nvim);
      expect(new Set(names.map((name) => groups[name]?.fg)).size).toBe(names.length);
      const bright = background === 'dark' ? 8 : 0;
      expect(names.map((name) => groups[name]?.ctermfg)).toEqual([1, 2, 3, 4, 5, 6].map((n) => n + bright));
    }
    await nvim.command("let g:terminal_color_4 = '#0000fe' | let g:terminal_color_5 = 'no colour'");
    const groups = await groupsWith(nvim);
    expect(groups.AcpAnsiBlue).toMatchObject({ fg: 0x0000fe });
    expect(groups.AcpAnsiMagenta?.fg).toBeGreaterThan(0);
  });

  it('give the whole winbar one background', async ({ start }) => {
    const nvim = await startChat(start);
    const left = nvim.screen.lines()[0]!.indexOf('│') + 1;
    const columns = Array.from({ length: nvim.screen.width - left }, (_, at) => left + at);
    expect(new Set(columns.map((column) => nvim.screen.cell(0, column).bg)).size).toBe(1);
  });

  it('make the line between chat and prompt visible where a colour scheme hides lines', async ({ start }) => {
    const nvim = await start();
    const hidden = await groupsWith(nvim, normal, 'WinSeparator guifg=#080808 gui=reverse');
    expect(hidden.AcpSeparator).toMatchObject({ fg: 0x404040 });
    const seen = await groupsWith(nvim, normal, 'WinSeparator guifg=#606060 guibg=#ff0000 ctermfg=8');
    expect(seen.AcpSeparator).toMatchObject({ fg: 0x606060, ctermfg: 8 });
    expect(seen.AcpSeparator?.bg).toBeUndefined();
  });

  it('draw that line on the background of the window', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('highlight StatusLine guibg=#ff0000 gui=underline');
    await nvim.command('highlight StatusLineNC guibg=#00ff00 gui=reverse');
    const cell = () => {
      const row = nvim.screen.lines().findIndex((line) => line.includes('─'.repeat(20)));
      return row === -1 ? undefined : nvim.screen.cell(row, nvim.screen.width - 2);
    };
    for (const keys of ['<Esc><C-w>k', '<C-w>j']) {
      await nvim.input(keys);
      await nvim.waitFor(() => cell()?.bg === nvim.screen.background.bg, 'the background');
      expect(cell()).toMatchObject({ underline: false, reverse: false });
    }
  });

  it('have no background of their own in the winbar', async ({ start }) => {
    const nvim = await start();
    const groups = await groupsWith(
      nvim,
      normal,
      'WinBar guibg=#333333',
      'ErrorMsg guibg=#ff0000 guifg=#000000',
    );
    for (const name of ['AcpAgent', 'AcpTitle', 'AcpMuted', 'AcpAllowAll', 'AcpWaiting'])
      expect(groups[name]?.bg, name).toBeUndefined();
  });
});
