import { describe, expect } from 'vitest';
import { speech } from '../support/agents/messages.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { chatStatus, converse, drawn, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { allowEverything, answerImmediately } from '../support/nvim/user.ts';

const inTranscript = (code: string) => `
  local chat = require('acp.chats').current()
  local win = vim.fn.bufwinid(chat.buf)
  ${code}`;

async function topAndCursor(nvim: TestNvim): Promise<{ top: number; cursor: number; last: number }> {
  return nvim.lua(
    inTranscript(`
    return {
      top = vim.fn.line('w0', win),
      cursor = vim.api.nvim_win_get_cursor(win)[1],
      last = vim.api.nvim_buf_line_count(chat.buf),
    }`),
  );
}

const takeFirst = `${answerImmediately}${allowEverything}
vim.ui.select = function(items, _, on_choice) on_choice(items[1], 1) end
vim.ui.input = function(options, on_confirm) on_confirm(options.default) end`;

describe('a frame', () => {
  it('that fails is answered with the Lua error', async ({ start }) => {
    const nvim = await startChat(start);
    const result = await nvim.lua(`
      local patch = { op = 'set', id = 999, at = 0, count = 1, lines = { 'x' }, marks = {} }
      return require('acp.operations').receive('chat.draw', { chat = 1, blocks = 1, patches = { patch } })`);
    expect(result).toMatchObject({ ok: true, value: { failure: expect.stringContaining('frames.lua') } });
  });
});

describe('the transcript', () => {
  it('follows the end while the cursor is there', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'long 200');
    const { cursor, last } = await topAndCursor(nvim);
    expect(last).toBeGreaterThan(100);
    expect(cursor).toBe(last);
  });

  it('keeps the scroll position when the user has moved up', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'long 200');
    await nvim.lua(inTranscript('vim.api.nvim_set_current_win(win)'));
    await nvim.input('20gg');
    await nvim.waitFor(async () => (await topAndCursor(nvim)).cursor === 20, 'the cursor');
    const before = await topAndCursor(nvim);
    // A prompt of another plugin, because one of the user would show the end.
    await nvim.lua("require('acp').send('long 200', {})");
    await nvim.waitFor(async () => (await topAndCursor(nvim)).last > before.last + 100, 'the answer');
    await waitForPhase(nvim, 'idle');
    const after = await topAndCursor(nvim);
    expect(after).toMatchObject({ top: before.top, cursor: before.cursor });
  });

  it('streams every chunk, in order, once', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'long 5000');
    const text = (await transcript(nvim)).slice(4).join('\n').trimEnd();
    expect(text.length).toBeGreaterThan(5000 * 39);
    const lines = text.split('\n');
    expect(new Set(lines).size).toBe(lines.length);
  });

  it('is not modifiable, and is redrawn if it was changed anyway', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'markdown');
    await nvim.command('wincmd k');
    await expect(nvim.command('normal! dd')).rejects.toThrow('E21');
    await nvim.lua(
      inTranscript(`
      vim.bo[chat.buf].modifiable = true
      vim.api.nvim_buf_set_lines(chat.buf, 2, 6, false, { 'vandalised' })`),
    );
    await converse(nvim, 'hello');
    const lines = await transcript(nvim);
    expect(lines).not.toContain('vandalised');
    expect(lines.filter((line) => line === 'You')).toHaveLength(2);
    expect(await nvim.lua(inTranscript('return vim.bo[chat.buf].modifiable'))).toBe(false);
  });

  it('expands and collapses a thought in place', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'think');
    const closed = await transcript(nvim);
    const row = closed.findIndex((line) => line.startsWith('▸ thought'));
    expect(row).toBeGreaterThan(0);
    await nvim.lua(
      inTranscript(`vim.api.nvim_set_current_win(win) vim.api.nvim_win_set_cursor(win, { ${row + 1}, 0 })`),
    );
    await nvim.input('za');
    await nvim.waitFor(async () => (await transcript(nvim))[row]?.startsWith('▾'), 'the open thought');
    expect((await transcript(nvim)).length).toBeGreaterThan(closed.length);
    await nvim.input('za');
    await nvim.waitFor(async () => (await transcript(nvim)).join() === closed.join(), 'the closed thought');
  });

  it('keeps every block where its mark is, through toggles above and growth below', async ({ start }) => {
    const nvim = await startChat(start, { init: takeFirst });
    await converse(nvim, 'tour');
    await nvim.lua(
      inTranscript(
        'for id = 1, 40 do require("acp.host").notify("entry.toggle", { chat = chat.id, block = id }) end',
      ),
    );
    await drawn(nvim);
    await converse(nvim, 'plan');
    await nvim.lua(
      inTranscript(
        'for id = 1, 40 do require("acp.host").notify("entry.toggle", { chat = chat.id, block = id }) end',
      ),
    );
    await drawn(nvim);
    const live = await transcript(nvim);
    await nvim.lua(inTranscript('require("acp.host").notify("chat.redraw", { chat = chat.id })'));
    await drawn(nvim);
    expect(live).toEqual(await transcript(nvim));
  });

  it('renders markdown: bold in bold, markup hidden', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.waitForScreen('Type tour below');
    const row = nvim.screen.lines().findIndex((line) => line.includes('Type tour below'));
    const at = nvim.screen.lines()[row]!.indexOf('tour below');
    expect(nvim.screen.cell(row, at).fg).not.toBe(nvim.screen.cell(row, at + 5).fg);
  });

  it('shows control characters instead of obeying them', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'unicode');
    const text = (await transcript(nvim)).join('\n');
    expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    expect(text).toContain('␛[');
  });

  it('stops a running turn on <C-c>, from the prompt and from the transcript', async ({ start }) => {
    const nvim = await startChat(start);
    for (const window of ['j', 'k']) {
      await nvim.command('AcpSend hang');
      await waitForPhase(nvim, 'running');
      await nvim.command(`wincmd ${window}`);
      await nvim.input('<C-c>');
      await waitForPhase(nvim, 'idle');
    }
    await drawn(nvim);
    expect((await transcript(nvim)).filter((line) => line === '· Stopped.')).toHaveLength(2);
  });

  describe('a <C-c> that arrives while Neovim is busy', () => {
    // It interrupts Neovim then, and Neovim applies no mapping to it.
    const pressWhileBusy = (nvim: TestNvim) =>
      nvim.lua("vim.schedule(function() vim.api.nvim_input('<C-c>') end)");

    it('stops a running turn, from the prompt and from the transcript', async ({ start }) => {
      const nvim = await startChat(start);
      for (const window of ['j', 'k']) {
        await nvim.command('AcpSend hang');
        await waitForPhase(nvim, 'running');
        await nvim.command(`wincmd ${window}`);
        await pressWhileBusy(nvim);
        await waitForPhase(nvim, 'idle');
      }
    });

    it('only leaves Insert mode first', async ({ start }) => {
      const nvim = await startChat(start);
      await nvim.command('AcpSend hang');
      await waitForPhase(nvim, 'running');
      await nvim.input('i');
      await pressWhileBusy(nvim);
      const mode = () => nvim.lua<string>('return vim.api.nvim_get_mode().mode');
      await nvim.waitFor(async () => (await mode()) === 'n', 'Normal mode');
      expect((await chatStatus(nvim))?.phase).toBe('running');
      await pressWhileBusy(nvim);
      await waitForPhase(nvim, 'idle');
    });
  });

  it('kills an agent that does not stop when asked again two seconds later', async ({ start }) => {
    const nvim = await startChat(start);
    // A prompt waits for a snapshot of the files; stopping it before it is sent would not reach the agent.
    await nvim.command('silent AcpRecord talk.jsonl');
    await nvim.command('AcpSend deaf');
    await nvim.waitFor(
      () => nvim.sandbox.read('talk.jsonl').includes('session/prompt'),
      'the prompt to be sent',
    );
    await nvim.input('<C-c><C-c>');
    await nvim.waitForScreen('stopping · <C-c> after 2 s kills it');
    await nvim.waitFor(async () => {
      await nvim.input('<C-c>');
      return (await chatStatus(nvim))?.phase === 'down';
    }, 'the agent to be killed');
    await nvim.waitForScreen('did not stop and was killed');
    await nvim.command('AcpRestart');
    await waitForPhase(nvim, 'idle');
    await converse(nvim, 'hello');
  });

  it('moves between prompts with ]] and [[', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello');
    await converse(nvim, 'help');
    const rows = (await transcript(nvim)).flatMap((line, index) => (line === 'You' ? [index + 1] : []));
    await nvim.command('wincmd k | normal! gg');
    const isAt = (row: number | undefined) => async () => (await nvim.lua("return vim.fn.line('.')")) === row;
    await nvim.input(']]]]');
    await nvim.waitFor(isAt(rows[1]), 'the second prompt');
    await nvim.input('[[');
    await nvim.waitFor(isAt(rows[0]), 'the first prompt');
  });
});

