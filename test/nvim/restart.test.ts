import path from 'node:path';
import { describe, expect } from 'vitest';
import { converse, drawn, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { aFolder } from '../support/system/temp.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

/** Records the items of pickers and lets the test choose. */
const pickers = `
_G.seen = {}
vim.ui.select = function(items, options, on_choice)
  local labels = vim.tbl_map(options.format_item, items)
  table.insert(_G.seen, options.prompt)
  _G.choose = function(index) on_choice(items[index], index) end
end`;

async function startFixture(start: Start, name: string, ...args: readonly string[]): Promise<TestNvim> {
  const file = path.resolve(import.meta.dirname, '../fixtures/agents', name);
  const command = ['node', file, ...args].map((word) => `'${word}'`).join(', ');
  return startChat(start, {
    agent: 'fixture',
    config: `{ agents = { fixture = { command = { ${command} } } } }`,
    init: pickers,
    columns: 140,
  });
}

const phases = (nvim: TestNvim) =>
  nvim.lua<string[]>(
    "return vim.tbl_map(function(c) return c.phase end, require('acp.host').request('host.status', {}).chats)",
  );

async function waitForPhases(nvim: TestNvim, ...expected: readonly string[]): Promise<void> {
  await nvim.waitFor(
    async () => (await phases(nvim)).join() === expected.join(),
    `the chats to be ${expected.join(' and ')}`,
  );
}

const transcriptOf = async (nvim: TestNvim, chat: number) =>
  (
    await nvim.lua<string[]>(
      "return vim.api.nvim_buf_get_lines(require('acp.chats').get(...).buf, 0, -1, false)",
      chat,
    )
  ).join('\n');

/** Two chats with an agent that locks its sessions, each with one prompt; the second chat is current. */
async function twoChats(start: Start): Promise<TestNvim> {
  const nvim = await startFixture(start, 'thread-lock.mjs', aFolder());
  await converse(nvim, 'one');
  await nvim.command('AcpNew');
  await nvim.input('<Esc>');
  await waitForPhases(nvim, 'idle', 'idle');
  await nvim.command('AcpSend two');
  await nvim.waitFor(async () => (await transcriptOf(nvim, 2)).includes('told: two'), 'the answer');
  await waitForPhases(nvim, 'idle', 'idle');
  return nvim;
}

describe('a restart of an agent that serves two chats', () => {
  it('names the other chat, and both sessions continue', async ({ start }) => {
    const nvim = await twoChats(start);
    await nvim.command('AcpSessions');
    await nvim.waitFor(() => nvim.lua<boolean>('return #_G.seen > 0'), 'the list of sessions');
    await nvim.command('AcpRestart');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('Locker is restarted for "one" too'),
      'the message',
    );
    const back = 'Locker was restarted and continues the session.';
    for (const chat of [1, 2]) {
      await nvim.waitFor(
        async () => (await transcriptOf(nvim, chat)).includes(back),
        `chat ${chat} to be back`,
      );
    }
    await waitForPhases(nvim, 'idle', 'idle');
    await nvim.command('AcpSend three');
    await nvim.waitFor(async () => (await transcriptOf(nvim, 2)).includes('told: two, three'), 'the answer');
    await nvim.lua("require('acp.chat.actions').send(require('acp.chats').get(1), 'four')");
    await nvim.waitFor(async () => (await transcriptOf(nvim, 1)).includes('told: one, four'), 'the answer');
    expect(await transcriptOf(nvim, 1)).not.toContain('active writer');
    expect(await transcriptOf(nvim, 2)).not.toContain('active writer');
  });

  it('asks first when a turn runs in the other chat', async ({ start }) => {
    const nvim = await twoChats(start);
    await nvim.lua("require('acp.chat.actions').send(require('acp.chats').get(1), 'hang')");
    await waitForPhases(nvim, 'running', 'idle');
    await nvim.command('AcpRestart');
    await nvim.waitFor(() => nvim.lua<boolean>('return #_G.seen > 0'), 'the question');
    expect(await nvim.lua('return table.remove(_G.seen)')).toBe('Restart Locker? "one" is working with it.');
    await nvim.lua('_G.choose(1)');
    await nvim.command('AcpRestart');
    await nvim.waitFor(() => nvim.lua<boolean>('return #_G.seen > 0'), 'the question again');
    expect(await phases(nvim), 'it was left alone').toEqual(['running', 'idle']);
    await nvim.lua('_G.choose(2)');
    await nvim.waitFor(async () => (await transcriptOf(nvim, 1)).includes('was restarted'), 'the restart');
    await waitForPhases(nvim, 'idle', 'idle');
  });

  it('does not ask when a turn runs only in the chat itself', async ({ start }) => {
    const nvim = await twoChats(start);
    await nvim.command('AcpSend hang');
    await waitForPhases(nvim, 'idle', 'running');
    await nvim.command('AcpRestart');
    await nvim.waitFor(async () => (await transcriptOf(nvim, 2)).includes('was restarted'), 'the restart');
    expect(await nvim.lua('return _G.seen')).toEqual([]);
  });
});

describe('an agent that can have one session only', () => {
  it('answers in two chats at the same time', async ({ start }) => {
    const nvim = await startFixture(start, 'single-session.mjs');
    await nvim.command('AcpSend wait');
    await waitForPhase(nvim, 'running');
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await waitForPhases(nvim, 'idle', 'idle');
    await nvim.command('AcpSend second');
    await nvim.waitFor(
      async () => (await transcriptOf(nvim, 2)).includes('heard second'),
      'the second answer',
    );
    expect(await transcriptOf(nvim, 1)).toContain('heard wait');
  });
});

describe('a chat whose agent is restarted', () => {
  it('shows a notice below the end of the last session', async ({ start }) => {
    const nvim = await startFixture(start, 'thread-lock.mjs', aFolder());
    await nvim.command('AcpRestart');
    await nvim.waitForScreen('Locker was restarted.');
    await drawn(nvim);
    expect((await transcript(nvim)).join('\n')).toContain('Locker was restarted.');
  });
});
