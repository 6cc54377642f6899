import { describe, expect } from 'vitest';
import { shortOrLong } from '../support/long.ts';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { fc } from '../support/property.ts';

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
    await nvim.command("let g:terminal_color_4 = '#6060fe' | let g:terminal_color_5 = 'no colour'");
    const groups = await groupsWith(nvim);
    expect(groups.AcpAnsiBlue).toMatchObject({ fg: 0x6060fe });
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

/** Sets a few colours and clears none. */
const tinyScheme = (name: string, background: string, fg: string, bg: string) => ({
  [`colors/${name}.vim`]: `set background=${background}
    highlight Normal guifg=${fg} guibg=${bg}
    highlight Comment guifg=#808080
    let g:terminal_color_1 = '${bg}'
    let g:colors_name = '${name}'`,
});

const colourCommands = [
  'set background=dark',
  'set background=light',
  'colorscheme default',
  'colorscheme habamax',
  'colorscheme morning',
  'colorscheme peachpuff',
  'colorscheme tinydark',
  'colorscheme tinylight',
  'highlight clear',
  "lua require('acp.ui.highlight').define()",
];

/** The groups of the plugin that can hardly be read in a window. What should be faint is not among them. */
const faintGroups = (nvim: TestNvim) =>
  nvim.lua<string[]>(`
    local faint = { AcpMarkup = true, AcpSeparator = true }
    local function luminance(colour)
      local sum = 0
      for place, weight in pairs({ [0x10000] = 0.2126, [0x100] = 0.7152, [1] = 0.0722 }) do
        local value = math.floor(colour / place) % 256 / 255
        sum = sum + weight * (value <= 0.03928 and value / 12.92 or ((value + 0.055) / 1.055) ^ 2.4)
      end
      return sum
    end
    local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
    local found = {}
    for name in pairs(require('acp.ui.highlight').groups) do
      local group = vim.api.nvim_get_hl(0, { name = name, link = false })
      local one, other = luminance(group.fg or normal.fg), luminance(group.bg or normal.bg)
      local contrast = (math.max(one, other) + 0.05) / (math.min(one, other) + 0.05)
      if contrast < 2.5 and not faint[name] then
        table.insert(found, ('%s %.1f'):format(name, contrast))
      end
    end
    table.sort(found)
    return found`);

describe('the colours of the chat, when others are chosen', () => {
  const files = {
    ...tinyScheme('tinydark', 'dark', '#eeeeee', '#101010'),
    ...tinyScheme('tinylight', 'light', '#101010', '#fafafa'),
  };
  const init = 'vim.opt.runtimepath:prepend(vim.uv.cwd()) vim.o.termguicolors = true';

  it('can be read, in any order', { timeout: shortOrLong(60_000, 1_800_000) }, async ({ start }) => {
    const nvim = await startChat(start, { files, init });
    const commands = fc.array(fc.constantFrom(...colourCommands), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(commands, async (chosen) => {
        for (const command of chosen) await nvim.command(command);
        // Neovim tells nobody of this command.
        if (chosen.at(-1) === 'highlight clear') await nvim.command('set background=dark');
        expect(await faintGroups(nvim), chosen.join(' | ')).toEqual([]);
      }),
      { numRuns: shortOrLong(60, 600), endOnFailure: true },
    );
  });

  it.for(['dark', 'light'])('follow the default colours from %s', async (from, { start }) => {
    const nvim = await startChat(start, { init: `${init} vim.o.background = '${from}'` });
    const look = () =>
      nvim.lua<Record<string, Highlight>>(`
        local found = {}
        for name in pairs(require('acp.ui.highlight').groups) do
          found[name] = vim.api.nvim_get_hl(0, { name = name, link = false })
          found[name].default = nil
        end
        return found`);
    const before = await look();
    await nvim.command(`set background=${from === 'dark' ? 'light' : 'dark'}`);
    const after = await look();
    for (const name of ['AcpUser', 'AcpMuted', 'AcpWaiting', 'AcpCodeBlock', 'AcpDiffAdd', 'AcpAnsiRed'])
      expect(after[name], name).not.toEqual(before[name]);
    await nvim.command(`set background=${from}`);
    expect(await look()).toEqual(before);
  });

  it('leave those that the user has set', async ({ start }) => {
    const nvim = await startChat(start, { files, init });
    await nvim.command('highlight AcpUser guifg=#123456');
    await nvim.command('highlight! link AcpMuted Todo');
    const ofUser = () =>
      nvim.lua(`return {
        vim.api.nvim_get_hl(0, { name = 'AcpUser' }).fg, vim.api.nvim_get_hl(0, { name = 'AcpMuted' }).link }`);
    for (const command of ['set background=light', 'set background=dark', 'colorscheme tinylight']) {
      await nvim.command(command);
      expect(await ofUser(), command).toEqual([0x123456, 'Todo']);
    }
  });
});
