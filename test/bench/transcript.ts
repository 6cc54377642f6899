import { type BenchChat, openBenchChat } from './bench-chat.ts';
import { memoryOf } from './process-figures.ts';
import { type Stall, stallAndCpuOfNvim } from './stall.ts';
import { type Figure, ms } from './table.ts';

const messages = 2_800;
const linesPerMessage = 32;
const lines = messages * linesPerMessage;

/** A very long chat with headings, lists, tables, code and tool calls: drawing it again, scrolling, memory. */
export async function measureTranscript(): Promise<readonly Figure[]> {
  const chat = await openBenchChat('plugin');
  try {
    await chat.say(`history ${messages} ${linesPerMessage}`);
    const memory = `${memoryOf(chat.nvim.pid).toFixed(0)} MB`;
    const painted = await paintAgain(chat);
    const stalls: [string, Stall][] = [];
    for (const [name, keys] of moves) stalls.push([name, await scroll(chat, keys)]);
    return [
      row('first paint', '<= 100 ms', ms(painted.first), painted.first <= 100),
      row('  all lines', '', ms(painted.all)),
      ...stalls.map(([name, { ms: stall, cpuMs }]) =>
        row(`  ${name}: longest pause`, '<= 16 ms', `${ms(stall)} (CPU ${ms(cpuMs)})`, cpuMs <= 16),
      ),
      row('  memory of Neovim', '', memory),
    ];
  } finally {
    await chat.end();
  }
}

const moves: readonly (readonly [string, string])[] = [
  ['<C-b>', '<C-b>'],
  ['<C-f>', '<C-f>'],
  ['<C-y>', '<C-y>'],
  ['gg and G', 'ggG'],
  [']t', ']t'],
];

function row(name: string, aim: string, found: string, isMet?: boolean): Figure {
  const title = name.startsWith(' ') ? name : `${messages} messages, ${lines} lines: ${name}`;
  return { name: title, aim, found: { plugin: found }, ...(isMet !== undefined && { isMet }) };
}

// The buffer was wiped, so the chat is drawn again as after a restart of Neovim's window.
async function paintAgain({ nvim }: BenchChat): Promise<{ readonly first: number; readonly all: number }> {
  await nvim.command('stopinsert');
  await nvim.lua("vim.api.nvim_buf_delete(require('acp.chats').current().buf, { force = true })");
  await nvim.waitFor(() => !nvim.screen.text().includes('The parser keeps'), 'the empty screen');
  const start = performance.now();
  const painted = new Promise<number>((resolve) => {
    const listening = nvim.screen.onFlush(() => {
      if (!nvim.screen.text().includes('The parser keeps')) return;
      listening.dispose();
      resolve(performance.now() - start);
    });
  });
  await nvim.lua('bench.chat.open()');
  const first = await painted;
  const count = "return vim.api.nvim_buf_line_count(require('acp.chats').current().buf)";
  await nvim.waitFor(async () => (await nvim.lua<number>(count)) > 0.99 * lines, 'all lines', 60_000);
  return { first, all: performance.now() - start };
}

async function scroll({ nvim }: BenchChat, keys: string): Promise<Stall> {
  await nvim.lua(`
    local chat = require('acp.chats').current()
    vim.api.nvim_set_current_win(vim.fn.bufwinid(chat.buf))
    vim.cmd('stopinsert')
    vim.api.nvim_win_set_cursor(0, { math.floor(vim.api.nvim_buf_line_count(0) / 2), 0 })`);
  await settled();
  return stallAndCpuOfNvim(nvim, async () => {
    for (let press = 0; press < 60; press += 1) {
      await nvim.input(keys);
      await nvim.lua('return 1');
      await settled(20);
    }
  });
}

function settled(time = 300): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time));
}
