import { describe, expect } from 'vitest';
import { aCall, type ProgrammableChat, startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { drawn, floatText, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { doubleClick } from '../support/nvim/user.ts';

const names = ['a.ts', 'b.ts', 'c.ts'];
const files = Object.fromEntries(names.map((name) => [name, `text of ${name}\n`]));
const closed = '✓ read    3 files  a.ts, b.ts, c.ts';
const opened = ['✓ read    3 files', ...names.map((name) => `  ✓ read    ${name}`)];

const line = (nvim: TestNvim) => nvim.lua<string>('return vim.api.nvim_get_current_line()');

const aRead = (path: string) =>
  aCall({
    toolCallId: path,
    title: `Read ${path}`,
    kind: 'read',
    status: 'completed',
    locations: [{ path }],
    content: [{ type: 'content', content: { type: 'text', text: `text of ${path}` } }],
  });

const says = (text: string) => ({
  update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
});

async function startReading(
  start: (options?: NvimOptions) => Promise<TestNvim>,
  config?: string,
): Promise<ProgrammableChat> {
  const chat = await startProgrammableChat(start, {
    files,
    columns: 160,
    lines: 30,
    ...(config && { config }),
  });
  await take(chat, ...names.map((name) => aRead(chat.at(name))), says('I have read them.'));
  await chat.nvim.input('<Esc>');
  await chat.goTo('3 files');
  return chat;
}

/** Takes steps in a turn and waits for its end. */
async function take(chat: ProgrammableChat, ...steps: readonly object[]): Promise<void> {
  const ends = async () => (await transcript(chat.nvim)).filter((text) => text.endsWith('answers []')).length;
  const before = await ends();
  await chat.begin(...steps);
  await chat.nvim.waitFor(async () => (await ends()) > before, 'the end of the answer');
  await waitForPhase(chat.nvim, 'idle');
  await drawn(chat.nvim);
}

async function waitForCalls({ nvim }: ProgrammableChat, ...expected: readonly string[]): Promise<void> {
  const read = async () => (await transcript(nvim)).filter((text) => /^ *✓ read/.test(text));
  await nvim.waitFor(async () => (await read()).join('\n') === expected.join('\n'), expected.join(' | '));
  await drawn(nvim);
}

describe('a group of calls', () => {
  it.for(['za', '0<CR>', 'zo'])('is opened with %s', async (key, { start }) => {
    const chat = await startReading(start);
    await waitForCalls(chat, closed);
    await chat.nvim.input(key);
    await waitForCalls(chat, ...opened);
  });

  it('is closed from one of its calls, with the cursor on its line', async ({ start }) => {
    const chat = await startReading(start);
    await chat.nvim.input('za');
    await waitForCalls(chat, ...opened);
    await chat.goTo('  ✓ read    c.ts');
    await chat.nvim.input('zc');
    await waitForCalls(chat, closed);
    expect(await line(chat.nvim)).toBe(closed);
    await chat.nvim.input('za');
    await waitForCalls(chat, ...opened);
  });

  it('is closed with a double click on its line, in plain mode too', async ({ start }) => {
    const { nvim } = await startReading(start, '{ plain = true }');
    const calls = async () => (await transcript(nvim)).filter((text) => /^ *done: read/.test(text)).length;
    await nvim.input('za');
    await nvim.waitFor(async () => (await calls()) === 4, 'the calls');
    await drawn(nvim);
    await nvim.waitForScreen('done: read    c.ts');
    await doubleClick(nvim, '3 files');
    await nvim.waitFor(async () => (await calls()) === 1, 'one line');
  });

  it('has its calls in order after more was drawn below', async ({ start }) => {
    const chat = await startReading(start);
    await take(chat, aRead(chat.at('d.ts')), says('more'));
    await chat.goTo('3 files');
    await chat.nvim.input('za');
    await waitForCalls(chat, ...opened, '✓ read    d.ts');
    await chat.goTo('  ✓ read    b.ts');
    await chat.nvim.input('za');
    await chat.nvim.waitFor(
      async () => (await transcript(chat.nvim)).includes(`      text of ${chat.at('b.ts')}`),
      'the text of b.ts',
    );
    const lines = await transcript(chat.nvim);
    expect(lines.indexOf(`      text of ${chat.at('b.ts')}`)).toBe(lines.indexOf('  ✓ read    c.ts') - 2);
  });

  it('is one step for ]t until it is open', async ({ start }) => {
    const chat = await startReading(start);
    await take(chat, aRead(chat.at('d.ts')));
    const press = async (keys: string, expected: string) => {
      await chat.nvim.input(keys);
      await chat.nvim.waitFor(async () => (await line(chat.nvim)) === expected, `${keys}: ${expected}`);
    };
    await press('gg]t', closed);
    await press(']t', '✓ read    d.ts');
    await press('[t', closed);
    await chat.nvim.input('za');
    await waitForCalls(chat, ...opened, '✓ read    d.ts');
    await press('gg', (await transcript(chat.nvim))[0]!);
    for (const name of names) await press(']t', `  ✓ read    ${name}`);
    await press(']t', '✓ read    d.ts');
    await press('2[t', '  ✓ read    b.ts');
  });

  it('opens the files that it names with gf, closed and open', async ({ start }) => {
    const chat = await startReading(start);
    const file = () => chat.nvim.lua<string>("return vim.fn.expand('%:t')");
    await chat.nvim.input('fbgf');
    await chat.nvim.waitFor(async () => (await file()) === 'b.ts', 'b.ts');
    await chat.goTo('3 files');
    await chat.nvim.input('za');
    await waitForCalls(chat, ...opened);
    await chat.goTo('  ✓ read    c.ts');
    await chat.nvim.input('fcgf');
    await chat.nvim.waitFor(async () => (await file()) === 'c.ts', 'c.ts');
  });

  it('lists its calls with K, and shows the text of one', async ({ start }) => {
    const chat = await startReading(start);
    await chat.nvim.input('0K');
    await chat.nvim.waitFor(async () => (await floatText(chat.nvim)) === names.join('\n'), 'the names');
    await chat.nvim.input('<Esc>za');
    await waitForCalls(chat, ...opened);
    await chat.goTo('  ✓ read    b.ts');
    await chat.nvim.input('K');
    await chat.nvim.waitFor(
      async () => (await floatText(chat.nvim)).split('\n').includes(`text of ${chat.at('b.ts')}`),
      'the text of b.ts',
    );
  });

  it('is closed again when the whole chat is drawn again', async ({ start }) => {
    const chat = await startReading(start);
    await chat.nvim.lua(
      "require('acp.host').notify('chat.redraw', { chat = require('acp.chats').current().id })",
    );
    await drawn(chat.nvim);
    await waitForCalls(chat, closed);
    await chat.goTo('3 files');
    await chat.nvim.input('za');
    await waitForCalls(chat, ...opened);
  });
});
