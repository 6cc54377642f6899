import path from 'node:path';
import { describe, expect } from 'vitest';
import { startEditingChat } from '../support/agents/programmable-chat.ts';
import { startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { recordNotifications } from '../support/nvim/user.ts';

const program = JSON.stringify(path.join(repoRoot, 'test/fixtures/agents/settings.mjs'));

const otherAgents = `{ agents = {
  loads = { command = { 'node', ${program} } },
  forgets = { command = { 'node', ${program}, 'no-load' } },
} }`;

async function phases(nvim: TestNvim): Promise<readonly string[]> {
  const { chats } = await nvim.askHost<{ chats: { phase: string }[] }>('host.status');
  return chats.map(({ phase }) => phase);
}

/** A chat whose agent is ended after a moment without work, once `configure` says so. */
async function startIdle(start: (options?: NvimOptions) => Promise<TestNvim>): Promise<TestNvim> {
  const options = { columns: 120, config: otherAgents, init: recordNotifications };
  return startChat(start, { ...options, agent: 'loads' });
}

/** Sets the option while Neovim runs. */
const endAfter = (nvim: TestNvim, minutes: number) =>
  nvim.lua(
    `local minutes = ...
     require('acp').setup(vim.tbl_extend('force', vim.g.acp, { idle_minutes = minutes }))`,
    minutes,
  );

const states = (nvim: TestNvim) =>
  nvim.lua<string[]>("return vim.tbl_map(function(chat) return chat.state end, require('acp').sessions())");

describe('an agent without work', () => {
  it('is ended quietly, and started again by a typed prompt with the same mode', async ({ start }) => {
    const nvim = await startIdle(start);
    await nvim.command('AcpMode plan');
    await nvim.lua("require('acp').send('one')");
    await nvim.waitForScreen('values mode=plan');
    await endAfter(nvim, 0.002);
    await nvim.waitForScreen('○ not running');
    await nvim.waitForScreen('○ ended while idle · a prompt starts it');
    expect(await states(nvim)).toEqual(['idle']);
    const before = await transcript(nvim);
    await endAfter(nvim, 0);
    await nvim.input('itwo<C-s>');
    await nvim.waitFor(
      async () => (await transcript(nvim)).filter((line) => line.includes('values mode=plan')).length === 2,
      'the second answer',
    );
    await waitForPhase(nvim, 'idle');
    const after = await transcript(nvim);
    expect(after.slice(0, before.length).join('\n').trim()).toBe(before.join('\n').trim());
    expect(after.join('\n')).not.toMatch(/memory|restarted|reopened/);
    expect(await nvim.lua('return _G.said')).toEqual([]);
    await nvim.waitForScreen((text) => !text.includes('not running'));
  });

  it('is started by the key for the mode', async ({ start }) => {
    const nvim = await startIdle(start);
    await endAfter(nvim, 0.002);
    await nvim.waitForScreen('○ not running');
    await endAfter(nvim, 0);
    await nvim.input('<S-Tab>');
    await nvim.waitForScreen(/Settings .*The plan/);
  });

  it('runs on while its changes are not reviewed', async ({ start }) => {
    const chat = await startEditingChat(start, { config: otherAgents });
    const { nvim } = chat;
    await chat.run(['disk', 'a.txt', 'one\n']);
    await nvim.waitFor(
      () => nvim.lua<boolean>("return require('acp').status().unreviewed == 1"),
      'the change to be known',
    );
    await nvim.command('AcpChat loads');
    await nvim.waitFor(async () => (await phases(nvim))[1] === 'idle', 'the second agent');
    await endAfter(nvim, 0.002);
    await nvim.waitFor(async () => (await phases(nvim))[1] === 'down', 'the end of the second agent');
    expect(await phases(nvim)).toEqual(['idle', 'down']);
    await nvim.command('stopinsert | AcpChat tester');
    await chat.review();
    await nvim.input('gA');
    await waitForPhase(nvim, 'down');
  });

  it('runs on if it could not continue the conversation', async ({ start }) => {
    const nvim = await startIdle(start);
    await nvim.command('AcpChat forgets');
    await nvim.lua("require('acp').send('one')");
    await nvim.waitForScreen('values mode=ask');
    await nvim.lua("require('acp').send('one', { chat = 1, open = false })");
    await nvim.waitFor(
      async () => (await states(nvim)).every((state) => state === 'idle'),
      'the end of both turns',
    );
    await endAfter(nvim, 0.002);
    await nvim.waitFor(async () => (await phases(nvim))[0] === 'down', 'the end of the first agent');
    // Its last turn was over before that of the first.
    expect(await phases(nvim)).toEqual(['down', 'idle']);
  });
});
