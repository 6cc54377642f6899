import { describe, expect } from 'vitest';
import { startChat } from '../support/chat.ts';
import { it } from '../support/it.ts';
import type { TestNvim } from '../support/nvim.ts';

/** Answers every picker with the item whose label ends so. */
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

describe('what can be set about a session', () => {
  it('is the mode, in the words of the agent, and shows in the winbar', async ({ start }) => {
    const nvim = await startChat(start, { init: choose('Brief'), columns: 120 });
    await nvim.waitForScreen(/Tour +Guided/);
    await nvim.command('AcpMode');
    await nvim.waitForScreen(/Tour +Brief/);
    expect((await seen(nvim))[0]).toMatch(/^● Guided/);
  });

  it('is chosen from a list when it is not named', async ({ start }) => {
    const nvim = await startChat(start, { init: choose('Mode: Guided'), columns: 120 });
    await nvim.command('AcpOption');
    await nvim.waitFor(async () => (await seen(nvim)).length > 2, 'the values of the mode');
    expect((await seen(nvim))[0]).toBe('Mode: Guided');
  });

  it('says so when the agent has none of it', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    await nvim.command('AcpModel');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('Tour offers no model to choose'),
      'the message',
    );
  });
});
