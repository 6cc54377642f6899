import { isDeepStrictEqual } from 'node:util';
import { describe, expect } from 'vitest';
import { drawn, transcript, waitForPhase } from '../support/chat.ts';
import { hasGit } from '../support/git.ts';
import { it } from '../support/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim.ts';
import { Chooser, recordSelect } from '../support/obeying.ts';
import { startWorker, type WriteOrder } from '../support/worker.ts';

const lines = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`);
const text = `${lines.join('\n')}\n`;
const changed = text.replace('line 6', 'line 66');
const orders: readonly WriteOrder[] = ['client first', 'disk first', 'at once'];

/** The user has unsaved text in the first line of a file. */
async function typed(start: (options?: NvimOptions) => Promise<TestNvim>) {
  const worker = await startWorker(start, { files: { 'a.txt': text }, init: recordSelect });
  const { nvim } = worker;
  await nvim.command('wincmd t | edit a.txt | call setline(1, "line 1, unsaved")');
  const becomes = (...expected: string[]) =>
    nvim.waitFor(async () => isDeepStrictEqual(await worker.buffer('a.txt'), expected), `${expected}`);
  const said = async (words: string) => {
    await drawn(nvim);
    return (await transcript(nvim)).filter((line) => line.includes(words));
  };
  const isModified = () => nvim.lua('return vim.bo[vim.fn.bufnr(...)].modified', worker.at('a.txt'));
  return { worker, nvim, user: new Chooser(nvim), becomes, said, isModified };
}

describe.skipIf(!hasGit)('an agent that lets the client write a file and writes it itself too', () => {
  it.for(orders)(
    'leaves unsaved text in the buffer, unsaved, and says so once: %s',
    async (order, { start }) => {
      const { worker, becomes, said, isModified, user } = await typed(start);
      await worker.does(['twice', 'a.txt', changed, order]);
      await worker.does(['sh', 'true']);
      await becomes(...lines.with(0, 'line 1, unsaved').with(5, 'line 66'));
      expect(worker.onDisk('a.txt')).toBe(changed);
      expect(await isModified()).toBe(true);
      expect(await said('unsaved text')).toHaveLength(1);
      expect(await user.timesAsked).toBe(0);
      await worker.review();
      await worker.waitForList('▸ ● a.txt  +1  -1');
    },
  );

  it('keeps what the user saved between the two writes', async ({ start }) => {
    const { worker, nvim, becomes, isModified } = await typed(start);
    await worker.does(['write', 'a.txt', changed], ['sh', 'echo > b.txt']);
    await nvim.command('silent write');
    expect(worker.onDisk('a.txt')).toBe(changed.replace('line 1\n', 'line 1, unsaved\n'));
    await worker.does(['disk', 'a.txt', changed]);
    await nvim.waitFor(isModified, 'what was saved to be unsaved again');
    await becomes(...lines.with(0, 'line 1, unsaved').with(5, 'line 66'));
    expect(worker.onDisk('a.txt')).toBe(changed);
  });

  it('is asked about once in the chat when it writes the file while the question is open', async ({
    start,
  }) => {
    const { worker, nvim, becomes, user, isModified } = await typed(start);
    const theirs = changed.replace('line 1\n', 'line 1, theirs\n');
    await worker.begins(['twice', 'a.txt', theirs, 'later']);
    await nvim.waitForScreen('Nothing is written');
    await nvim.command('call writefile([], "go")');
    await nvim.waitForScreen('? Changed on disk and here');
    await nvim.waitForScreen('You have unsaved text in the same lines');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'one question');
    await nvim.command('AcpAnswer');
    await nvim.waitFor(async () => (await user.timesAsked) > 0, 'the question');
    while ((await user.timesAsked) > 0 && !(await user.asked()).includes('Take what is on disk'));
    await user.pick('Take what is on disk');
    await becomes(...theirs.trim().split('\n'));
    await waitForPhase(nvim, 'idle');
    expect(await isModified()).toBe(false);
    expect(worker.onDisk('a.txt')).toBe(theirs);
    await worker.does(['sh', 'true']);
    const rows = (await transcript(nvim)).filter((line) =>
      /edit .*a\.txt|asked|taken back|cancelled|on disk and here/.test(line),
    );
    expect(rows).toEqual([
      expect.stringMatching(/✓ edit .*a\.txt/),
      expect.stringMatching(/✓ edit .*a\.txt/),
      '· changed on disk and here  Take what is on disk',
    ]);
  });

  it.for(orders)('is asked about once where both changed the same lines: %s', async (order, { start }) => {
    const { worker, nvim, becomes, said, user, isModified } = await typed(start);
    const theirs = changed.replace('line 1\n', 'line 1, theirs\n');
    await worker.begins(['twice', 'a.txt', theirs, order]);
    if (order === 'client first') await nvim.waitForScreen('wants to edit');
    else await nvim.waitForScreen('? Changed on disk and here');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'one question');
    await nvim.command('AcpAnswer');
    await user.asked();
    await user.pick('Keep mine');
    await becomes(...lines.with(0, 'line 1, unsaved').with(5, 'line 66'));
    await worker.does(['sh', 'true']);
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 0"), 'no question');
    expect(worker.onDisk('a.txt')).toBe(theirs);
    expect(await isModified()).toBe(true);
    expect(await user.timesAsked).toBe(1);
    expect(await said('cancelled')).toEqual([]);
    expect(await said('Keep mine')).toHaveLength(1);
  });
});
