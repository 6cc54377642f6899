import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { hostMemory, measuredHost } from '../support/faults/host-memory.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { keptPrompts } from '../support/faults/kept-prompts.ts';
import { Random } from '../support/faults/random.ts';
import { versionIn } from '../support/faults/shared-file.ts';
import { Walk } from '../support/faults/walk.ts';
import { takeStep } from '../support/faults/walk-actions.ts';
import { shortOrLong } from '../support/long.ts';
import { drawn, hostStatus } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { expectNoneLeft } from '../support/system/processes.ts';

const seconds = Number(process.env.ACP_SOAK_SECONDS ?? shortOrLong(60, 600));
const stepsPerRound = 60;

/** Bytes in use when no chat is open. */
interface Memory {
  readonly host: number;
  /** What Neovim has allocated, without Lua. */
  readonly nvim: number;
  readonly lua: number;
  /** What Neovim occupies. Peaks leave gaps, which stay. */
  readonly resident: number;
}

/** Stops every turn, lets what waits run and stops that too. A second stop of the same turn would end the agent. */
async function settle({ rig }: Walk): Promise<void> {
  const { nvim } = rig;
  await nvim.lua('rig.pickers = {}');
  const isQuiet = async () => {
    const chats = (await hostStatus(nvim))?.chats ?? [];
    const waiting = new Set((await rig.shown()).filter(({ queue }) => queue !== '').map(({ id }) => id));
    for (const { id, phase } of chats) {
      if (phase === 'idle' && waiting.has(id)) await resumeQueue(nvim, id);
      if (phase === 'running') await nvim.lua("require('acp').cancel(...)", id);
    }
    const isAtRest = ({ id, phase }: (typeof chats)[number]) =>
      phase === 'down' || (phase === 'idle' && !waiting.has(id));
    return chats.length === (await rig.shown()).length && chats.every(isAtRest);
  };
  // Each of the prompts that wait is sent and stopped.
  const prompts = (await rig.shown()).flatMap(({ queue }) => queue.match(/^p\d+/gm) ?? []).length;
  await nvim
    .waitFor(isQuiet, 'all chats to be quiet', 60_000 + prompts * 1_000)
    .catch(async (error: unknown) => {
      throw new Error(`${await describeChats(rig)}\n${error}`, { cause: error });
    });
  await drawn(nvim);
}

async function describeChats(rig: HostRig): Promise<string> {
  const queues = (await rig.shown()).map(
    ({ id, queue }) => `chat ${id} has the queue ${JSON.stringify(queue)}`,
  );
  const chats = (await hostStatus(rig.nvim))?.chats ?? [];
  return [...queues, ...chats.map(({ id, phase }) => `chat ${id} is ${phase}`)].join('\n');
}

async function resumeQueue(nvim: TestNvim, chat: number): Promise<void> {
  await nvim.lua("require('acp.chat.prompt.queue').resume(require('acp.chats').get(...))", chat);
}

/** No prompt is lost or sent twice, every file is whole, and what the user typed is in its buffer. */
async function expectAsExpected(walk: Walk): Promise<void> {
  const { nvim } = walk.rig;
  await openBuffers(nvim);
  await expectPrompts(walk);
  await nvim.lua(deleteBuffers);
  await openBuffers(nvim);
  await expectPrompts(walk);
  for (const [name, { saved }] of walk.files) await expectFile(walk, name, saved);
}

/** Creates the buffers of chats that were deleted, as `:AcpChat` does. */
async function openBuffers(nvim: TestNvim): Promise<void> {
  await nvim.lua("vim.tbl_map(require('acp.lifecycle').prepare, require('acp.chats').all())");
  await drawn(nvim);
}

const deleteBuffers = `
for _, chat in pairs(require('acp.chats').all()) do
  vim.api.nvim_buf_delete(chat.buf, { force = true })
  -- Neovim may have closed its window, and deleted it.
  if chat.prompt then vim.api.nvim_buf_delete(chat.prompt, { force = true }) end
end`;

