import os from 'node:os';
import { describe, expect } from 'vitest';
import { converse, startChat, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

async function report(nvim: TestNvim): Promise<string> {
  await nvim.command('AcpReport');
  const read =
    "return vim.bo.filetype == 'markdown' and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n') or ''";
  await nvim.waitFor(async () => (await nvim.lua<string>(read)) !== '', 'the report');
  return nvim.lua<string>(read);
}

describe(':AcpReport', () => {
  it('has versions, options, health, capabilities and messages, without secrets', async ({ start }) => {
    const nvim = await startChat(start, {
      config: `{
        size = 0.5,
        prompts = { mine = 'a text of mine' },
        mcp_servers = { mine = { command = 'true', env = { MY_TOKEN = 'hunter2hunter2' } } },
      }`,
    });
    await converse(nvim, 'hello API_KEY=sk-abcdefghijklmnop ``` fence');
    const before = await windows(nvim);
    const text = await report(nvim);
    expect(text).toMatch(/- acp\.nvim: \d/);
    expect(text).toMatch(/- Neovim: NVIM v0\.1\d/);
    expect(text).toContain('size = 0.5');
    expect(text).toContain('prompts = …');
    expect(text).toContain('# Agents');
    expect(text).toContain('"capabilities"');
    expect(text).toContain('{"client":{"jsonrpc":"2.0","id":0,"method":"initialize"');
    expect(text).toContain('API_KEY=<secret>');
    for (const secret of ['hunter2', 'sk-abcdefghijklmnop', 'a text of mine'])
      expect(text).not.toContain(secret);
    expect(text).not.toContain(`${os.homedir()}/`);
    expect(await nvim.lua('return { vim.bo.modified, vim.api.nvim_buf_get_name(0) }')).toEqual([false, '']);
    await nvim.command('tabprevious');
    expect(await windows(nvim)).toEqual(before);
  });

  it('has what Neovim knows if no host runs', async ({ start }) => {
    const nvim = await start();
    const text = await report(nvim);
    expect(text).toContain('The host: the host is not running');
    expect(text).toContain('# Neovim');
  });
});
