import { describe, expect } from 'vitest';
import { startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { openFiles } from '../support/nvim/open-files.ts';

// Neovim raises "Keyboard interrupt" in whatever runs when <C-c> arrives. Typing it in a callback makes that certain.
const typeOnce = "if not vim.g.typed then vim.g.typed = true vim.api.nvim_input('<C-c>') end";

const lines = ['one', 'two', 'three', 'four', 'five'];
const text = `${lines.join('\n')}\n`;
const changed = 'ONE\ntwo\nthree\nfour\nFIVE\n';

describe('<C-c> that is typed while Neovim works for an agent', () => {
  it.for([
    ['changes a buffer', `vim.api.nvim_buf_attach(0, false, { on_lines = function() ${typeOnce} end })`],
    [
      'saves a buffer',
      `vim.api.nvim_create_autocmd('BufWritePre', { callback = function() ${typeOnce} end })`,
    ],
  ] as const)('leaves a write whole that %s', async ([, prepare], { start }) => {
    const { nvim, write, onDisk } = await openFiles(
      start,
      { 'a.txt': text },
      'vim.g.acp = { format_on_write = true }',
    );
    await nvim.command('edit a.txt');
    await nvim.lua(prepare);
    await write('a.txt', changed);
    expect(await nvim.lua('return vim.g.typed')).toBe(true);
    expect(onDisk('a.txt')).toBe(changed);
    expect(await nvim.lines()).toEqual(changed.trimEnd().split('\n'));
    await nvim.command('undo');
    expect(await nvim.lines()).toEqual(lines);
  });

  it('stops the turn and leaves the transcript whole', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.lua(
      `vim.api.nvim_buf_attach(require('acp.chats').current().buf, false, { on_lines = function() ${typeOnce} end })`,
    );
    await nvim.command('AcpSend hang');
    await waitForPhase(nvim, 'idle');
    await nvim.waitFor(
      async () => (await transcript(nvim)).includes('· Stopped.'),
      'the end of the turn in the transcript',
    );
    expect((await transcript(nvim)).slice(0, 2)).toEqual(['Tour', expect.stringContaining('Welcome')]);
  });
});
