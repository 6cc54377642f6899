import { isDeepStrictEqual } from 'node:util';
import { describe, expect } from 'vitest';
import { startEditingChat, type WriteOrder } from '../support/agents/programmable-chat.ts';
import { drawn, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { recordQuestions, User } from '../support/nvim/user.ts';
import { hasGit } from '../support/system/git.ts';

const lines = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`);
const text = `${lines.join('\n')}\n`;
const changed = text.replace('line 6', 'line 66');
const orders: readonly WriteOrder[] = ['client first', 'disk first', 'at once'];

/** The user has unsaved text in the first line of a file. */
async function typed(start: (options?: NvimOptions) => Promise<TestNvim>) {
  const chat = await startEditingChat(start, { files: { 'a.txt': text }, init: recordQuestions });
  const { nvim } = chat;
  await nvim.command('wincmd t | edit a.txt | call setline(1, "line 1, unsaved")');
  const becomes = (...expected: string[]) =>
    nvim.waitFor(async () => isDeepStrictEqual(await chat.buffer('a.txt'), expected), `${expected}`);
  const said = async (words: string) => {
    await drawn(nvim);
    return (await transcript(nvim)).filter((line) => line.includes(words));
  };
  const isModified = () => nvim.lua('return vim.bo[vim.fn.bufnr(...)].modified', chat.at('a.txt'));
  return { chat, nvim, user: new User(nvim), becomes, said, isModified };
}

describe.skipIf(!hasGit)('an agent that writes a file through the client and by itself', () => {
  it.for(orders)(
    'keeps unsaved text unsaved in the buffer, with one notice: %s',
    async (order, { start }) => {
      const { chat, becomes, said, isModified, user } = await typed(start);
      await chat.run(['twice', 'a.txt', changed, order]);
      await chat.run(['sh', 'true']);
      await becomes(...lines.with(0, 'line 1, unsaved').with(5, 'line 66'));
      expect(chat.onDisk('a.txt')).toBe(changed);
      expect(await isModified()).toBe(true);
      expect(await said('unsaved text')).toHaveLength(1);
      expect(await user.timesAsked).toBe(0);
      await chat.review();
      await chat.waitForList('› ○ a.txt  +1  -1');
    },
  );

  it('keeps a save of the user between the two writes', async ({ start }) => {
    const { chat, nvim, becomes, isModified } = await typed(start);
    await chat.begin(['twice', 'a.txt', changed, 'later']);
    await chat.waitForDisk('a.txt', changed);
    await becomes(...lines.with(0, 'line 1, unsaved').with(5, 'line 66'));
    await nvim.command('silent write');
    expect(chat.onDisk('a.txt')).toBe(changed.replace('line 1\n', 'line 1, unsaved\n'));
    await nvim.command('call writefile([], "go")');
    await nvim.waitFor(isModified, 'what was saved to be unsaved again');
    await becomes(...lines.with(0, 'line 1, unsaved').with(5, 'line 66'));
    expect(chat.onDisk('a.txt')).toBe(changed);
  });

  it('may change what the user has saved since, if its call says that it has read that', async ({
    start,
  }) => {
    const { chat, nvim, becomes, isModified, said } = await typed(start);
    await chat.run(['write', 'a.txt', changed]);
    await nvim.command('silent write');
    await chat.run(['disk', 'a.txt', changed]);
    await becomes(...lines.with(5, 'line 66'));
    expect(await isModified()).toBe(false);
    expect(chat.onDisk('a.txt')).toBe(changed);
    expect(await said('unsaved text')).toHaveLength(1);
  });

  it('causes one question if it writes the file while the question is open', async ({ start }) => {
    const { chat, nvim, becomes, user, isModified } = await typed(start);
    const theirs = changed.replace('line 1\n', 'line 1, theirs\n');
    await chat.begin(['twice', 'a.txt', theirs, 'later']);
    await nvim.waitForScreen('Nothing is written');
    await nvim.command('call writefile([], "go")');
    await nvim.waitForScreen('? Changed on disk and in the buffer');
    await nvim.waitForScreen('You have unsaved changes in lines');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'one question');
    await nvim.command('AcpAnswer');
    await nvim.waitFor(async () => (await user.timesAsked) > 0, 'the question');
    while ((await user.timesAsked) > 0 && !(await user.nextLabels()).includes('Use the version on disk'));
    await user.pick('Use the version on disk');
    await becomes(...theirs.trim().split('\n'));
    await waitForPhase(nvim, 'idle');
    expect(await isModified()).toBe(false);
    expect(chat.onDisk('a.txt')).toBe(theirs);
    await chat.run(['sh', 'true']);
    const rows = (await transcript(nvim)).filter((line) =>
      /edit .*a\.txt|asked|withdrawn|cancelled|conflict/.test(line),
    );
    expect(rows).toEqual([
      expect.stringMatching(/✓ edit .*a\.txt/),
      '· conflict: a.txt  Use the version on disk',
    ]);
  });

  it.for(orders)('causes one question if the user changed the same lines: %s', async (order, { start }) => {
    const { chat, nvim, becomes, said, user, isModified } = await typed(start);
    const theirs = changed.replace('line 1\n', 'line 1, theirs\n');
    await chat.begin(['twice', 'a.txt', theirs, order]);
    if (order === 'client first') await nvim.waitForScreen('wants to edit');
    else await nvim.waitForScreen('? Changed on disk and in the buffer');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'one question');
    await nvim.command('AcpAnswer');
    await user.nextLabels();
    await user.pick('Keep mine');
    await becomes(...lines.with(0, 'line 1, unsaved').with(5, 'line 66'));
    await chat.run(['sh', 'true']);
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 0"), 'no question');
    expect(chat.onDisk('a.txt')).toBe(theirs);
    expect(await isModified()).toBe(true);
    expect(await user.timesAsked).toBe(1);
    expect(await said('cancelled')).toEqual([]);
    expect(await said('Keep mine')).toHaveLength(1);
  });
});
