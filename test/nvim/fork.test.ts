import path from 'node:path';
import { describe, expect } from 'vitest';
import { drawn, startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { allowEverything } from '../support/nvim/user.ts';
import { aFolder } from '../support/system/temp.ts';

const program = path.resolve(import.meta.dirname, '../fixtures/agents/replays-forks.mjs');

const init = `${allowEverything}
vim.ui.select = function(items, options, on_choice)
  _G.labels = vim.tbl_map(options.format_item, items)
  _G.choose = function(index) on_choice(items[index], index) end
end`;

async function startForkable(start: Parameters<typeof startChat>[0], args: string[]): Promise<TestNvim> {
  const command = ['node', program, path.join(aFolder(), 'memory'), ...args]
    .map((word) => JSON.stringify(word))
    .join(', ');
  const config = `{ agents = { replayer = { command = { ${command} } } } }`;
  const nvim = await startChat(start, { init, config, agent: 'replayer' });
  for (const prompt of ['one', 'two', 'three']) await converse(nvim, prompt);
  return nvim;
}

async function converse(nvim: TestNvim, prompt: string): Promise<void> {
  await nvim.command(`AcpSend ${prompt}`);
  const answer = `answer to ${prompt}`;
  await nvim.waitFor(async () => (await transcript(nvim)).includes(answer), answer);
  await isReady(nvim);
}

const chatCount = (nvim: TestNvim) => nvim.lua<number>("return #require('acp.chats').all()");

/** Runs what opens a chat, and waits until the chat is ready. */
async function openChat(nvim: TestNvim, command: string): Promise<void> {
  const before = await chatCount(nvim);
  await nvim.command(command);
  await nvim.waitFor(async () => (await chatCount(nvim)) === before + 1, 'the chat');
  await nvim.input('<Esc>');
  await isReady(nvim);
}

async function isReady(nvim: TestNvim): Promise<void> {
  await nvim.waitFor(async () => {
    const current = await nvim.lua("return require('acp.chats').current().id");
    const status = await nvim.askHost<{ chats: { id: number; phase: string }[] } | null>('host.status');
    return status?.chats.find(({ id }) => id === current)?.phase === 'idle';
  }, 'the chat to be ready');
  await drawn(nvim);
}

async function list(nvim: TestNvim, command: string): Promise<readonly string[]> {
  await nvim.lua('_G.labels = nil');
  await nvim.command(command);
  return (await nvim.waitFor(() => nvim.lua('return _G.labels'), 'the list')) as string[];
}

async function exported(nvim: TestNvim): Promise<readonly string[]> {
  await nvim.command('AcpExport');
  await nvim.waitFor(async () => (await nvim.lines()).includes('## You'), 'the Markdown');
  const lines = await nvim.lines();
  await nvim.command('bwipeout!');
  return lines;
}

const often = (lines: readonly string[], part: string) => lines.filter((line) => line.includes(part)).length;

/** The prompts, calls, questions and answers of the chat. */
const told = async (nvim: TestNvim) =>
  (await transcript(nvim))
    .map((line) => line.trim())
    .filter((line) => /^(one|two|three|four|five)$|answer to|tool for|thought about/.test(line));

const ofTurn = (prompt: string) => [
  prompt,
  expect.stringContaining(`tool for ${prompt}`),
  expect.stringContaining('asked to run'),
  `answer to ${prompt}`,
];

describe.for([
  ['all turns', []],
  ['the last two turns', ['2']],
  ['nothing', ['0']],
] as const)('a fork of an agent that replays %s before it answers', ([, args]) => {
  it('has the conversation once, as it was: also its fork, its journal, the export and the search', async ({
    start,
  }) => {
    const nvim = await startForkable(start, [...args]);
    const first = await told(nvim);
    expect(often(first, 'asked to run: tool for one')).toBe(1);
    await openChat(nvim, 'AcpFork');
    expect(await told(nvim)).toEqual(first);
    await converse(nvim, 'four');
    const second = await told(nvim);
    expect(second).toEqual([...first, ...ofTurn('four')]);
    await openChat(nvim, 'AcpFork');
    expect(await told(nvim)).toEqual(second);
    expect(often(await exported(nvim), 'answer to one')).toBe(1);
    expect(often(await list(nvim, 'AcpSearch answer to one'), 'answer to one')).toBe(3);
    await converse(nvim, 'five');
    const third = await told(nvim);
    await nvim.command('AcpRestart');
    await nvim.waitForScreen('was restarted and continues');
    await isReady(nvim);
    expect(await told(nvim)).toEqual(third);
  });
});
