import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { drawn, promptText, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';

/** A prompt whose turn runs until it is stopped. */
const working = 'queue 600';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

/** A chat with a turn that runs until it is stopped. */
async function aRunningTurn(start: Start, options: Parameters<typeof startChat>[1] = {}): Promise<TestNvim> {
  const nvim = await startChat(start, { columns: 120, lines: 30, ...options });
  await nvim.command(`AcpSend ${working}`);
  await nvim.waitForScreen('count to 600');
  return nvim;
}

/** The same with prompts in the queue, typed in Insert mode. */
async function aQueue(start: Start, texts: readonly string[], options?: Parameters<typeof startChat>[1]) {
  const nvim = await aRunningTurn(start, options);
  for (const text of texts) {
    await nvim.input(`i${text}<C-s>`);
    await waitForPrompt(nvim, '');
    await nvim.input('<Esc>');
  }
  await waitForQueue(nvim, texts);
  return nvim;
}

const queueOf = (nvim: TestNvim) => nvim.lua<string[]>("return require('acp').queue()");

const waitForQueue = (nvim: TestNvim, texts: readonly string[]) =>
  nvim.waitFor(
    async () => JSON.stringify(await queueOf(nvim)) === JSON.stringify(texts),
    `the queue ${texts.join(' | ')}`,
  );

const waitForPrompt = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await promptText(nvim)) === text, `the prompt "${text}"`);

const sentPrompts = async (nvim: TestNvim) => {
  const lines = await transcript(nvim);
  return lines.flatMap((line, at) => (/^You(?! wrote)\b/.test(line) ? [lines[at + 1]!] : []));
};

const waitForSent = (nvim: TestNvim, ...texts: readonly string[]) =>
  nvim.waitFor(
    async () => JSON.stringify(await sentPrompts(nvim)) === JSON.stringify(texts),
    `the prompts ${texts.join(' | ')} in the transcript`,
  );

const queueLines = (nvim: TestNvim) =>
  nvim.lua<string[]>("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('acp://tour-1-queue'), 0, -1, false)");

/** Opens the queue and waits until the cursor is in it. */
async function openQueue(nvim: TestNvim): Promise<void> {
  await nvim.input(':AcpQueue<CR>');
  await nvim.waitFor(() => nvim.lua<boolean>("return vim.bo.filetype == 'acp-queue'"), 'the queue buffer');
}

const drafts = ({ sandbox }: TestNvim) => {
  const folder = path.join(sandbox.env.XDG_STATE_HOME ?? '', 'nvim', 'acp', 'drafts');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
};

async function kill(nvim: TestNvim): Promise<void> {
  process.kill(nvim.pid, 'SIGKILL');
  await nvim.exited;
}

