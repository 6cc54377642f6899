import { describe, expect } from 'vitest';
import { startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

/** Answers every picker with the item whose label has this ending. */
const choose = (ending: string) => `
_G.seen = {}
vim.ui.select = function(items, options, on_choice)
  for _, item in ipairs(items) do
    table.insert(_G.seen, options.format_item(item))
    if vim.endswith(options.format_item(item), '${ending}') or options.format_item(item):find('${ending}', 1, true) then
      return on_choice(item)
    end
  end
end`;

const seen = (nvim: TestNvim) => nvim.lua<string[]>('return _G.seen');

describe('settings of a session', () => {
  it('show the modes of the agent, and the chosen one in the winbar', async ({ start }) => {
    const nvim = await startChat(start, { init: choose('Brief'), columns: 120 });
    await nvim.waitForScreen(/Tour +Guided/);
    await nvim.command('AcpMode');
    await nvim.waitForScreen(/Tour +Brief/);
    expect((await seen(nvim))[0]).toMatch(/^● Guided/);
  });

  it('are chosen from a list by :AcpOption', async ({ start }) => {
    const nvim = await startChat(start, { init: choose('Mode: Guided'), columns: 120 });
    await nvim.command('AcpOption');
    await nvim.waitFor(async () => (await seen(nvim)).length > 2, 'the values of the mode');
    expect((await seen(nvim))[0]).toBe('Mode: Guided');
  });

  it('are reported as missing when the agent has none', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    await nvim.command('AcpModel');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('Tour offers no model to choose'),
      'the message',
    );
  });
});
