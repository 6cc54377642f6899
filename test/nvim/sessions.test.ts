import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { converse, drawn, startChat, transcript, waitForPhase, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { aFolder } from '../support/system/temp.ts';

/** Records the items of pickers and lets the test choose. */
const pickers = `
_G.seen = {}
vim.ui.select = function(items, options, on_choice)
  local labels = vim.tbl_map(options.format_item, items)
  table.insert(_G.seen, { prompt = options.prompt, labels = labels })
  _G.choose = function(text)
    for index, label in ipairs(labels) do
      if label:find(text, 1, true) then return on_choice(items[index], index) end
    end
    error('no ' .. text .. ' in ' .. vim.inspect(labels))
  end
end`;

interface Seen {
  readonly prompt: string;
  readonly labels: readonly string[];
}

async function pick(nvim: TestNvim, command: string): Promise<Seen> {
  await nvim.lua('_G.seen = {}');
  await nvim.command(command);
  return nextPicker(nvim);
}

async function nextPicker(nvim: TestNvim): Promise<Seen> {
  await nvim.waitFor(() => nvim.lua<boolean>('return #_G.seen > 0'), 'the picker');
  return nvim.lua<Seen>('return table.remove(_G.seen)');
}

const choose = (nvim: TestNvim, text: string) => nvim.lua(`_G.choose(${JSON.stringify(text)})`);

const memory = (folder: string) =>
  `{ agents = { tour = { env = { ACP_TOUR_PACE = '0', ACP_TOUR_MEMORY = '${folder}' } } } }`;

function aMemory(): string {
  const folder = path.join(aFolder(), 'memory');
  fs.mkdirSync(folder);
  return folder;
}

const chatIds = (nvim: TestNvim) =>
  nvim.lua<number[]>(
    "return vim.tbl_map(function(c) return c.id end, require('acp.host').request('host.status', {}).chats)",
  );

describe('a new session', () => {
  it('has its own chat, in the same windows', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello');
    const before = await windows(nvim);
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await nvim.waitFor(async () => (await chatIds(nvim)).length === 2, 'the second chat');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'its welcome');
    expect(await windows(nvim)).toEqual(before);
    expect((await transcript(nvim)).join()).not.toContain('hello');
  });

  it('shares the process of its agent', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'its welcome');
    expect(await pick(nvim, `lua ${pickers.replaceAll('\n', ' ')} vim.cmd("AcpSessions")`)).toMatchObject({
      prompt: 'Sessions',
      labels: [expect.stringMatching(/^○ .*tour/), expect.stringMatching(/^○ .*tour/)],
    });
  });
});

describe('the list of sessions', () => {
  it('goes to an open chat', async ({ start }) => {
    const nvim = await startChat(start, { init: pickers });
    await converse(nvim, 'hello');
    await nvim.command('AcpNew');
    await nvim.input('<Esc>');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'its welcome');
    await pick(nvim, 'AcpSessions');
    await choose(nvim, 'Hello');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('hello'), 'the first chat');
    expect(await windows(nvim)).toHaveLength(3);
  });

  it('opens a session of the agent, which replays its history', async ({ start }) => {
    const nvim = await startChat(start, { init: pickers, config: memory(aMemory()) });
    await converse(nvim, 'plan');
    const before = await transcript(nvim);
    await nvim.command('AcpClose');
    const { labels } = await pick(nvim, 'AcpSessions');
    expect(labels).toEqual([expect.stringMatching(/^ {2}Plan · tour · just now/)]);
    await choose(nvim, 'Plan');
    await nvim.waitFor(async () => (await chatIds(nvim)).length === 1, 'the chat');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await transcript(nvim)).toEqual(before);
    await nvim.waitForScreen('Tour · Plan');
    await converse(nvim, 'hello');
    expect((await transcript(nvim)).join()).toContain('hello');
  });

  it('opens a conversation with the tour after a restart', async ({ start }) => {
    const first = await start({ init: pickers });
    await first.command('AcpChat tour');
    await first.input('<Esc>');
    await waitForPhase(first, 'idle');
    await converse(first, 'hello');
    await first.quit('qa');
    const nvim = await start({ init: pickers, sandbox: first.sandbox });
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    const { labels } = await pick(nvim, 'AcpSessions');
    expect(labels).toContainEqual(expect.stringMatching(/^ {2}Hello · tour/));
    await choose(nvim, 'Hello');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('hello'), 'the earlier prompt');
    await waitForPhase(nvim, 'idle');
    expect((await transcript(nvim)).join()).not.toContain('could not be reopened');
  });

  it('opens the local journal of a session that the agent has lost', async ({ start }) => {
    const nvim = await startChat(start, { init: pickers });
    await converse(nvim, 'hello');
    const before = await transcript(nvim);
    await nvim.command('AcpClose');
    await pick(nvim, 'AcpSessions');
    await choose(nvim, 'Hello');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('does not exist'), 'the reason');
    expect((await transcript(nvim)).slice(0, before.length)).toEqual(before);
  });

  it('closes a chat', async ({ start }) => {
    const nvim = await startChat(start, { init: pickers });
    await pick(nvim, 'AcpSessions close');
    await choose(nvim, 'tour');
    await nvim.waitFor(async () => (await windows(nvim)).length === 1, 'the windows to close');
    expect(await chatIds(nvim)).toEqual([]);
  });

  it('does not delete a session that another Neovim has open', async ({ start }) => {
    const nvim = await startChat(start, { init: pickers, config: memory(aMemory()) });
    await converse(nvim, 'plan');
    await nvim.command('AcpClose');
    await nvim.waitFor(async () => (await chatIds(nvim)).length === 0, 'the end of the chat');
    // Journals are named by the process id of their Neovim.
    const folder = await nvim.lua<string>("return require('acp.paths').state()");
    const journal = fs.readdirSync(folder).find((name) => name.endsWith('.jsonl'))!;
    const others = journal.replace(/\d+-1\.jsonl$/, `${process.pid}-1.jsonl`);
    fs.renameSync(path.join(folder, journal), path.join(folder, others));
    const { labels } = await pick(nvim, 'AcpSessions delete');
    expect(labels).toEqual(['  Plan · tour · just now · open in another Neovim']);
    await choose(nvim, 'Plan');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('"Plan" is open in another Neovim: delete it there'),
      'the message',
    );
    expect(await nvim.lua('return #_G.seen')).toBe(0);
    expect(fs.existsSync(path.join(folder, others))).toBe(true);
  });

  it('deletes a session at the agent and here, after asking', async ({ start }) => {
    const kept = aMemory();
    const nvim = await startChat(start, { init: pickers, config: memory(kept) });
    await converse(nvim, 'plan');
    await nvim.waitFor(() => fs.readdirSync(kept).length === 1, 'the agent to keep it');
    await pick(nvim, 'AcpSessions delete');
    await choose(nvim, 'Plan');
    const { prompt, labels } = await nextPicker(nvim);
    expect(prompt).toBe('Delete "Plan"? (tour deletes it too)');
    expect(labels).toEqual(['Keep it', 'Delete it']);
    await choose(nvim, 'Delete it');
    await nvim.waitFor(async () => (await nvim.messages()).includes('deleted "Plan"'), 'the message');
    expect(fs.readdirSync(kept)).toEqual([]);
    await nvim.command('AcpSessions');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('there are no sessions of this folder'),
      'nothing to be left',
    );
  });
});