describe('the queue', () => {
  it('is shown below the running turn, and the hint says what the send key does', async ({ start }) => {
    const nvim = await aRunningTurn(start);
    await nvim.waitForScreen('<CR> queue');
    await nvim.input('ifirst<C-s>');
    await waitForPrompt(nvim, '');
    await nvim.input('second<CR>with more<Esc><CR>');
    await nvim.waitForScreen(/○ first *\n.*○ second {2}\+1 line/);
    await nvim.waitForScreen('2 queued');
    await nvim.input('<C-c>');
    await nvim.waitForScreen('○ first  paused');
    expect(await nvim.lua("return require('acp').sessions()[1]")).toMatchObject({ queued: 2, paused: true });
    expect(await nvim.lua("return require('acp').status().queued")).toBe(2);
  });

  it('stays visible at the end of a long transcript', async ({ start }) => {
    const nvim = await startChat(start, { columns: 100, lines: 20 });
    await nvim.command('AcpSend long 100');
    await waitForPhase(nvim, 'idle');
    await nvim.command(`AcpSend ${working}`);
    await nvim.waitForScreen('count to 600');
    for (const text of ['one', 'two', 'three']) await nvim.command(`AcpSend ${text}`);
    await nvim.waitForScreen('○ three');
    await nvim.waitForScreen('3 queued');
    await drawn(nvim);
    await nvim.waitForScreen('○ one');
  });

  it('is paused when the turn is stopped, and the draft stays as it is', async ({ start }) => {
    const nvim = await aQueue(start, ['first', 'second']);
    await nvim.input('imy dra<C-c><C-c>');
    await waitForPhase(nvim, 'idle');
    await nvim.input('aft<Esc>');
    await waitForPrompt(nvim, 'my draft');
    expect(await queueOf(nvim)).toEqual(['first', 'second']);
    expect(await sentPrompts(nvim)).toEqual([working]);
  });

  it.for([
    ['<CR> in Normal mode', '<CR>'],
    ['<C-s> in Insert mode', 'i<C-s><Esc>'],
    [':AcpQueue resume', ':AcpQueue resume<CR>'],
  ] as const)('that is paused goes on by %s in the empty prompt', async ([, keys], { start }) => {
    const nvim = await aQueue(start, ['first', 'second']);
    await nvim.input('<C-c>');
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen('resume the queue');
    // A key that was typed before the queue was paused does not resume it.
    await nvim.waitFor(async () => {
      await nvim.input(keys);
      return (await queueOf(nvim)).length === 0;
    }, 'an empty queue');
    await waitForSent(nvim, working, 'first', 'second');
  });

  it('that is paused waits while other prompts are sent', async ({ start }) => {
    const nvim = await aQueue(start, ['first']);
    await nvim.input('<C-c>');
    await waitForPhase(nvim, 'idle');
    await nvim.input('iinstead<C-s>');
    await waitForSent(nvim, working, 'instead');
    await waitForPhase(nvim, 'idle');
    expect(await queueOf(nvim)).toEqual(['first']);
  });

  it('is paused and resumed during a turn', async ({ start }) => {
    const nvim = await aQueue(start, ['first']);
    await nvim.command('AcpQueue pause');
    await nvim.waitForScreen('1 paused · :AcpQueue resume');
    await nvim.command('AcpQueue resume');
    await nvim.waitForScreen((text) => text.includes('1 queued · :AcpQueue') && !text.includes('paused'));
    expect(await sentPrompts(nvim)).toEqual([working]);
  });

  it('survives :AcpRestart, as the draft does', async ({ start }) => {
    const nvim = await aQueue(start, ['first']);
    await nvim.input('imy draft<Esc>');
    await nvim.command('AcpRestart');
    await nvim.waitForScreen('memory of the messages above');
    await waitForPhase(nvim, 'idle');
    expect(await queueOf(nvim)).toEqual(['first']);
    expect(await promptText(nvim)).toBe('my draft');
  });
});

