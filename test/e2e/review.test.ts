import { describe, expect } from 'vitest';
import { ProgrammableChat, programmableAgents } from '../support/agents/programmable-chat.ts';
import { converse, hostStatus, promptText, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { hasGit, makeRepository } from '../support/system/git.ts';

const init = `
vim.g.acp = ${programmableAgents}
vim.ui.select = function(items, options, done)
  done(items[1], 1)
end`;

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`);
const changed = (...changes: readonly [number, string][]) =>
  ten.map((line, index) => `${changes.find(([at]) => at === index + 1)?.[1] ?? line}\n`).join('');

async function startAgain(start: (options: NvimOptions) => Promise<TestNvim>, { nvim }: ProgrammableChat) {
  const next = await start({ init, columns: 120, sandbox: nvim.sandbox });
  await next.lua("require('acp.agents').remember('tester')");
  await next.command('AcpSessions');
  await next.waitFor(() => next.lua("return require('acp.chats').current() ~= nil"), 'the session');
  await next.input('<Esc>');
  await waitForPhase(next, 'idle');
  return new ProgrammableChat(next);
}

it('a review that is open when the host is killed decides nothing, and goes on', async ({ start }) => {
  const nvim = await start({ init, columns: 120, files: { 'a.txt': 'one\n' } });
  const chat = new ProgrammableChat(nvim);
  await nvim.command('AcpChat tester');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  await chat.run(['disk', 'a.txt', 'ONE\n']);
  await chat.review();
  await chat.waitForList('› ○ a.txt  +1  -1');
  process.kill((await hostStatus(nvim))!.pid, 'SIGKILL');
  await nvim.waitFor(async () => (await nvim.messages()).includes('it was restarted'), 'a new host');
  await waitForPhase(nvim, 'idle');
  await nvim.input('gX');
  await nvim.waitFor(async () => (await nvim.messages()).includes('nothing was decided'), 'the reason');
  expect(chat.onDisk('a.txt')).toBe('ONE\n');
  await nvim.input('gX');
  await chat.waitForDisk('a.txt', 'one\n');
});

describe.skipIf(!hasGit)('a review in one Neovim, and in the next', () => {
  it('goes on where it was: kept, rejected, what can be taken back and what is to be told', async ({
    start,
  }) => {
    const nvim = await start({ init, columns: 120, files: { 'a.txt': changed(), 'b.txt': 'b\n' } });
    const chat = new ProgrammableChat(nvim);
    makeRepository(chat.folder);
    await nvim.command('AcpChat tester');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await chat.run(
      ['sh', 'sed -i -e "s/line 2/TWO/" -e "s/line 5/FIVE/" -e "s/line 9/NINE/" a.txt'],
      ['disk', 'b.txt', 'B\n'],
    );
    await chat.review();
    await chat.waitForList('› ○ a.txt  +3  -3  3 hunks', '○ b.txt  +1  -1');
    await nvim.input('a');
    await chat.waitForList('› ○ a.txt  +2  -2  2 hunks', /b\.txt/);
    await nvim.input('x');
    await chat.waitForDisk('a.txt', changed([2, 'TWO'], [9, 'NINE']));
    await chat.waitForList('› ○ a.txt  +1  -1', '○ b.txt  +1  -1');
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });

    const next = await startAgain(start, chat);
    await next.review();
    await next.waitForList('› ○ a.txt  +1  -1', '○ b.txt  +1  -1');
    await next.nvim.input('u');
    await next.waitForDisk('a.txt', changed([2, 'TWO'], [5, 'FIVE'], [9, 'NINE']));
    await next.nvim.input('x');
    await next.waitForDisk('a.txt', changed([2, 'TWO'], [9, 'NINE']));
    await next.waitForList('› ○ a.txt  +1  -1', '○ b.txt  +1  -1');
    expect(await next.nvim.quit('qa')).toMatchObject({ code: 0 });

    const last = await startAgain(start, next);
    await last.nvim.command('AcpReview tell');
    await last.nvim.waitFor(async () => (await promptText(last.nvim)) !== '', 'the prompt');
    expect(await promptText(last.nvim)).toContain('a.txt:5\n```diff\n-line 5\n+FIVE\n```');
    await last.review();
    await last.nvim.input('gX');
    await last.waitForDisk('a.txt', changed([2, 'TWO']));
    await last.waitForDisk('b.txt', 'b\n');
  });

  it('has what was decided in the moment in which Neovim was left', async ({ start }) => {
    const names = Array.from({ length: 6 }, (_, index) => `${index}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, 'one\n']));
    const nvim = await start({ init, columns: 120, files });
    const chat = new ProgrammableChat(nvim);
    makeRepository(chat.folder);
    await nvim.command('AcpChat tester');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await chat.run(['sh', 'for name in *.txt; do echo ONE > $name; done']);
    await chat.review();
    await nvim.waitFor(() => nvim.lua("return vim.fn.maparg('gX', 'n') ~= ''"), 'the keys');
    expect(await nvim.quit("execute 'normal gX' | qa!")).toMatchObject({ code: 0 });
    expect(names.map((name) => chat.onDisk(name))).toEqual(names.map(() => 'one\n'));
    const next = await startAgain(start, chat);
    await next.nvim.command('AcpReview tell');
    await next.nvim.waitFor(async () => (await promptText(next.nvim)) !== '', 'the prompt');
    expect((await promptText(next.nvim)).match(/\+ONE/g)).toHaveLength(6);
  });

  it('goes back to a prompt of before', async ({ start }) => {
    const nvim = await start({ init, columns: 120, files: { 'a.txt': 'one\n' } });
    const chat = new ProgrammableChat(nvim);
    makeRepository(chat.folder);
    await nvim.command('AcpChat tester');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await chat.run(['sh', 'echo ONE > a.txt; echo new > b.txt']);
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });

    const next = await startAgain(start, chat);
    await next.nvim.command('AcpRestore');
    await next.waitForDisk('a.txt', 'one\n');
    await next.waitForDisk('b.txt', undefined);
    await next.nvim.waitForScreen('restored 2 files');
    await converse(next.nvim, '[]');
    await next.nvim.command('AcpRestore undo');
    await next.waitForDisk('a.txt', 'ONE\n');
    await next.waitForDisk('b.txt', 'new\n');
  });
});