/** Prompts that the chat says were not sent; they wait in the queue, or stand in the chat again. */
const notSent = /^\s*p\d+ .*\n\s*! .* before this prompt was sent\.$/gm;

async function expectPrompts({ rig, prompts }: Walk): Promise<void> {
  for (const { id, text, draft, queue } of await rig.shown()) {
    for (const token of prompts.get(id) ?? []) {
      const count = (part: string) => part.match(new RegExp(`^\\s*${token}(?= |$)`, 'gm'))?.length ?? 0;
      const [told, unsent] = [count(text.replace(notSent, '')), count(`${draft}\n${queue}`)];
      const where = `prompt ${token} in chat ${id}: told ${told}, unsent ${unsent}\n${text}\n-- draft\n${draft}\n-- queue\n${queue}`;
      // One that is stopped before it reached the agent is in the transcript and comes back.
      expect(told <= 1 && unsent <= 1 && told + unsent >= 1, where).toBe(true);
    }
  }
}

/** The prompts of chats that are closed are on disk, from the given number on. */
function expectKept({ rig }: Walk, first: number): void {
  const kept = keptPrompts(rig.nvim);
  expect(
    rig.tokensSince(first).filter((token) => !kept.has(token)),
    'prompts that no journal and no draft has',
  ).toEqual([]);
}

async function expectFile({ rig, ...walk }: Walk, name: string, saved: ReadonlySet<string>): Promise<void> {
  const disk = rig.onDisk(name);
  versionIn(disk, name);
  expect([...saved], `the user's lines of ${name} on disk`).toContain(disk.split('\n')[0]);
  if (!(await rig.nvim.lua('return vim.fn.bufloaded(...) == 1', rig.nvim.sandbox.path(name)))) return;
  const buffer = await rig.buffer(name);
  versionIn(buffer, `the buffer of ${name}`);
  expect(buffer.split('\n')[0], `the user's lines of ${name}`).toBe(walk.files.get(name)?.typed);
}

/** Each file that is open takes 36 KB. The terminal that was hidden last is kept on purpose, with up to 30 MB of output. */
const closeFilesAndTerminals = `
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  local is_terminal, is_file = vim.bo[buf].buftype == 'terminal', vim.bo[buf].buftype == ''
  if is_terminal or (is_file and not vim.bo[buf].modified) then
    vim.api.nvim_buf_delete(buf, { force = is_terminal })
  end
end`;

/** Closes every chat and measures what is still in use. */
async function measure({ rig, prompts }: Walk): Promise<Memory> {
  const { nvim } = rig;
  await nvim.lua(
    "for _, chat in pairs(require('acp.chats').all()) do require('acp.lifecycle').close(chat) end",
  );
  await nvim.command('silent! tabonly! | silent! only! | silent! enew!');
  await nvim.lua(closeFilesAndTerminals);
  prompts.clear();
  await rig.waitUntilIdle();
  // The list of sessions keeps one for a minute.
  await rig.waitForAgentsToEnd(3_000).catch(() => undefined);
  const pid = (await rig.pid())!;
  // What was just ended is let go a moment later.
  const host = Math.min(await hostMemory(nvim, pid), await hostMemory(nvim, pid));
  const [lua, allocated] = await nvim.lua<[number, number]>(measureNvim);
  return { host, lua, nvim: allocated, resident: residentBytes(nvim) };
}

/** Returns the bytes that Lua uses, and those that the rest of Neovim has allocated; the free ones go back to the system. */
const measureNvim = `
-- Code that LuaJIT has compiled takes up to 3 MB more, the longer Neovim runs.
jit.flush()
collectgarbage() collectgarbage()
local ffi = require('ffi')
pcall(ffi.cdef, [[
  struct acp_mallinfo2 { size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; };
  struct acp_mallinfo2 mallinfo2(void);
  int malloc_trim(size_t);
]])
-- Other C libraries than glibc have neither.
pcall(function() ffi.C.malloc_trim(0) end)
local ok, info = pcall(function() return ffi.C.mallinfo2() end)
return { collectgarbage('count') * 1024, ok and tonumber(info.uordblks + info.hblkhd) or 0 }`;

