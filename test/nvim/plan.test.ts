import { describe, expect } from 'vitest';
import { converse, drawn, startChat, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const planText = (nvim: TestNvim) =>
  nvim.lua<string[]>(
    "local b = require('acp.chats').current().plan; return b and vim.api.nvim_buf_get_lines(b, 0, -1, false) or {}",
  );

describe('the plan in a separate window', () => {
  it('shows the plan above the chat, and the cursor stays where it is', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'plan');
    await nvim.command('AcpPlan');
    await drawn(nvim);
    const [heading, ...items] = await planText(nvim);
    expect(heading).toMatch(/^Plan \d\/\d$/);
    expect(items.filter((line) => line.startsWith('  ✓'))).not.toHaveLength(0);
    expect(await windows(nvim)).toEqual(['', 'acp-plan', 'acp', 'acp-prompt']);
    expect(await nvim.lua('return vim.bo.filetype')).toBe('acp-prompt');
    const top = "return vim.fn.line('w0', vim.fn.bufwinid(require('acp.chats').current().plan))";
    expect(await nvim.lua(top)).toBe(1);
  });

  it('is updated by the agent, and is as high as its text', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpPlan');
    await nvim.waitFor(async () => (await planText(nvim))[0] === 'There is no plan yet.', 'the empty plan');
    await converse(nvim, 'plan');
    await nvim.waitFor(async () => (await planText(nvim))[0]?.startsWith('Plan') ?? false, 'the plan');
    const height = await nvim.lua<number>(
      "return vim.api.nvim_win_get_height(vim.fn.bufwinid(require('acp.chats').current().plan))",
    );
    expect(height).toBe((await planText(nvim)).length - 1);
  });

  it('is drawn again after :edit!', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'plan');
    await nvim.command('AcpPlan');
    await drawn(nvim);
    const before = await planText(nvim);
    await nvim.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chats').current().plan))");
    await nvim.command('edit!');
    await drawn(nvim);
    expect(await planText(nvim)).toEqual(before);
  });

  it('closes with a second :AcpPlan, with q, with another chat and with its chat', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpPlan | AcpPlan');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
    await nvim.command('AcpPlan | wincmd t | wincmd l');
    await nvim.input('q');
    await nvim.waitFor(async () => (await windows(nvim)).length === 3, 'it to close');
    await nvim.command('AcpPlan | AcpNew');
    await nvim.input('<Esc>');
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt']);
    await nvim.command('AcpPlan | AcpClose');
    expect(await windows(nvim)).toEqual(['']);
  });
});
