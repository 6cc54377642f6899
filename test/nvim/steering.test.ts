import { describe, expect } from 'vitest';
import { startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { promptText, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

/** A chat with a turn that ends when a prompt is sent into it. */
async function aSteerableTurn(start: Start, options: Parameters<typeof startChat>[1] = {}) {
  const nvim = await startChat(start, { columns: 120, lines: 30, ...options });
  await nvim.command('AcpSend steer');
  await nvim.waitForScreen('wait for your prompt');
  return nvim;
}

const waitForLine = (nvim: TestNvim, line: string) =>
  nvim.waitFor(async () => (await transcript(nvim)).includes(line), `the line "${line}"`);

const queueOf = (nvim: TestNvim) => nvim.lua<string[]>("return require('acp').queue()");

const maps = `
  vim.keymap.set({ 'n', 'i' }, '<C-g>s', '<Plug>(acp-steer)')`;

describe('steering', () => {
  it.for([
    ['<Plug>(acp-steer) in Normal mode', {}, 'igo left<Esc><C-g>s'],
    ['<Plug>(acp-steer) in Insert mode', {}, 'igo left<C-g>s'],
    [':AcpSteer', {}, 'igo left<Esc>:AcpSteer<CR>'],
    [':AcpSteer with a text', {}, ':AcpSteer go left<CR>'],
    ['the send key in Normal mode', { config: "{ during_turn = 'steer' }" }, 'igo left<Esc><CR>'],
    ['the send key in Insert mode', { config: "{ during_turn = 'steer' }" }, 'igo left<C-s>'],
    ['send()', {}, ":lua require('acp').send('go left', { steer = true })<CR>"],
  ] as const)('by %s', async ([, options, keys], { start }) => {
    const nvim = await aSteerableTurn(start, { init: maps, ...options });
    await nvim.input(keys);
    await waitForLine(nvim, 'You sent this while I worked: go left');
    const lines = await transcript(nvim);
    const at = lines.indexOf('You into the running turn');
    expect(lines.slice(at, at + 4)).toEqual(['You into the running turn', 'go left', '', 'Tour']);
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'an empty prompt');
    expect(await queueOf(nvim)).toEqual([]);
  });

  it('is what :AcpRetry sends again after the turn', async ({ start }) => {
    const nvim = await aSteerableTurn(start);
    await nvim.command('AcpSteer go left');
    await waitForLine(nvim, 'You sent this while I worked: go left');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpRetry');
    await nvim.waitFor(async () => {
      const lines = await transcript(nvim);
      return lines[lines.lastIndexOf('You') + 1] === 'go left';
    }, 'the prompt');
  });

  it('is announced by the hint of the prompt only when the send key does it', async ({ start }) => {
    const nvim = await aSteerableTurn(start, { config: "{ during_turn = 'steer' }" });
    await nvim.waitForScreen('<CR> steer');
    await nvim.input('i');
    await nvim.waitForScreen('<C-s> steer');
    await nvim.input('go left<C-s>');
    await nvim.waitForScreen('<C-s> send');
  });

  it('is not announced for an agent that does not offer it, and the send key queues', async ({ start }) => {
    const chat = await startProgrammableChat(start, { columns: 120, config: "{ during_turn = 'steer' }" });
    const { nvim } = chat;
    await chat.begin(['wait', 'go']);
    await waitForPhase(nvim, 'running');
    await nvim.waitForScreen('<CR> queue');
    await nvim.input('i[]<C-s><Esc>');
    await nvim.waitFor(async () => (await queueOf(nvim)).length === 1, 'a queued prompt');
    expect((await transcript(nvim)).join()).not.toContain('was not sent');
    await nvim.input('imore<Esc>:AcpSteer<CR>');
    await nvim.waitForScreen('"more" was not sent into the running turn');
    expect(await queueOf(nvim)).toEqual(['[]', 'more']);
  });

  it('that is refused leaves the prompt in the queue, and a notice names it', async ({ start }) => {
    const nvim = await aSteerableTurn(start);
    await nvim.input('irefuse this<Esc>:AcpSteer<CR>');
    await nvim.waitForScreen('"refuse this" was not sent');
    await nvim.waitForScreen('○ refuse this');
    expect(await queueOf(nvim)).toEqual(['refuse this']);
    expect(await promptText(nvim)).toBe('');
    await nvim.command('AcpSteer go on');
    await waitForLine(nvim, 'I would rather not.');
  });

  it('when no turn runs sends the prompt', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihello<Esc>:AcpSteer<CR>');
    await waitForLine(nvim, 'hello');
    expect(await transcript(nvim)).toContain('You');
  });

  it('is in the transcript again after the host was restarted', async ({ start }) => {
    const nvim = await aSteerableTurn(start);
    await nvim.command('AcpSteer go left');
    await waitForLine(nvim, 'You sent this while I worked: go left');
    await nvim.command('AcpRestart!');
    await nvim.waitForScreen('was restarted');
    const lines = await transcript(nvim);
    expect(lines.filter((line) => line === 'go left')).toHaveLength(1);
    expect(lines.indexOf('You into the running turn')).toBe(lines.indexOf('go left') - 1);
  });

  it('calls the callback back at the end of the turn', async ({ start }) => {
    const nvim = await aSteerableTurn(start);
    await nvim.lua(`require('acp').send('go left', {
      steer = true,
      callback = function(turn) _G.ended = turn end,
    })`);
    await nvim.waitFor(() => nvim.lua<boolean>('return _G.ended ~= nil'), 'the callback');
    const ended = await nvim.lua<{ stop_reason: string; text: string }>('return _G.ended');
    expect(ended.stop_reason).toBe('end_turn');
    expect(ended.text).toContain('go left');
  });
});

