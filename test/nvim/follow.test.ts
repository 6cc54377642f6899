import { describe, expect } from 'vitest';
import { waitForPhase, windows } from '../support/chat.ts';
import { it } from '../support/it.ts';
import type { TestNvim } from '../support/nvim.ts';
import { aCall, ObeyingChat } from '../support/obeying.ts';

const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join('');
const files = { 'a.txt': text, 'b.txt': text, 'own.txt': 'own' };
const size = { columns: 130, lines: 28, files, args: ['own.txt'] };

/** What the windows for files show: the name and the line of the cursor. */
const shown = (nvim: TestNvim) =>
  nvim.lua<string[]>(`
    local found = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local buf = vim.api.nvim_win_get_buf(win)
      if vim.bo[buf].buftype == '' then
        local row = vim.api.nvim_win_get_cursor(win)[1]
        table.insert(found, vim.fs.basename(vim.api.nvim_buf_get_name(buf)) .. ':' .. row)
      end
    end
    return found`);

const reading = (path: string, line?: number) =>
  aCall({
    kind: 'read',
    title: 'Read',
    toolCallId: `${path} ${line}`,
    locations: [{ path, ...(line && { line }) }],
  });

// Where it is to be seen that nothing happens, it has to happen at once or never.
const init = 'vim.defer_fn = function(run) vim.schedule(run) end';

describe('a window that follows the agent', () => {
  it('is one of its own beside what the user has, and takes no cursor', async ({ start }) => {
    const chat = await ObeyingChat.start(start, { ...size, config: '{ follow = true }' });
    const { nvim } = chat;
    await nvim.input('ihalf-typed');
    await chat.tell(reading(await chat.at('a.txt'), 42));
    await nvim.waitFor(async () => (await shown(nvim)).includes('a.txt:42'), 'the place');
    expect(await shown(nvim)).toEqual(['own.txt:1', 'a.txt:42']);
    expect(await nvim.lua('return { vim.api.nvim_get_mode().mode, vim.bo.filetype }')).toEqual([
      'i',
      'acp-prompt',
    ]);
    await waitForPhase(nvim, 'idle');
    await chat.tell(reading(await chat.at('a.txt'), 7), reading(await chat.at('b.txt'), 9));
    await nvim.waitFor(async () => (await shown(nvim)).includes('b.txt:9'), 'the next place');
    expect(await shown(nvim)).toEqual(['own.txt:1', 'b.txt:9']);
  });

  it('is the one that was chosen, while the user is elsewhere', async ({ start }) => {
    const chat = await ObeyingChat.start(start, { ...size, init });
    const { nvim } = chat;
    await nvim.command('wincmd t | AcpFollow');
    await chat.tell(reading(await chat.at('a.txt'), 42));
    await waitForPhase(nvim, 'idle');
    await nvim.command('wincmd b');
    await chat.tell(reading(await chat.at('b.txt'), 9));
    await nvim.waitFor(async () => (await shown(nvim)).includes('b.txt:9'), 'the place');
    expect(await shown(nvim)).toEqual(['b.txt:9']);
    await nvim.command('wincmd t');
    await waitForPhase(nvim, 'idle');
    await chat.tell(reading(await chat.at('a.txt'), 1));
    await waitForPhase(nvim, 'idle');
    expect(await shown(nvim)).toEqual(['b.txt:9']);
  });

  it('is none unless it is wanted, and none any more after a second time', async ({ start }) => {
    const chat = await ObeyingChat.start(start, { ...size, init });
    const { nvim } = chat;
    const before = await windows(nvim);
    await chat.tell(reading(await chat.at('a.txt'), 42));
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpFollow | AcpFollow');
    await chat.tell(reading(await chat.at('b.txt'), 42));
    await waitForPhase(nvim, 'idle');
    expect(await windows(nvim)).toEqual(before);
  });
});
