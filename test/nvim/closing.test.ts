import { expect } from 'vitest';
import { converse, startChat, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { recordQuestions } from '../support/nvim/user.ts';

const autocommands = (nvim: TestNvim) =>
  nvim.lua<string[]>(`
    return vim.tbl_map(function(found)
      return ('%s %s'):format(found.group_name or '', found.event)
    end, vim.tbl_filter(function(found)
      return vim.startswith(found.group_name or '', 'acp.')
    end, vim.api.nvim_get_autocmds({})))`);

/** How much each table has that a module of ours keeps, by its name. */
const kept = (nvim: TestNvim) =>
  nvim.lua<Record<string, number>>(`
    local counts, seen = {}, {}
    local function visit(name, run)
      if seen[run] then return end
      seen[run] = true
      for index = 1, 60 do
        local upvalue, value = debug.getupvalue(run, index)
        if not upvalue then return end
        if type(value) == 'function' then visit(name, value) end
        local is_own = type(value) == 'table' and value ~= package.loaded[name]
        if is_own then counts[name .. '.' .. upvalue] = vim.tbl_count(value) end
      end
    end
    for name, module in pairs(package.loaded) do
      if vim.startswith(name, 'acp.') and type(module) == 'table' then
        for _, run in pairs(module) do
          if type(run) == 'function' then visit(name, run) end
        end
      end
    end
    return counts`);

async function openAndUse(nvim: TestNvim): Promise<void> {
  await nvim.command('tabnew | AcpNew tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  await converse(nvim, 'markdown');
  await nvim.input('i@README<Esc>');
  await nvim.waitFor(
    () =>
      nvim.lua<boolean>(
        `return #vim.api.nvim_buf_get_lines(require('acp.chats').current().prompt, 0, 1, true)[1] > 0`,
      ),
    'the draft',
  );
  await nvim.command('AcpAsk');
  await nvim.input('<Esc>');
}

/** Closes the chat, and collects garbage until Lua has let go of it. */
async function close(nvim: TestNvim): Promise<void> {
  await nvim.lua("_G.closed = setmetatable({ require('acp.chats').current() }, { __mode = 'v' })");
  await nvim.command('AcpClose');
  // Code that LuaJIT has compiled keeps the tables it was compiled with.
  const isGone = () => nvim.lua<boolean>('jit.flush() collectgarbage() return _G.closed[1] == nil');
  await nvim.waitFor(isGone, 'Lua to let go of the chat');
}

it('a chat that is closed leaves no autocommands and nothing in memory', async ({ start }) => {
  const nvim = await startChat(start);
  await close(nvim);
  const before = await autocommands(nvim);
  await openAndUse(nvim);
  await close(nvim);
  await nvim.command('silent! tabonly');
  expect((await autocommands(nvim)).toSorted()).toEqual(before.toSorted());
  // What is loaded or cached later grows once; a leak grows with each chat.
  let grown: readonly string[] | undefined;
  for (let round = 0, last = await kept(nvim); round < 3 && grown?.length !== 0; round += 1) {
    await openAndUse(nvim);
    await close(nvim);
    await nvim.command('silent! tabonly');
    const now = await kept(nvim);
    grown = (grown ?? Object.keys(last)).filter((name) => (now[name] ?? 0) > (last[name] ?? 0));
    last = now;
  }
  expect(grown, 'tables that grow with each chat').toEqual([]);
});

const waitForMessage = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await nvim.messages()).includes(text), text);

const pickerOfChat = `
local id = require('acp.chats').current().id
require('acp.operations').receive('picker.open', {
  prompt = 'Fruit', kind = 'acp.test',
  items = { { label = 'Apple', op = 'review.open', payload = { chat = id } } },
})`;

it('a command for a chat waits until the host knows the chat; one for a closed chat says so', async ({
  start,
}) => {
  const nvim = await startChat(start, { init: recordQuestions });
  // Neovim does nothing else in between.
  await nvim.command('AcpNew tour | AcpReview');
  await waitForMessage(nvim, 'there are no changes to review');
  await nvim.input('<Esc>');
  await nvim.lua(pickerOfChat);
  await nvim.waitFor(() => nvim.lua<boolean>('return #_G.asked > 0'), 'the list');
  await nvim.command('AcpClose');
  await nvim.lua('_G.asked[1].answer(_G.asked[1].items[1], 1)');
  await waitForMessage(nvim, 'the chat of this list was closed');
  expect(await nvim.messages()).not.toContain('has lost chat');
});