describe('the keys ]] and [[', () => {
  /** Two turns, with an agent message that looks like the heading of a prompt. */
  async function startAtEnd(start: Parameters<typeof startScriptedChat>[0]) {
    const { nvim, turn } = await startScriptedChat(start);
    for (const prompt of ['first', 'second', 'third']) {
      const { end } = await turn(prompt, speech('You\n\nsaid it'));
      end();
      await waitForPhase(nvim, 'idle');
    }
    await drawn(nvim);
    await nvim.input('<C-w>kG');
    return nvim;
  }
  const lineBelow = (nvim: TestNvim) => nvim.lua<string>("return vim.fn.getline(vim.fn.line('.') + 1)");
  const waitForLine = (nvim: TestNvim, text: string) =>
    nvim.waitFor(async () => (await lineBelow(nvim)) === text, `the prompt ${text}`);

  it('go to prompts of the user only', async ({ start }) => {
    const nvim = await startAtEnd(start);
    await nvim.input('[[');
    await waitForLine(nvim, 'third');
    await nvim.input('[[');
    await waitForLine(nvim, 'second');
    await nvim.input(']]');
    await waitForLine(nvim, 'third');
  });

  it('accept a count, set the jump list, and extend a selection', async ({ start }) => {
    const nvim = await startAtEnd(start);
    await nvim.input('3[[');
    await waitForLine(nvim, 'first');
    await nvim.input('2]]');
    await waitForLine(nvim, 'third');
    await nvim.input('<C-o>');
    await waitForLine(nvim, 'first');
    await nvim.input('V]]');
    await waitForLine(nvim, 'second');
    expect(await nvim.lua("return { vim.fn.mode(), vim.fn.getline(vim.fn.line('v') + 1) }")).toEqual([
      'V',
      'first',
    ]);
    await nvim.input('<Esc>9[[');
    await waitForLine(nvim, 'first');
  });
});