describe('the buffer of the queue', () => {
  it.for([
    ['grows in the chat', '', 2],
    ['leaves the windows of the user alone where no chat is', 'AcpChat!', 0],
  ] as const)('%s when a prompt is queued', async ([, before, rows], { start }) => {
    const nvim = await aQueue(start, ['one', 'two', 'three']);
    if (before) await nvim.command(before);
    await openQueue(nvim);
    const height = (win: string) => nvim.lua<number>(`return vim.api.nvim_win_get_height(${win})`);
    const file = 'vim.fn.win_getid(1)';
    const [heightBefore, fileBefore] = [await height('0'), await height(file)];
    await nvim.lua("for _, text in ipairs({ 'four', 'five' }) do require('acp').send(text) end");
    await waitForQueue(nvim, ['one', 'two', 'three', 'four', 'five']);
    await nvim.waitFor(async () => (await queueLines(nvim)).length === 5, 'five prompts');
    expect([await height('0'), await height(file)]).toEqual([heightBefore + rows, fileBefore]);
  });

  it('is a list that is reordered, changed and shortened as text', async ({ start }) => {
    const nvim = await aQueue(start, ['one', 'two', 'three', 'four']);
    await openQueue(nvim);
    expect(await queueLines(nvim)).toEqual(['- one', '- two', '- three', '- four']);
    expect(await nvim.lua('return vim.api.nvim_win_get_height(0)'), 'with the winbar').toBe(5);
    await nvim.waitForScreen('│ Queue · :w saves · <CR> sends one now');
    await nvim.waitForScreen(' tour · queue');
    await nvim.input('ddp');
    await nvim.input('jdd');
    await nvim.input('GA!<CR>  with more<Esc>o- five<Esc>');
    expect(await queueOf(nvim), 'before it is written').toEqual(['one', 'two', 'three', 'four']);
    await nvim.input(':w<CR>');
    await waitForQueue(nvim, ['two', 'one', 'four!\nwith more', 'five']);
    expect(await nvim.lua('return vim.bo.modified')).toBe(false);
    await nvim.waitForScreen('○ two');
    await nvim.input(':q<CR><C-w>w');
    await nvim.command('AcpQueue resume');
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpQueue resume');
    await waitForSent(nvim, working, 'two', 'one', 'four!', 'five');
  });

  it('keeps its unsaved text when the queue changes, and a write adds to that', async ({ start }) => {
    const nvim = await aQueue(start, ['one', 'two']);
    await openQueue(nvim);
    await nvim.input('ccx- changed<Esc>0x');
    await nvim.command('AcpSend three');
    await waitForQueue(nvim, ['one', 'two', 'three']);
    expect(await queueLines(nvim)).toEqual(['- changed', '- two']);
    await nvim.input(':w<CR>');
    await waitForQueue(nvim, ['changed', 'two', 'three']);
    await nvim.waitFor(async () => (await queueLines(nvim)).length === 3, 'the new prompt in the buffer');
  });

  it('is up to date when prompts are sent, and does not bring them back', async ({ start }) => {
    const nvim = await aQueue(start, ['one', working, 'three']);
    await openQueue(nvim);
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpQueue resume');
    await waitForQueue(nvim, ['three']);
    await nvim.waitFor(async () => (await queueLines(nvim)).join() === '- three', 'what is left');
    await nvim.input('ggO- zero<Esc>:w<CR>');
    await waitForQueue(nvim, ['zero', 'three']);
    await waitForSent(nvim, working, 'one', working);
  });

  it('sends the prompt under the cursor now', async ({ start }) => {
    const nvim = await aQueue(start, ['one', 'two', 'three']);
    await openQueue(nvim);
    await nvim.input('jAx<Esc><CR>');
    await waitForSent(nvim, working, 'twox', 'one', 'three');
    expect(await queueOf(nvim)).toEqual([]);
  });

  it('empties the queue when it is written empty, and closes to the prompt', async ({ start }) => {
    const nvim = await aQueue(start, ['one', 'two']);
    await openQueue(nvim);
    await nvim.input('ggdG:wq<CR>');
    await waitForQueue(nvim, []);
    await nvim.waitFor(() => nvim.lua("return vim.bo.filetype == 'acp-prompt'"), 'the prompt again');
    await nvim.waitForScreen((text) => !text.includes('queued'));
  });

  it.for(['AcpQueue', 'AcpQueue now', 'AcpQueue resume', 'AcpQueue pause'])(
    'that is empty is reported by :%s',
    async (command, { start }) => {
      const nvim = await aRunningTurn(start);
      await nvim.input(`:${command}<CR>`);
      await nvim.waitForScreen('no prompt is queued');
    },
  );

  it('looks mentions up when a changed prompt is sent', async ({ start }) => {
    const nvim = await aQueue(start, ['resources']);
    fs.writeFileSync(path.join(nvim.sandbox.cwd, 'a.txt'), 'text\n');
    await openQueue(nvim);
    await nvim.input('A @a.txt<Esc>:wq<CR>');
    await waitForQueue(nvim, ['resources @a.txt']);
    await nvim.command('AcpQueue now');
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((line) => line.includes('You attached')),
      'the attachment',
    );
  });
});

describe('the first prompt of the queue', () => {
  it('is sent now by :AcpQueue now: the turn is stopped, and the others follow', async ({ start }) => {
    const nvim = await aQueue(start, ['one', 'two']);
    await nvim.command('AcpQueue now');
    await waitForSent(nvim, working, 'one', 'two');
    await waitForPhase(nvim, 'idle');
    expect(await promptText(nvim)).toBe('');
  });
});

