import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { ProgrammableChat } from '../support/agents/programmable-chat.ts';
import { type ChatOptions, converse, drawn, startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { aPng } from '../support/pictures.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

const onRuntimePath = 'vim.opt.runtimepath:append(vim.fn.getcwd())\n_G.calls = {}';

/** Modules with the functions that we call, which record their calls. */
const standIns = {
  snacks: {
    init: `${onRuntimePath}\nrequire('snacks')`,
    files: {
      'lua/snacks/init.lua': `
        local placement = {}
        function placement.new(buf, path, options)
          local name = vim.fs.basename(path)
          local line = vim.api.nvim_buf_get_lines(buf, options.pos[1] - 1, options.pos[1], true)[1]
          table.insert(_G.calls, 'show ' .. name .. ' below ' .. vim.trim(line))
          return { opts = options, close = function() table.insert(_G.calls, 'close ' .. name) end }
        end
        local terminal = {
          detect = function(callback) vim.schedule(callback) end,
          env = function() return { placeholders = true } end,
        }
        _G.Snacks = { config = { image = { enabled = true } }, image = { placement = placement, terminal = terminal } }
        return _G.Snacks`,
    },
  },
  'image.nvim': {
    init: onRuntimePath,
    files: {
      'lua/image/init.lua': `
        local Image = {}
        Image.__index = Image
        function Image:render() table.insert(_G.calls, 'show ' .. self.line) end
        function Image:clear() table.insert(_G.calls, 'clear') end
        function Image:move(x, y)
          self.geometry = { x = x, y = y }
          table.insert(_G.calls, 'move ' .. vim.trim(vim.api.nvim_buf_get_lines(self.buffer, y, y + 1, true)[1]))
        end
        return {
          from_file = function(path, options)
            local line = vim.api.nvim_buf_get_lines(options.buffer, options.y, options.y + 1, true)[1]
            return setmetatable({
              line = vim.trim(line),
              window = options.window,
              buffer = options.buffer,
              geometry = { x = options.x, y = options.y },
            }, Image)
          end,
        }`,
    },
  },
  'vim.ui.img': {
    init: `${onRuntimePath}
      vim.env.TERM_PROGRAM = 'ghostty'
      _G.placed = {}
      vim.ui.img = {
        set = function(data, place)
          local id = type(data) == 'number' and data or #_G.calls + 1
          table.insert(_G.calls, 'set')
          _G.placed[id] = vim.tbl_extend('force', _G.placed[id] or {}, place)
          return id
        end,
        del = function(id) _G.placed[id] = nil table.insert(_G.calls, 'del') end,
      }`,
    files: {},
  },
  'a plugin that fails': {
    init: `${onRuntimePath}\nrequire('snacks')`,
    files: {
      'lua/snacks/init.lua': `
        local function fail(name)
          return function() table.insert(_G.calls, name) error('broken') end
        end
        _G.Snacks = {
          config = { image = { enabled = true } },
          image = {
            placement = { new = fail('new') },
            terminal = {
              detect = function(callback) callback() error('broken') end,
              env = function() return { placeholders = true } end,
            },
          },
        }
        return _G.Snacks`,
    },
  },
} as const;

/** A chat with a picture below the first prompt. */
async function startWith(
  start: Start,
  viewer: keyof typeof standIns,
  options: ChatOptions = {},
): Promise<TestNvim> {
  const { init, files } = standIns[viewer];
  const nvim = await startChat(start, { columns: 160, lines: 50, ...options, init, files });
  fs.writeFileSync(nvim.sandbox.path('shot.png'), aPng(64, 48));
  await converse(nvim, 'think @shot.png');
  return nvim;
}

const calls = (nvim: TestNvim) => nvim.lua<string[]>('return _G.calls');

async function waitForCalls(nvim: TestNvim, ...expected: readonly string[]): Promise<void> {
  await nvim.waitFor(async () => (await calls(nvim)).length >= expected.length, expected.join(', '));
  await drawn(nvim);
  expect(await calls(nvim)).toEqual(expected);
}

const redraw = `
  local chat = require('acp.chats').current()
  require('acp.host').notify_if_running('chat.redraw', { chat = chat.id })`;
const wipe = "vim.api.nvim_buf_delete(require('acp.chats').current().buf, { force = true })";

describe('a picture in the chat', () => {
  const shown = 'show shot.png below ▣ shot.png 64×48';

  it('is shown once by snacks.nvim below its line, and removed with the transcript', async ({ start }) => {
    const nvim = await startWith(start, 'snacks');
    await waitForCalls(nvim, shown);
    await converse(nvim, 'hello');
    expect(await calls(nvim)).toEqual([shown]);
    await nvim.lua(redraw);
    await waitForCalls(nvim, shown, 'close shot.png', shown);
    await nvim.lua(wipe);
    await waitForCalls(nvim, shown, 'close shot.png', shown, 'close shot.png');
  });

  it('of an answer is shown when its file is written', async ({ start }) => {
    const nvim = await startWith(start, 'snacks');
    await converse(nvim, 'resources');
    await nvim.waitFor(async () => (await calls(nvim)).length === 2, 'the picture of the answer');
    expect((await calls(nvim))[1]).toMatch(/^show \w+-picture\.png below ▣ gradient\.png 64×48$/);
  });

  it('goes with its line', async ({ start }) => {
    const nvim = await startWith(start, 'snacks');
    const names = Array.from({ length: 8 }, (_, index) => `s${index}.png`);
    for (const name of names) fs.writeFileSync(nvim.sandbox.path(name), aPng());
    await converse(nvim, names.map((name) => `@${name}`).join(' '));
    const visible = async () => {
      const all = await calls(nvim);
      return names.filter((name) => {
        const count = (verb: string) => all.filter((call) => call.startsWith(`${verb} ${name}`)).length;
        return count('show') > count('close');
      });
    };
    await nvim.waitFor(async () => (await visible()).length === 5, 'five pictures');
    await new ProgrammableChat(nvim).goTo('3 more');
    await nvim.input('za');
    await nvim.waitFor(async () => (await visible()).length === 8, 'all pictures');
    await nvim.input('za');
    await nvim.waitFor(async () => (await visible()).length === 5, 'five pictures again');
    expect(await visible()).toEqual(names.slice(0, 5));
  });

  it('is not shown with the option pictures = "line"', async ({ start }) => {
    const nvim = await startWith(start, 'snacks', { config: "{ pictures = 'line' }" });
    await converse(nvim, 'hello');
    expect(await transcript(nvim)).toContain('  ▣ shot.png 64×48');
    expect(await calls(nvim)).toEqual([]);
  });

  it('moves with its line in image.nvim, and is cleared when the chat is hidden or closed', async ({
    start,
  }) => {
    const nvim = await startWith(start, 'image.nvim');
    await waitForCalls(nvim, 'show ▣ shot.png 64×48');
    await nvim.lua(`
      local buf = require('acp.chats').current().buf
      vim.bo[buf].modifiable = true
      vim.api.nvim_buf_set_lines(buf, 0, 0, true, { 'a new line' })
      require('acp.pictures.inline').refresh()`);
    await waitForCalls(nvim, 'show ▣ shot.png 64×48', 'move ▣ shot.png 64×48');
    await nvim.lua("require('acp.chat.window').close(require('acp.chats').current())");
    await nvim.waitFor(async () => (await calls(nvim)).at(-1) === 'clear', 'the picture to be cleared');
    await nvim.command('AcpChat');
    await nvim.waitFor(
      async () => (await calls(nvim)).at(-1) === 'show ▣ shot.png 64×48',
      'the picture in the new window',
    );
    await nvim.lua(wipe);
    await nvim.waitFor(async () => (await calls(nvim)).at(-1) === 'clear', 'the picture to be cleared');
    expect(await calls(nvim)).toHaveLength(5);
  });

  it('has rows of its own for vim.ui.img, and is deleted when it is out of sight', async ({ start }) => {
    const nvim = await startWith(start, 'vim.ui.img');
    const placed = () =>
      nvim.lua<{ row: number; height: number; width: number }[]>('return vim.tbl_values(_G.placed)');
    await nvim.waitFor(async () => (await placed()).length === 1, 'the picture');
    await nvim.waitFor(async () => {
      const [picture] = await placed();
      const rows = nvim.screen.text().split('\n');
      return picture !== undefined && rows[picture.row - 2]?.includes('▣ shot.png 64×48');
    }, 'the picture below its line');
    expect(await placed()).toMatchObject([{ width: 8, height: 3 }]);
    await nvim.lua("require('acp.chat.window').close(require('acp.chats').current())");
    await nvim.waitFor(async () => (await placed()).length === 0, 'no picture');
  });

  it('does not disturb the chat if the plugin that shows it fails', async ({ start }) => {
    const nvim = await startWith(start, 'a plugin that fails');
    await waitForCalls(nvim, 'new');
    await nvim.lua(redraw);
    await waitForCalls(nvim, 'new', 'new');
    await converse(nvim, 'hello');
    await nvim.lua(wipe);
    expect(await nvim.lua("return vim.fn.execute('messages')")).not.toContain('broken');
  });
});
