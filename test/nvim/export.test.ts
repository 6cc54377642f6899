import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { converse, startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const says = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await nvim.messages()).includes(text), text);

describe(':AcpExport', () => {
  it('shows the chat as Markdown in a new buffer that can be saved', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'ls');
    await nvim.command('AcpExport');
    await nvim.waitFor(async () => (await nvim.lines()).includes('## You'), 'the Markdown');
    const lines = await nvim.lines();
    expect(lines.slice(lines.indexOf('## You'), lines.indexOf('## You') + 3)).toEqual(['## You', '', 'ls']);
    expect(await nvim.lua('return { vim.bo.filetype, vim.bo.modified, vim.bo.buftype }')).toEqual([
      'markdown',
      false,
      '',
    ]);
  });

  it('writes a file, and replaces one only with !', async ({ start }) => {
    const nvim = await startChat(start, { files: { 'old.md': 'mine\n' } });
    await converse(nvim, 'hello');
    await nvim.command('AcpExport new.md');
    await says(nvim, 'wrote the chat to');
    expect(nvim.sandbox.read('new.md')).toContain('## You\n\nhello\n');
    await nvim.command('AcpExport old.md');
    await says(nvim, 'old.md exists; :AcpExport! replaces it');
    expect(nvim.sandbox.read('old.md')).toBe('mine\n');
    await nvim.command('AcpExport! old.md');
    await nvim.waitFor(() => nvim.sandbox.read('old.md').includes('## You'), 'the replaced file');
    await nvim.command('AcpExport none/at/all.md');
    await says(nvim, 'could not write');
  });

  it('writes through no link without !, and to no pipe', async ({ start }) => {
    const nvim = await startChat(start);
    const target = nvim.sandbox.path('elsewhere');
    fs.symlinkSync(target, nvim.sandbox.path('link.md'));
    execFileSync('mkfifo', [nvim.sandbox.path('pipe.md')]);
    await nvim.command('AcpExport link.md');
    await says(nvim, 'link.md is a link to');
    expect(fs.existsSync(target)).toBe(false);
    await nvim.command('AcpExport! pipe.md');
    await says(nvim, 'pipe.md is not a file');
  });
});