describe('a suggestion for the next prompt', () => {
  async function aSuggestion(start: Start, options: Parameters<typeof startChat>[1] = {}) {
    const nvim = await startChat(start, { columns: 120, ...options });
    await nvim.command('AcpSend suggest run the tests');
    await nvim.waitForScreen('› run the tests  <Tab>');
    return nvim;
  }

  it.for([
    ['Insert mode', 'i<Tab>', ' now<Esc>'],
    ['Normal mode', '<Tab>', 'a now<Esc>'],
  ] as const)('is taken by <Tab> in %s', async ([, keys, more], { start }) => {
    const nvim = await aSuggestion(start);
    expect(await promptText(nvim)).toBe('');
    await nvim.input(keys);
    await nvim.waitFor(async () => (await promptText(nvim)) === 'run the tests', 'the suggestion');
    await nvim.input(more);
    expect(await promptText(nvim)).toBe('run the tests now');
    await nvim.input('u');
    await nvim.input('u');
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'the empty prompt');
    await nvim.waitForScreen('› run the tests  <Tab>');
  });

  it('is gone while there is text, and <Tab> is that of the user then', async ({ start }) => {
    const nvim = await aSuggestion(start, {
      init: "vim.keymap.set('i', '<Tab>', 'TAB')",
    });
    await nvim.input('ix');
    await nvim.waitForScreen((text) => !text.includes('run the tests  <Tab>'));
    await nvim.input('<Tab>');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'xTAB', 'the mapping of the user');
  });

  it('leaves <Tab> to an open completion menu', async ({ start }) => {
    const nvim = await aSuggestion(start, {
      init: `
        vim.keymap.set('i', '<Tab>', function() return vim.fn.pumvisible() == 1 and '<C-n>' or 'TAB' end, { expr = true })
        vim.o.completeopt = 'menu,noinsert,noselect'`,
    });
    await nvim.input('i');
    await nvim.lua("vim.fn.complete(1, { 'one', 'two' })");
    await nvim.waitFor(() => nvim.lua<boolean>('return vim.fn.pumvisible() == 1'), 'the menu');
    await nvim.input('<Tab>');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'one', 'the first item');
    await nvim.input('<C-e>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'the empty prompt');
    await nvim.input('<Tab>');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'run the tests', 'the suggestion');
  });

  it('gives the mapping of the buffer back', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.lua(
      "vim.keymap.set('i', '<Tab>', 'MINE', { buffer = require('acp.chats').current().prompt })",
    );
    await nvim.command('AcpSend suggest run the tests');
    await nvim.waitForScreen('run the tests  <Tab>');
    await nvim.input('ix<Tab>');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'xMINE', 'the mapping of the user');
  });

  it('is not shown while another turn runs, nor after it', async ({ start }) => {
    const nvim = await aSuggestion(start);
    await nvim.command('AcpSend hello');
    await nvim.waitForScreen((text) => !text.includes('run the tests  <Tab>'));
    await waitForPhase(nvim, 'idle');
    await nvim.input('i<Tab>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '\t', 'a tab');
  });

  it('is not shown if the user does not want it', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120, config: '{ suggestions = false }' });
    await nvim.command('AcpSend suggest run the tests');
    const isSuggested = "return require('acp.chats').current().prompt_state.suggestion ~= nil";
    await nvim.waitFor(() => nvim.lua<boolean>(isSuggested), 'the suggestion');
    await nvim.waitForScreen((text) => !text.includes('run the tests  <Tab>'));
    await nvim.input('i<Tab>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '\t', 'a tab');
  });
});

it(':AcpSteer says so when there is nothing to send', async ({ start }) => {
  const nvim = await startChat(start);
  await nvim.input(':AcpSteer<CR>');
  await nvim.waitForScreen('nothing to send: write in the prompt, or :AcpSteer text');
});
