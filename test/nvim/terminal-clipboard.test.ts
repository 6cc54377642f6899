import { expect } from 'vitest';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { openTerminal, waitForTerminal } from '../support/nvim/terminal-buffer.ts';
import { allowEverything } from '../support/nvim/user.ts';

const clipboard = `
_G.copied = {}
local function copy(lines) table.insert(_G.copied, table.concat(lines, '\\n')) end
vim.g.clipboard = {
  name = 'test',
  copy = { ['+'] = copy, ['*'] = copy },
  paste = { ['+'] = function() return {} end, ['*'] = function() return {} end },
}`;

it('the output of a command does not set the clipboard', async ({ start }) => {
  const nvim = await startChat(start, { init: `${allowEverything}${clipboard}` });
  // The shell waits until the terminal is shown, so that its output reaches the buffer as it is.
  await openTerminal(nvim, `read x; printf '\\033]52;c;ZXZpbA==\\007done'; sleep 100`);
  await nvim.input('i<CR>');
  await waitForTerminal(nvim, 'done');
  await nvim.lua("vim.fn.setreg('+', 'mine')");
  expect(await nvim.lua('return _G.copied')).toEqual(['mine']);
});