function residentBytes({ pid }: TestNvim): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

function expectFlat(rounds: readonly Memory[]): void {
  const [, ...warm] = rounds;
  // A walk that is this short, on a machine that is this slow, tells nothing.
  if (warm.length < 2) return;
  const half = Math.floor(warm.length / 2);
  for (const [key, slack] of [
    ['host', shortOrLong(16e6, 8e6)],
    ['nvim', 3e6],
    ['lua', 1e6],
    ['resident', 32e6],
  ] as const) {
    const least = (part: readonly Memory[]) => Math.min(...part.map((round) => round[key]));
    const [first, second] = [least(warm.slice(0, half)), least(warm.slice(half))];
    expect(
      second,
      `${key} grew: ${rounds.map((round) => (round[key] / 1e6).toFixed(1)).join(' ')} MB`,
    ).toBeLessThan(first * 1.1 + slack);
  }
}

/** With `ACP_SOAK_LOG`, the memory after each round is in that file: seconds since the start, then megabytes. */
function record(rounds: readonly Memory[]): void {
  const { host, nvim, lua, resident } = rounds[rounds.length - 1]!;
  const figures = [performance.now() / 1e3, host / 1e6, nvim / 1e6, lua / 1e6, resident / 1e6].map((figure) =>
    figure.toFixed(2),
  );
  if (process.env.ACP_SOAK_LOG) fs.appendFileSync(process.env.ACP_SOAK_LOG, `${figures.join(' ')}\n`);
}

async function walkFor(walk: Walk, ms: number): Promise<readonly Memory[]> {
  const until = performance.now() + ms;
  const rounds: Memory[] = [];
  const taken: string[] = [];
  const take = async () => {
    taken.push(await takeStep(walk));
    await walk.rig.expectNoTrouble();
  };
  try {
    while (performance.now() < until) {
      const first = walk.rig.tokenCount;
      await walk.run('AcpNew busy');
      for (let step = 0; step < stepsPerRound && performance.now() < until; step += 1) await take();
      await settle(walk);
      await walk.rig.expectNoTrouble();
      await expectAsExpected(walk);
      rounds.push(await measure(walk));
      expectKept(walk, first);
      record(rounds);
    }
  } catch (error) {
    throw new Error(`after ${taken.length} steps (… ${taken.slice(-12).join(', ')}): ${error}`, {
      cause: error,
    });
  }
  return rounds;
}

/** Nothing is left but what is kept on purpose. */
async function expectNothingLeft({ nvim }: HostRig): Promise<void> {
  await expectNoneLeft(nvim.sandbox.marker);
  const filesIn = (folder: string) =>
    fs.readdirSync(path.join(nvim.sandbox.root, folder), { recursive: true, encoding: 'utf8' });
  expect(
    filesIn('tmp').filter((name) => !name.startsWith('node-compile-cache')),
    'temporary files',
  ).toEqual([]);
  expect(
    filesIn('state').filter((name) => /\.(new|tmp|lock)$/.test(name)),
    'half-written files',
  ).toEqual([]);
  expect(
    fs.readdirSync(nvim.sandbox.cwd).filter((name) => !/^(\.git|\w+\.txt)$/.test(name)),
    'files in the project',
  ).toEqual([]);
}

/** The undo steps of files that stay open are no leak. */
const fewUndoSteps = 'vim.o.undolevels = 20';

const seed = Number(process.env.ACP_SOAK_SEED ?? shortOrLong(1, Date.now() % 1_000_000));

describe('a random walk of the user and the agents', () => {
  it(`breaks nothing and leaves nothing, seed ${seed}`, { timeout: (seconds + 120) * 1_000 }, async ({
    start,
  }) => {
    const rig = new HostRig(await start(measuredHost(busyOptions({ init: fewUndoSteps }))));
    const rounds = await walkFor(new Walk(rig, new Random(seed)), seconds * 1_000);
    await rig.nvim.quit('qa!');
    await expectNothingLeft(rig);
    expectFlat(rounds);
  });
});
