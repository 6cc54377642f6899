import fs from 'node:fs';
import { expect } from 'vitest';
import { type ProgrammableChat, startEditingChat } from '../support/agents/programmable-chat.ts';
import { transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { changed, files, ten, text } from '../support/nvim/review-files.ts';
import { recordQuestions } from '../support/nvim/user.ts';
import { hasGit } from '../support/system/git.ts';

const config = "{ permissions = { 'allow edit *' } }";
const inCode = 'wincmd t | edit a.txt';

/** What a user does about the first change of the agent. */
const takesBack: Readonly<Record<string, (chat: ProgrammableChat) => Promise<void>>> = {
  'rejects it': async (chat) => {
    await chat.review();
    await chat.nvim.input('gX');
    await chat.waitForDisk('a.txt', text(ten));
    await chat.waitForList(/a\.txt.*rejected/);
    await chat.nvim.input('q');
  },
  'undoes and saves it': async ({ nvim }) => {
    await nvim.command(`${inCode} | silent undo | silent write`);
  },
  'checks the file out': async (chat) => {
    await chat.nvim.command(inCode);
    fs.writeFileSync(chat.at('a.txt'), text(ten));
    await chat.nvim.command('checktime');
    await chat.nvim.waitFor(async () => (await chat.buffer('a.txt'))[4] === 'line 5', 'the buffer to follow');
  },
};

async function expectWritten(chat: ProgrammableChat, expected: string, counts: RegExp): Promise<void> {
  await chat.run(['sh', 'true']);
  expect(chat.onDisk('a.txt')).toBe(expected);
  const bufferText = async () => (await chat.buffer('a.txt')).map((line) => `${line}\n`).join('');
  const isOpen = await chat.nvim.lua('return vim.fn.bufloaded(...) == 1', chat.at('a.txt'));
  if (isOpen) {
    await chat.nvim.waitFor(async () => (await bufferText()) === expected, 'the buffer to have it');
    expect(await chat.nvim.lua('return vim.bo[vim.fn.bufnr(...)].modified', chat.at('a.txt'))).toBe(false);
  }
  expect((await transcript(chat.nvim)).filter((line) => /unsaved|conflict/.test(line))).toEqual([]);
  expect(await chat.timesAsked).toBe(0);
  await chat.review();
  await chat.waitForList(counts);
  await chat.nvim.input('q');
}

const ways = ['asked', 'reported', 'write'] as const;
const cases = ways.flatMap((way) =>
  Object.keys(takesBack).flatMap((how) =>
    (['open', 'not open'] as const)
      .filter((is) => is === 'open' || how === 'rejects it')
      .map((is) => [way, how, is] as const),
  ),
);

it.skipIf(!hasGit).for(cases)(
  'an agent (%s) writes a change again, or another one, after the user %s: the file is %s',
  { timeout: 60_000 },
  async ([way, how, is], { start }) => {
    const chat = await startEditingChat(start, { files, config, init: recordQuestions });
    if (is === 'open') await chat.nvim.command(inCode);
    const one = changed([5, 'LINE 5']);
    await chat.run([way, 'a.txt', one]);
    await chat.waitForDisk('a.txt', one);
    await takesBack[how]!(chat);
    await chat.run([way, 'a.txt', one]);
    await expectWritten(chat, one, /a\.txt {2}\+1 {2}-1/);
    await takesBack[how]!(chat);
    const more = changed([5, 'LINE 5'], [9, 'LINE 9']);
    await chat.run([way, 'a.txt', more]);
    await expectWritten(chat, more, /a\.txt {2}\+2 {2}-2/);
  },
);

it.skipIf(!hasGit).for(ways)(
  'an agent (%s) changes a line that the user has changed and saved since its last write',
  async (way, { start }) => {
    const chat = await startEditingChat(start, { files, config, init: recordQuestions });
    await chat.nvim.command(inCode);
    await chat.run([way, 'a.txt', changed([5, 'LINE 5'])]);
    await chat.nvim.command(`${inCode} | call setline(5, "mine") | silent write`);
    await chat.run([way, 'a.txt', changed([5, 'theirs'])]);
    await expectWritten(chat, changed([5, 'theirs']), /a\.txt {2}\+1 {2}-1/);
    // Neovim would wait for an answer if it found that the file has changed.
    await chat.nvim.command(`${inCode} | call setline(1, "more") | silent write`);
    expect(chat.onDisk('a.txt')).toBe(changed([1, 'more'], [5, 'theirs']));
  },
);
