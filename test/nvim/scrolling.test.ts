import { describe, expect } from 'vitest';
import { speech } from '../support/agents/messages.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { converse, drawn, startChat, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

interface View {
  readonly top: number;
  readonly bottom: number;
  readonly cursor: number;
  readonly last: number;
  readonly height: number;
  readonly rows: number;
}

const view = (nvim: TestNvim) =>
  nvim.lua<View>(`
    local chat = require('acp.chats').current()
    local win = vim.fn.bufwinid(chat.buf)
    local top = vim.fn.line('w0', win)
    return {
      top = top,
      bottom = vim.fn.line('w$', win),
      cursor = vim.api.nvim_win_get_cursor(win)[1],
      last = vim.api.nvim_buf_line_count(chat.buf),
      height = vim.fn.getwininfo(win)[1].height,
      rows = vim.api.nvim_win_text_height(win, { start_row = top - 1 }).all,
    }`);

/** Turns the wheel over the transcript, which need not be the current window. */
async function wheel(nvim: TestNvim, direction: 'up' | 'down', times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1)
    await nvim.client.request('nvim_input_mouse', ['wheel', direction, '', 0, 5, 80]);
}

const lines = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}\n`).join('\n');

async function startLong(start: Parameters<typeof startScriptedChat>[0]) {
  const chat = await startScriptedChat(start, { init: "vim.o.mouse = 'a'" });
  const turn = await chat.turn('go', speech(lines('early', 60)));
  await chat.nvim.waitForScreen('early 59');
  await drawn(chat.nvim);
  return { ...chat, end: turn.end };
}

async function waitForFullWindow(nvim: TestNvim): Promise<void> {
  await nvim.waitFor(async () => {
    const { rows, height, bottom, last } = await view(nvim);
    return bottom === last && rows >= height - 1;
  }, 'a full window');
}

describe('the mouse wheel', () => {
  it.for(['the prompt', 'the transcript'])(
    'ends following and resumes it at the end, from %s',
    async (from, { start }) => {
      const { nvim, agent, end } = await startLong(start);
      await nvim.command(from === 'the prompt' ? 'wincmd b' : 'wincmd b | wincmd k');
      await wheel(nvim, 'up', 5);
      await nvim.waitFor(async () => (await view(nvim)).bottom < (await view(nvim)).last, 'it to scroll up');
      const before = await view(nvim);
      agent.send(speech(lines('more', 20)));
      await nvim.waitFor(async () => (await view(nvim)).last > before.last, 'more text');
      expect((await view(nvim)).top).toBe(before.top);
      await nvim.waitFor(async () => {
        const { bottom, last } = await view(nvim);
        if (bottom < last) await wheel(nvim, 'down', 1);
        return bottom === last;
      }, 'the end to be visible');
      agent.send(speech(lines('late', 20)));
      await nvim.waitForScreen('late 19');
      end();
      await waitForPhase(nvim, 'idle');
    },
  );

  it.for(['wheel', '<C-e>', 'zt', 'zz'])('never leaves a window half empty: %s', async (how, { start }) => {
    const { nvim, end } = await startLong(start);
    end();
    await waitForPhase(nvim, 'idle');
    await nvim.input('<C-w>kG');
    if (how === 'wheel') await wheel(nvim, 'down', 30);
    else await nvim.input(how === '<C-e>' ? how.repeat(30) : how);
    await nvim.input(':let g:typed = 1<CR>');
    await nvim.waitFor(() => nvim.lua<boolean>('return vim.g.typed == 1'), 'the keys');
    await waitForFullWindow(nvim);
    expect((await view(nvim)).top).toBeGreaterThan(1);
  });

  it.for([1, 2, 3])('never leaves a window half empty, %i at a time', async (times, { start }) => {
    const { nvim, end } = await startLong(start);
    end();
    await waitForPhase(nvim, 'idle');
    await nvim.input('<C-w>kG');
    for (let round = 0; round < 6; round += 1) {
      await wheel(nvim, 'down', times);
      await nvim.lua('vim.cmd.redraw()');
      await waitForFullWindow(nvim);
    }
  });
});

it('entries that close leave no room below the end', async ({ start }) => {
  const nvim = await startChat(start);
  for (let turn = 0; turn < 4; turn += 1) await converse(nvim, 'tools');
  await nvim.input('<C-w>kzR');
  await drawn(nvim);
  await nvim.input('Gzt5k');
  await nvim.input('zM');
  await nvim.waitFor(async () => {
    const { rows, height, top } = await view(nvim);
    return top === 1 || rows >= height - 1;
  }, 'a full window');
});

const isAtEnd = async (nvim: TestNvim) => {
  const { bottom, cursor, last } = await view(nvim);
  return bottom === last && cursor === last;
};

describe('a prompt that is sent', () => {
  it.for<[string, string]>([
    ['with the key of the prompt', '<C-w>jihello<C-s>'],
    ['with :AcpSend from the transcript', ':AcpSend hello<CR>'],
    ['with :AcpRetry', ':AcpRetry<CR>'],
  ])('shows the end of the chat again, %s', async ([, keys], { start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'markdown');
    await converse(nvim, 'markdown');
    await nvim.input('<C-w>kgg');
    await nvim.waitFor(async () => (await view(nvim)).top === 1, 'the beginning');
    const before = await view(nvim);
    await nvim.input(keys);
    await nvim.waitFor(async () => (await view(nvim)).last > before.last, 'the prompt');
    await nvim.waitFor(() => isAtEnd(nvim), 'the end of the chat');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await isAtEnd(nvim)).toBe(true);
  });

  it('by a plugin leaves the transcript alone that the user reads', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'markdown');
    await converse(nvim, 'markdown');
    await nvim.input('<C-w>kgg');
    await nvim.waitFor(async () => (await view(nvim)).top === 1, 'the beginning');
    const before = await view(nvim);
    await nvim.lua("require('acp').send('hello', {})");
    await nvim.waitFor(async () => (await view(nvim)).last > before.last, 'the prompt');
    await waitForPhase(nvim, 'idle');
    expect(await view(nvim)).toMatchObject({ top: 1, cursor: 1 });
  });
});

describe('after the last answer to questions', () => {
  const answerSoon = "require('acp.dialogs.dialog').guard_ms = 0";

  it.for<[number, number]>([
    [120, 40],
    [80, 24],
  ])('the transcript follows again, at %i by %i', async ([columns, lines], { start }) => {
    const init = `${answerSoon} require('acp.dialogs.idle').quiet_ms = 60000`;
    const nvim = await startChat(start, { columns, lines, init });
    await nvim.input('iquestions<C-s><Esc>');
    const isWaiting = (count: number) =>
      nvim.waitFor(
        () => nvim.lua<boolean>(`return require('acp.chats').current().waiting == ${count}`),
        `${count} questions`,
      );
    await isWaiting(3);
    await drawn(nvim);
    for (const left of [2, 1, 0]) {
      await nvim.input('gw1');
      await isWaiting(left);
      await drawn(nvim);
    }
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await nvim.waitForScreen('You allowed 3 of 3');
    expect(await isAtEnd(nvim)).toBe(true);
  });

  it('the transcript follows its end for a user who came from far above', async ({ start }) => {
    const nvim = await startChat(start, { init: answerSoon, lines: 12 });
    await converse(nvim, 'markdown');
    await nvim.input('ipermission<C-s><Esc>');
    await nvim.waitForScreen('wants to run');
    await drawn(nvim);
    await nvim.input('<C-w>kgg');
    await nvim.waitFor(async () => (await view(nvim)).top === 1, 'the beginning');
    await nvim.input('gw');
    await nvim.waitForScreen('wants to run');
    await nvim.input('1');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await isAtEnd(nvim)).toBe(true);
  });

  it('the transcript stays where the user has gone to read', async ({ start }) => {
    const nvim = await startChat(start, { init: answerSoon });
    await converse(nvim, 'markdown');
    await nvim.input('ipermission<C-s><Esc>');
    await nvim.waitForScreen('wants to run');
    await drawn(nvim);
    await nvim.input('gwgg');
    await nvim.waitFor(async () => (await view(nvim)).top === 1, 'the beginning');
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await view(nvim)).toMatchObject({ top: 1, cursor: 1 });
  });
});
