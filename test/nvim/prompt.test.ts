import { describe, expect } from 'vitest';
import { converse, drawn, promptText, startChat, transcript, waitForPhase } from '../support/chat.ts';
import { it } from '../support/it.ts';

describe('the prompt', () => {
  it.for([
    ['<CR> in Normal mode', 'ihello there<Esc><CR>'],
    ['<C-s> in Insert mode', 'ihello there<C-s>'],
    [':w', 'ihello there<Esc>:w<CR>'],
  ] as const)('is sent by %s', async ([, keys], { start }) => {
    const nvim = await startChat(start);
    await nvim.input(keys);
    await nvim.waitFor(
      async () => (await transcript(nvim)).includes('hello there'),
      'the prompt in the transcript',
    );
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'an empty prompt');
  });

  it('keeps its lines and can be undone like any buffer', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ione<CR>two<Esc>dd');
    expect(await promptText(nvim)).toBe('one');
    await nvim.input('u');
    expect(await promptText(nvim)).toBe('one\ntwo');
    await nvim.input('<CR>');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('two'), 'both lines in the transcript');
    expect(await transcript(nvim)).toContain('one');
  });

  it('brings a sent text back with undo', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihello<Esc><CR>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '', 'an empty prompt');
    await nvim.input('u');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'hello', 'the text again');
  });

  it('sends nothing when there is only white space', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('i   <CR>  <Esc><CR>');
    await converse(nvim, 'hello');
    expect((await transcript(nvim)).filter((line) => line === 'You')).toHaveLength(1);
  });

  it('grows with its text up to a third of the screen', async ({ start }) => {
    const nvim = await startChat(start, { lines: 30 });
    const height = () => nvim.lua<number>('return vim.api.nvim_win_get_height(0)');
    expect(await height()).toBe(2);
    await nvim.input('ione<CR>two<CR>three<CR>four<Esc>');
    await nvim.waitFor(async () => (await height()) === 4, 'four lines');
    await nvim.input(`o${'more<CR>'.repeat(20)}<Esc>`);
    await nvim.waitFor(async () => (await height()) === 10, 'a third of the screen');
    await nvim.input('ggdG');
    await nvim.waitFor(async () => (await height()) === 2, 'two lines');
  });

  it('shows the keys until something is written', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.waitForScreen('<CR> send · <C-c> stop · g? keys');
    await nvim.input('ix');
    await nvim.waitForScreen((text) => !text.includes('<CR> send'));
  });

  it('does not keep Neovim from leaving', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ia draft<Esc>');
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
  });

  it('keeps what was typed while the prompt was on its way', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihello<Esc><CR>onext thought<Esc>');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'next thought', 'the new text alone');
  });

  it('waits its turn while another is answered, and is sent then', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpSend slow 20');
    await waitForPhase(nvim, 'running');
    await nvim.command('AcpSend hello after that');
    await nvim.waitForScreen('1 queued');
    await nvim.waitFor(
      async () => (await transcript(nvim)).includes('hello after that'),
      'the second prompt',
    );
    await waitForPhase(nvim, 'idle');
    const lines = await transcript(nvim);
    expect(lines.indexOf('slow 20')).toBeLessThan(lines.indexOf('hello after that'));
  });

  it('comes back when its turn fails before an answer', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpSend error');
    await nvim.waitFor(async () => (await promptText(nvim)) === 'error', 'the text in the prompt');
    await drawn(nvim);
    expect((await transcript(nvim)).some((line) => line.startsWith('! tour reports an error'))).toBe(true);
  });

  it('offers the slash commands of the agent as completion', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.waitFor(async () => {
      const items = await nvim.lua<{ word: string }[]>("return require('acp.prompt').complete(0, '/pl')");
      return items.some(({ word }) => word === '/plan');
    }, '/plan among the completions');
    await nvim.input('i/pla<C-x><C-o>');
    await nvim.waitFor(async () => (await promptText(nvim)) === '/plan', 'the completed command');
  });
});
