import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { converse, drawn, floatText, startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const stateFolder = (nvim: TestNvim) => nvim.lua<string>("return require('acp.paths').state()");

async function keptFiles(nvim: TestNvim): Promise<string[]> {
  const folder = await stateFolder(nvim);
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

const hasText = async (nvim: TestNvim, text: string) =>
  (await keptFiles(nvim)).some((file) => fs.readFileSync(file).includes(text));

async function askedToForget(nvim: TestNvim, command: string): Promise<string> {
  await nvim.input('<Esc>');
  await nvim.command(command);
  await nvim.waitFor(async () => (await floatText(nvim)).includes('Delete it'), 'the question');
  return floatText(nvim);
}

/** Keys count only after the question was on the screen for a moment. */
async function answer(nvim: TestNvim, key: string, isDone: () => Promise<boolean>): Promise<void> {
  await nvim.waitFor(async () => {
    if (!(await isDone())) await nvim.input(key);
    return isDone();
  }, `the answer ${key}`);
}

describe(':AcpForget', () => {
  it('shows the files of the session, and deletes exactly them', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello needle');
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'the second chat');
    await nvim.command('AcpSend hello hay');
    await nvim.waitFor(() => hasText(nvim, 'hello hay'), 'its journal');
    await nvim.lua("require('acp.chats').select(require('acp.chats').get(1)) vim.cmd('wincmd t')");
    const shown = await askedToForget(nvim, 'AcpForget');
    expect(shown).toMatch(/conversation {2}\S+-1\.jsonl/);
    expect(shown).toContain('its chat will be closed');
    await answer(nvim, '2', async () => (await floatText(nvim)) === '');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('deleted what was kept of this session'),
      'the message',
    );
    expect((await keptFiles(nvim)).filter((file) => /-1\.(jsonl|changes|draft)/.test(file))).toEqual([]);
    expect(await hasText(nvim, 'hello hay')).toBe(true);
    expect(await nvim.lua("return vim.tbl_keys(require('acp.chats').all())")).toEqual([2]);
  });

  it('leaves an earlier conversation whose session id the agent gave again', async ({ start }) => {
    const chat = await startProgrammableChat(start);
    const { nvim } = chat;
    await chat.hear('a needle');
    await chat.startAgain();
    await chat.hear('some hay');
    await askedToForget(nvim, 'AcpForget');
    await answer(nvim, '2', async () => (await floatText(nvim)) === '');
    const isDeleted = async () => (await nvim.messages()).includes('deleted what was kept of this session');
    await nvim.waitFor(isDeleted, 'the message');
    const names = (await keptFiles(nvim)).map((file) => path.basename(file));
    expect(names.filter((name) => /-\d\.jsonl$/.test(name))).toEqual([expect.stringMatching(/-1\.jsonl$/)]);
  });

  it('of a folder includes drafts and remembered prompts', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello needle');
    await nvim.lua(
      "vim.api.nvim_buf_set_lines(require('acp.chats').current().prompt, 0, -1, false, { 'needle in a draft' })",
    );
    const shown = await askedToForget(nvim, 'AcpForget folder');
    for (const kind of ['conversation', 'draft', 'prompts']) expect(shown).toContain(`    ${kind}  `);
    await answer(nvim, '2', async () => (await floatText(nvim)) === '');
    await nvim.waitFor(async () => !(await hasText(nvim, 'needle')), 'nothing to be left');
  });

  it('deletes nothing if the user does not agree', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello needle');
    await askedToForget(nvim, 'AcpForget');
    await answer(nvim, '1', async () => (await floatText(nvim)) === '');
    await drawn(nvim);
    expect(await hasText(nvim, 'needle')).toBe(true);
  });
});

describe('a private session', () => {
  it('leaves nothing in the folder of what is kept, and says that it is private', async ({ start }) => {
    const nvim = await startChat(start, { config: '{ private = true }' });
    await nvim.waitForScreen('private');
    await converse(nvim, 'hello needle');
    await nvim.lua(
      "vim.api.nvim_buf_set_lines(require('acp.chats').current().prompt, 0, -1, false, { 'needle in a draft' })",
    );
    await nvim.lua("require('acp.chat.drafts').flush(require('acp.chats').current())");
    expect(await hasText(nvim, 'needle')).toBe(false);
    const folder = path.dirname(await nvim.lua<string>("return require('acp.chats').current().journal"));
    await nvim.command('AcpClose');
    await nvim.waitFor(
      () => !fs.existsSync(folder) || fs.readdirSync(folder).length === 0,
      'an empty folder',
    );
  });

  it('is started by :AcpPrivate beside others, and can not be forked', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpPrivate');
    await nvim.input('<Esc>');
    await nvim.waitForScreen('private');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'the session');
    await nvim.command('AcpFork');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('a private session has no journal'),
      'the reason',
    );
  });
});