describe('a queue that outlives its Neovim', () => {
  it.for([
    ['was quit by :qa', (nvim: TestNvim) => nvim.quit('qa')],
    ['was quit by :qa!', (nvim: TestNvim) => nvim.quit('qa!')],
    ['was killed', kill],
  ] as const)('that %s is restored, paused, with the draft', async ([, end], { start }) => {
    const sandbox = new Sandbox();
    const first = await aQueue(start, ['one', 'look at @b.txt'], { sandbox });
    await first.input('imy draft<Esc>');
    await first.waitFor(
      () => drafts(first).some((text) => text.includes('look at @b.txt') && text.includes('my draft')),
      'the queue and the draft on disk',
    );
    await end(first);
    const second = await startChat(start, { sandbox, columns: 120 });
    await waitForQueue(second, ['one', 'look at @b.txt']);
    await waitForPrompt(second, 'my draft');
    await second.waitForScreen('Welcome');
    await second.waitForScreen(/Welcome[\s\S]*○ one[\s\S]*2 paused · :AcpQueue resume/);
    expect(await second.messages()).toMatch(/the draft and the queue of \d\d:\d\d were restored/);
    expect(await sentPrompts(second)).toEqual([]);
    await second.input('ggdG');
    await second.command('AcpQueue resume');
    await waitForSent(second, 'one', 'look at @b.txt');
    await second.waitFor(() => drafts(second).length === 0, 'no file any more');
  });

  it('is restored once, also when its session is opened again', async ({ start }) => {
    const sandbox = new Sandbox();
    const first = await aQueue(start, ['one'], { sandbox });
    const journal = await first.lua<string>("return require('acp.chats').current().journal");
    await first.waitFor(() => drafts(first).some((text) => text.includes('one')), 'the queue on disk');
    await first.quit();
    const second = await start({ sandbox, columns: 120, init: 'vim.g.acp = {}' });
    await second.attachHost();
    const reopen = "require('acp.lifecycle').show(require('acp.lifecycle').create('tour', ...))";
    await second.lua(reopen, { session: 'tour-1', earlier_journal: journal });
    await second.waitForScreen('○ one  paused');
    expect(await queueOf(second)).toEqual(['one']);
    await second.command('AcpNew tour');
    await waitForPhase(second, 'idle');
    expect(await queueOf(second)).toEqual([]);
  });

  it('is restored in the next chat after :AcpClose', async ({ start }) => {
    const nvim = await aQueue(start, ['one']);
    await nvim.command('AcpClose');
    await nvim.command('AcpChat tour');
    await waitForQueue(nvim, ['one']);
    await nvim.waitForScreen('1 paused · :AcpQueue resume');
  });

  it('waits for the next chat if another one has its prompt created again', async ({ start }) => {
    const nvim = await aQueue(start, ['one']);
    await nvim.command('AcpNew tour');
    await nvim.lua("require('acp.lifecycle').close(require('acp.chats').get(1))");
    await waitForPhase(nvim, 'idle');
    await nvim.lua("vim.cmd.bdelete({ require('acp.chats').current().prompt, bang = true })");
    await nvim.command('AcpChat');
    expect(await queueOf(nvim)).toEqual([]);
    await nvim.command('AcpNew tour');
    await waitForQueue(nvim, ['one']);
  });

  it('is shown in a chat without any text', async ({ start }) => {
    const chat = await startProgrammableChat(start, { columns: 120 });
    const { nvim } = chat;
    await chat.begin(['wait', 'never']);
    await nvim.command('AcpSend []');
    await waitForQueue(nvim, ['[]']);
    const isSent = "return require('acp.chats').current().prompt_state.unsent == nil";
    await nvim.waitFor(() => nvim.lua<boolean>(isSent), 'the agent to get the first prompt');
    await nvim.command('AcpClose');
    await nvim.command('AcpChat tester');
    await nvim.waitForScreen(/○ \[\] {2}paused[\s\S]*1 paused · :AcpQueue resume/);
  });

  it('belongs to its chat when another one is shown', async ({ start }) => {
    const nvim = await aQueue(start, ['one']);
    await nvim.command('AcpNew tour');
    expect(await queueOf(nvim)).toEqual([]);
    expect(await nvim.lua("return require('acp').queue(1)")).toEqual(['one']);
  });

  it('keeps Neovim from quitting while its text is changed and not written', async ({ start }) => {
    const nvim = await aQueue(start, ['one']);
    await openQueue(nvim);
    await nvim.input('Ax<Esc>');
    await nvim.input(':qa<CR>');
    await nvim.waitForScreen(/E37|E162/);
    await nvim.input('<CR>:w<CR>');
    await waitForQueue(nvim, ['onex']);
  });
});
