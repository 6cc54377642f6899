import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { memoryOf } from '../support/faults/faulty-chat.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { isLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';
import type { Sandbox } from '../support/nvim/sandbox.ts';

const showsEnd = `local word = ...
  local lines = vim.api.nvim_buf_get_lines(require('acp.chats').current().buf, -30, -1, false)
  return vim.iter(lines):any(function(line) return line:find(word, 1, true) ~= nil end)`;

/** The longest time that Neovim took for an answer until the turn was over, in milliseconds. */
async function longestWait({ nvim }: HostRig, token: string): Promise<number> {
  let longest = 0;
  const isOver = async () => {
    const began = performance.now();
    const isShown = await nvim.lua<boolean>(showsEnd, `${token}-end`);
    longest = Math.max(longest, performance.now() - began);
    return isShown;
  };
  await nvim.waitFor(isOver, 'the end of the turn', 250_000);
  return longest;
}

/** Megabytes that the host may take at most: the texts in memory, and what V8 has not collected yet. */
const maxHost = 400;

async function expectSmall({ nvim }: HostRig, host: number): Promise<void> {
  expect(memoryOf(host, 'VmHWM')).toBeLessThan(maxHost);
  expect(memoryOf(nvim.pid, 'VmHWM')).toBeLessThan(100);
}

/** Unfolds the first call and waits for its text, of which the transcript shows the first lines. */
async function unfoldFirst({ nvim }: HostRig, token: string): Promise<void> {
  await nvim.lua(
    `local word = ...
     vim.api.nvim_set_current_win(vim.fn.bufwinid(require('acp.chats').current().buf))
     vim.api.nvim_win_set_cursor(0, { 1, 0 })
     vim.fn.search(word, 'cW')`,
    `${token}-c0\\>`,
  );
  await nvim.input('zo');
  const showsText = `return vim.iter(vim.api.nvim_buf_get_lines(0, 0, 500, false)):any(function(line)
    return line:find('54788 more lines', 1, true) ~= nil
  end)`;
  await nvim.waitFor(() => nvim.lua<boolean>(showsText), 'the text of the first call', 20_000);
}

/** A journal of a session with one answer of so many megabytes. */
function writeJournal({ env, cwd }: Sandbox, megabytes: number): void {
  const folder = path.join(env.XDG_STATE_HOME!, 'nvim', 'acp');
  fs.mkdirSync(folder, { recursive: true });
  const fd = fs.openSync(path.join(folder, '20261119-100000-1-1.jsonl'), 'w');
  const record = (event: object) => fs.writeSync(fd, `\n${JSON.stringify({ at: 1_000_000, event })}`);
  record({ kind: 'session_opened', sessionId: 's1', agent: 'busy', cwd });
  record({ kind: 'turn_started', text: 'tell me all' });
  const chunk = { kind: 'chunk', role: 'agent', text: 'one line of the answer\n'.repeat(2_849) };
  for (let part = 0; part < megabytes * 16; part += 1) record(chunk);
  record({ kind: 'turn_ended', stopReason: 'end_turn' });
  fs.closeSync(fd);
}

describe.runIf(isLong)('an answer of 600 MB', () => {
  it('comes back cut, and says so', { timeout: 300_000 }, async ({ start }) => {
    const options = busyOptions();
    writeJournal(options.sandbox, 600);
    const { nvim } = new HostRig(await start(options));
    await nvim.lua('rig.takes = 1');
    await nvim.command('AcpSessions');
    const isCut = `local chat = require('acp.chats').current()
      local lines = chat and chat.buf and vim.api.nvim_buf_get_lines(chat.buf, -30, -1, false) or {}
      return vim.iter(lines):any(function(line) return line:find('The rest is left out', 1, true) ~= nil end)`;
    await nvim.waitFor(() => nvim.lua<boolean>(isCut), 'the words that say so', 250_000);
    const first = "return vim.api.nvim_buf_get_lines(require('acp.chats').current().buf, 0, 20, false)";
    expect(await nvim.lua<string[]>(first)).toContain('tell me all');
    await nvim.quit('qa!');
  });
});

describe.runIf(isLong)('a gigabyte of output', () => {
  const timeout = 300_000;

  it('of a command does not make host or Neovim large or slow', { timeout }, async ({ start }) => {
    const rig = new HostRig(await start(busyOptions()));
    await rig.open();
    const host = (await rig.pid())!;
    const token = await rig.send([['terminal', 'seq 110000000']]);
    expect(await longestWait(rig, token)).toBeLessThan(2_000);
    expect(await rig.pid()).toBe(host);
    await expectSmall(rig, host);
    await rig.nvim.quit('qa!');
  });

  it('of many tool calls does not either, also for the next host', { timeout }, async ({ start }) => {
    const rig = new HostRig(await start(busyOptions()));
    await rig.open();
    const host = (await rig.pid())!;
    const token = await rig.send([['output', 1000, 1]]);
    expect(await longestWait(rig, token)).toBeLessThan(2_000);
    expect(await rig.pid()).toBe(host);
    await unfoldFirst(rig, token);
    await expectSmall(rig, host);
    const exits = await rig.exits();
    process.kill(host, 'SIGKILL');
    await rig.nvim.waitFor(async () => (await rig.exits()) > exits, 'the exit of the host');
    await rig.waitUntilIdle(120_000);
    await unfoldFirst(rig, token);
    await expectSmall(rig, (await rig.pid())!);
    await rig.nvim.quit('qa!');
  });
});