describe('a session', () => {
  it('continues after a restart if the agent supports it', async ({ start }) => {
    const nvim = await startChat(start, { config: memory(aMemory()) });
    await converse(nvim, 'hello');
    const before = await transcript(nvim);
    await nvim.command('AcpRestart');
    await nvim.waitForScreen('Tour was restarted and continues');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect((await transcript(nvim)).slice(0, before.length)).toEqual(before);
    await converse(nvim, 'plan');
    expect((await transcript(nvim)).join('\n')).not.toContain('started a new session');
  });

  it('starts a new session with a notice if the agent does not support it', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello');
    await nvim.command('AcpRestart');
    await nvim.waitForScreen('started a new session');
  });
});

describe('an agent that replays a session only after opening it', () => {
  const late = path.resolve(import.meta.dirname, '../fixtures/agents/late-replay.mjs');

  async function startLate(start: Parameters<typeof startChat>[0]): Promise<TestNvim> {
    const command = JSON.stringify(['node', late, path.join(aFolder(), 'memory')]).slice(1, -1);
    const config = `{ agents = { late = { command = { ${command} } } } }`;
    const nvim = await startChat(start, { init: pickers, config, agent: 'late' });
    for (const text of ['one', 'two', 'three']) await converse(nvim, text);
    return nvim;
  }

  const words = async (nvim: TestNvim) =>
    (await transcript(nvim)).filter((line) => /^(answer|one|two|three|four|more)/.test(line));
  const conversation = ['one', 'answer to one', 'two', 'answer to two', 'three', 'answer to three'];

  it('does not duplicate the history in the chat or the journal when a prompt starts it', async ({
    start,
  }) => {
    const nvim = await startLate(start);
    await nvim.command('AcpSend die');
    await nvim.waitForScreen('exited with code 7');
    await converse(nvim, 'more');
    await nvim.waitFor(async () => (await words(nvim)).includes('answer to more'), 'the answer');
    expect(await words(nvim)).toEqual([...conversation, 'more', 'answer to more']);
    await nvim.command('AcpClose');
    await pick(nvim, 'AcpSessions');
    await choose(nvim, 'one');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await words(nvim)).toEqual([...conversation, 'more', 'answer to more']);
    expect((await transcript(nvim)).join('\n')).toContain('exited with code 7');
  });

  it('continues below the local journal', async ({ start }) => {
    const nvim = await startLate(start);
    await nvim.command('AcpClose');
    await pick(nvim, 'AcpSessions');
    await choose(nvim, 'one');
    await nvim.waitFor(async () => (await chatIds(nvim)).length === 1, 'the chat');
    await converse(nvim, 'four');
    expect(await words(nvim)).toEqual([...conversation, 'four', 'answer to four']);
  });

  it('survives messages that are nested very deep', async ({ start }) => {
    const nvim = await startLate(start);
    const [chat] = await chatIds(nvim);
    await nvim.command('AcpSend deep');
    await nvim.waitFor(
      async () => (await transcript(nvim)).join('\n').includes('answer to deep'),
      'the answer',
    );
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    await converse(nvim, 'more');
    expect((await words(nvim)).at(-1)).toBe('answer to more');
    expect(await chatIds(nvim)).toEqual([chat]);
  });
});
