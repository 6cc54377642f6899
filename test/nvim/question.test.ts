import { describe, expect } from 'vitest';
import { drawn, startChat, transcript, waitForPhase } from '../support/chat.ts';
import { it } from '../support/it.ts';
import type { TestNvim } from '../support/nvim.ts';

const recordSelect = `
_G.asked = {}
vim.ui.select = function(items, options, on_choice)
  table.insert(_G.asked, { items = items, prompt = options.prompt, kind = options.kind, answer = on_choice })
end`;

const asked = (nvim: TestNvim) => nvim.lua<number>('return #_G.asked');

describe('a question of the agent', () => {
  it('opens in a picker with the words of the agent when the user is in Normal mode in the chat', async ({
    start,
  }) => {
    const nvim = await startChat(start, { init: recordSelect });
    await nvim.command('AcpSend permission');
    await nvim.waitFor(() => asked(nvim), 'the picker');
    const { prompt, kind, names } = await nvim.lua<{ prompt: string; kind: string; names: string[] }>(`
      local first = _G.asked[1]
      local names = vim.tbl_map(function(item) return item.name end, first.items)
      return { prompt = first.prompt, kind = first.kind, names = names }`);
    expect(prompt).toMatch(/^Tour wants to /);
    expect(kind).toBe('acp.permission');
    expect(names.length).toBeGreaterThan(1);
    await nvim.lua('_G.asked[1].answer(_G.asked[1].items[1])');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect((await transcript(nvim)).join('\n')).toContain(names[0]);
  });

  it('does not pop up into half-typed text, but when that is left', async ({ start }) => {
    const nvim = await startChat(start, { init: recordSelect });
    await nvim.input('itext');
    await nvim.lua("require('acp').send('permission')");
    await nvim.waitForScreen('? waiting for you');
    expect(await asked(nvim)).toBe(0);
    expect(await nvim.lua('return vim.api.nvim_get_mode().mode')).toBe('i');
    await nvim.input('<Esc>');
    await nvim.waitFor(() => asked(nvim), 'the picker');
  });

  it('waits while the user is elsewhere, and opens on :AcpAnswer', async ({ start }) => {
    const nvim = await startChat(start, { init: recordSelect });
    await nvim.command('wincmd t');
    await nvim.command('AcpSend permission');
    await nvim.waitForScreen('? waiting for you');
    expect(await asked(nvim)).toBe(0);
    await nvim.command('AcpAnswer');
    await nvim.waitFor(() => asked(nvim), 'the picker');
  });

  it('can be asked for again when a picker vanished without an answer', async ({ start }) => {
    const nvim = await startChat(start, { init: recordSelect });
    await nvim.command('AcpSend permission');
    await nvim.waitFor(() => asked(nvim), 'the picker');
    await nvim.command('AcpAnswer');
    await nvim.waitFor(async () => (await asked(nvim)) === 2, 'the picker again');
    await nvim.lua('_G.asked[2].answer(_G.asked[2].items[1])');
    await waitForPhase(nvim, 'idle');
  });

  it('is rejected, never approved, when the picker is closed', async ({ start }) => {
    const nvim = await startChat(start, { init: recordSelect });
    await nvim.command('AcpSend permission');
    await nvim.waitFor(() => asked(nvim), 'the picker');
    await nvim.lua('_G.asked[1].answer(nil)');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect((await transcript(nvim)).find((line) => line.startsWith('· asked to'))).toMatch(/reject/i);
  });

  it('is settled when the turn is cancelled', async ({ start }) => {
    const nvim = await startChat(start, { init: recordSelect });
    await nvim.command('AcpSend permission');
    await nvim.waitFor(() => asked(nvim), 'the picker');
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    const text = (await transcript(nvim)).join('\n');
    expect(text).toContain('cancelled');
    expect(text).toContain('· Stopped.');
    await nvim.waitForScreen((screen) => !screen.includes('waiting for you'));
  });
});
