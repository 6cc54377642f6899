import path from 'node:path';
import { describe, expect } from 'vitest';
import { chatStatus, drawn, startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';

const agent = path.resolve(import.meta.dirname, '../fixtures/agents/no-memory.mjs');
const config = `{
  agent = 'forgetful',
  agents = { forgetful = { command = { 'node', '${agent}' } } },
  permissions = { 'allow tool *', 'allow run *' },
}`;
const init = `
  vim.ui.select = function(items, options, done)
    _G.labels = vim.tbl_map(options.format_item, items)
    done(items[1], 1)
  end`;

/** The transcript with everything expanded. */
async function wholeTranscript(nvim: TestNvim): Promise<readonly string[]> {
  await nvim.lua(`
    vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chats').current().buf))`);
  await nvim.input('zR');
  await nvim.waitFor(
    async () => (await transcript(nvim)).join('\n').includes('thought about one'),
    'all of it',
  );
  await drawn(nvim);
  return transcript(nvim);
}

async function turn(nvim: TestNvim, text: string): Promise<void> {
  await nvim.command(`AcpSend ${text}`);
  await nvim.waitFor(async () => {
    const isAsked = await nvim.lua<number>("return require('acp.chats').current().waiting");
    if (isAsked > 0) await nvim.command('AcpAnswer');
    const isOver = (await chatStatus(nvim))?.phase === 'idle';
    return isOver && (await transcript(nvim)).join('\n').includes(`${text}: **answer**`);
  }, `the answer to ${text}`);
  await drawn(nvim);
}

describe('an agent that can not load sessions', () => {
  it('has its whole conversation in another Neovim, and continues without memory', async ({ start }) => {
    const sandbox = new Sandbox();
    const first = await startChat(start, { sandbox, config, init, agent: 'forgetful' });
    for (const text of ['one', 'two']) await turn(first, text);
    const before = await wholeTranscript(first);
    for (const what of ['thought about', 'plan for', 'tool for', 'output for', 'old', 'new', '- two'])
      expect(before.join('\n')).toContain(what);
    expect(await first.quit('qa!')).toMatchObject({ code: 0 });

    const second = await start({
      sandbox,
      init: `vim.g.acp = ${config}\n${init}`,
    });
    await second.attachHost();
    await second.command('AcpSessions');
    await second.waitFor(() => second.lua("return require('acp.chats').current() ~= nil"), 'the chat');
    await second.input('<Esc>');
    await second.waitFor(
      async () => (await transcript(second)).join('\n').includes('has no memory of the messages above'),
      'the earlier conversation',
    );
    expect(await second.lua('return _G.labels')).toEqual([expect.stringMatching(/^ {2}one · forgetful/)]);
    const after = await wholeTranscript(second);
    const known = before.slice(0, before.lastIndexOf('- two'));
    expect(after.slice(0, known.length)).toEqual(known);
    await turn(second, 'three');
  });
});
