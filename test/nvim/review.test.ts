import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { drawn, promptText, waitForPhase } from '../support/chat.ts';
import { hasGit } from '../support/git.ts';
import { it } from '../support/it.ts';
import { screenSnapshot } from '../support/snapshot.ts';
import { startWorker, type Worker } from '../support/worker.ts';

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`);
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
const changed = (...changes: readonly [number, string][]) =>
  text(ten.map((line, index) => changes.find(([at]) => at === index + 1)?.[1] ?? line));
const files = { 'a.txt': text(ten), 'b.txt': text(ten), 'sub/c.txt': 'c\n' };

/** The line of the file that the cursor below is on. */
const cursorLine = ({ nvim }: Worker) =>
  nvim.lua<string>(`
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if vim.bo[vim.api.nvim_win_get_buf(win)].buftype == '' then
        local row = vim.api.nvim_win_get_cursor(win)[1]
        return vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))) .. ':' .. row
      end
    end
    return ''`);

const waitForCursor = (worker: Worker, place: string) =>
  worker.nvim.waitFor(async () => (await cursorLine(worker)) === place, `the cursor at ${place}`);

describe.skipIf(!hasGit)('what the agent changed, however', () => {
  it('is listed with its counts', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(
      ['write', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])],
      ['disk', 'sub/new.txt', 'one\ntwo\n'],
      ['sh', 'rm b.txt && mv sub/c.txt sub/d.txt && printf "\\0\\1" > bin'],
    );
    await worker.review();
    await worker.waitForList(
      '▸ ● a.txt  +2  -2  2 hunks',
      '● b.txt  +0  -10  deleted',
      '● bin  new',
      '● sub/c.txt  +0  -1  deleted',
      '● sub/d.txt  +1  -0  was sub/c.txt',
      '● sub/new.txt  +2  -0  new',
    );
  });

  it.for([true, false])(
    'is all taken back by rejecting all, and is back by u (repository: %s)',
    async (isRepository, { start }) => {
      const worker = await startWorker(start, { files, isRepository });
      await worker.does([
        'sh',
        'sed -i s/line/LINE/ a.txt; rm b.txt; chmod +x a.txt; mv sub/c.txt d.txt; printf "\\0" > bin',
      ]);
      await worker.review();
      await worker.nvim.input('gX');
      await worker.waitForList(...Array.from({ length: 5 }, () => /^(▸ )?✗ .* rejected$/));
      for (const [name, content] of Object.entries(files)) expect(worker.onDisk(name)).toBe(content);
      expect([worker.onDisk('d.txt'), worker.onDisk('bin')]).toEqual([undefined, undefined]);
      await worker.nvim.input('u');
      await worker.waitForDisk('d.txt', 'c\n');
      await worker.waitForDisk('a.txt', text(ten).replaceAll('line', 'LINE'));
      await worker.waitForDisk('b.txt', undefined);
      await worker.waitForList(/a\.txt/, /b\.txt/, /bin/, /d\.txt/, /c\.txt/);
    },
  );

  it('is told apart from what the user saves during the turn', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.nvim.command('wincmd t | edit a.txt');
    await worker.begins(
      ['disk', 'a.txt', changed([2, 'TWO'])],
      ['wait', 'go'],
      ['sh', 'sed -i s/five/FIVE/ a.txt; sed -i "s/line 8/EIGHT/" b.txt'],
    );
    await worker.nvim.waitFor(
      async () => (await worker.buffer('a.txt'))[1] === 'TWO',
      'the buffer to follow',
    );
    await worker.nvim.command('call setline(5, "five, mine") | write');
    await worker.nvim.command('edit sub/c.txt | call setline(1, "mine") | write');
    fs.writeFileSync(worker.at('go'), '');
    await waitForPhase(worker.nvim, 'idle');
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +2  -2  2 hunks', '● b.txt  +1  -1', /● go /);
    await worker.nvim.input('gX');
    await worker.waitForDisk('a.txt', changed([5, 'five, mine']));
    await worker.waitForDisk('b.txt', text(ten));
    expect(worker.onDisk('sub/c.txt')).toBe('mine\n');
  });

  it('is known of a file that git ignores, when the agent names it', async ({ start }) => {
    const worker = await startWorker(start, {
      files: { ...files, '.gitignore': '.env\n', '.env': 'KEY=1\n' },
    });
    await worker.does(['disk', '.env', 'KEY=2\n']);
    await worker.review();
    await worker.waitForList('▸ ● .env  +1  -1');
    await worker.nvim.input('X');
    await worker.waitForDisk('.env', 'KEY=1\n');
  });

  it('is a mode too, in a file that is open or not', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.nvim.command('wincmd t | edit a.txt');
    await worker.does(['sh', 'chmod +x a.txt sub/c.txt; sed -i "s/line 2/TWO/" a.txt']);
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +1  -1  executable', '● sub/c.txt  executable');
    await worker.nvim.input('gX');
    await worker.waitForList('▸ ✗ a.txt  rejected', '✗ sub/c.txt  rejected');
    const mode = (name: string) => fs.statSync(worker.at(name)).mode & 0o111;
    expect([worker.onDisk('a.txt'), mode('a.txt'), mode('sub/c.txt')]).toEqual([text(ten), 0, 0]);
    await worker.nvim.input('u');
    await worker.waitForList(/a\.txt .* executable/, /c\.txt .* executable/);
    expect([mode('a.txt'), mode('sub/c.txt')]).toEqual([0o111, 0o111]);
  });

  it('is not what another session in the same folder changed', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['sh', 'sed -i "s/line 2/TWO/" a.txt']);
    await worker.nvim.command('AcpNew');
    await worker.nvim.input('<Esc>');
    const isIdle = (entries: number) =>
      worker.nvim.lua<boolean>(
        "local chat = require('acp.host').request('host.status', {}).chats[2] return chat.phase == 'idle' and chat.entries >= ...",
        entries,
      );
    await worker.nvim.waitFor(() => isIdle(0), 'the second chat');
    await worker.begins(['sh', 'sed -i "s/line 5/FIVE/" b.txt']);
    await worker.nvim.waitFor(() => isIdle(3), 'the end of its turn');
    await worker.review();
    await worker.waitForList('▸ ● b.txt  +1  -1');
    await worker.nvim.lua("require('acp.host').notify('review.open', { chat = 1, scope = 'session' })");
    await worker.nvim.waitForScreen(/▸ ● a\.txt +\+1 +-1/);
    expect(worker.nvim.screen.text()).not.toContain('b.txt');
  });

  it('is not what the user did between two turns', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['sh', 'sed -i "s/line 2/TWO/" a.txt']);
    await worker.review();
    await worker.nvim.input('q');
    fs.writeFileSync(worker.at('a.txt'), changed([2, 'TWO'], [8, 'mine']));
    fs.writeFileSync(worker.at('b.txt'), changed([1, 'mine']));
    await worker.does(['sh', 'sed -i "s/line 5/FIVE/" a.txt']);
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +2  -2  2 hunks');
    await worker.nvim.input('X');
    await worker.waitForDisk('a.txt', changed([8, 'mine']));
  });

  it('of the last turn alone is shown when that is asked for', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['disk', 'a.txt', changed([2, 'TWO'])]);
    await worker.does(['disk', 'a.txt', changed([2, 'TWO'], [8, 'EIGHT'])]);
    await worker.review('turn');
    await worker.waitForList('▸ ● a.txt  +1  -1');
    await worker.nvim.input('X');
    await worker.waitForDisk('a.txt', changed([2, 'TWO']));
  });
});

describe.skipIf(!hasGit)('the review', () => {
  it('goes from hunk to hunk across files', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(
      ['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
    );
    await worker.review();
    await waitForCursor(worker, 'a.txt:2');
    for (const [key, place] of [
      [']h', 'a.txt:9'],
      [']h', 'b.txt:5'],
      [']h', 'a.txt:2'],
      ['[h', 'b.txt:5'],
      ['[h', 'a.txt:9'],
    ] as const) {
      await worker.nvim.input(key);
      await waitForCursor(worker, place);
    }
  });

  it('keeps and rejects single hunks, and takes that back', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['sh', 'sed -i -e "s/line 2/TWO/" -e "s/line 6/SIX/" -e "s/line 9/NINE/" a.txt']);
    await worker.review();
    await waitForCursor(worker, 'a.txt:2');
    await worker.nvim.input('x');
    await worker.waitForDisk('a.txt', changed([6, 'SIX'], [9, 'NINE']));
    await waitForCursor(worker, 'a.txt:6');
    await worker.nvim.input('a');
    await worker.waitForList('▸ ● a.txt  +1  -1');
    await waitForCursor(worker, 'a.txt:9');
    await worker.nvim.input('x');
    await worker.waitForList('▸ ✓ a.txt  partly kept');
    expect(worker.onDisk('a.txt')).toBe(changed([6, 'SIX']));
    await worker.nvim.input('u');
    await worker.waitForDisk('a.txt', changed([6, 'SIX'], [9, 'NINE']));
    await worker.nvim.input('u');
    await worker.waitForList('▸ ● a.txt  +2  -2  2 hunks');
    await worker.nvim.input('u');
    await worker.waitForDisk('a.txt', changed([2, 'TWO'], [6, 'SIX'], [9, 'NINE']));
    await waitForCursor(worker, 'a.txt:2');
  });

  it('keeps a file, or all of them, and takes that back', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(
      ['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
      ['sh', 'rm sub/c.txt'],
    );
    const open = ['● a.txt  +2  -2  2 hunks', '● b.txt  +1  -1', '● sub/c.txt  +0  -1  deleted'];
    await worker.review();
    await worker.waitForList(`▸ ${open[0]}`, open[1]!, open[2]!);
    await worker.nvim.input('A');
    await worker.waitForList('✓ a.txt  kept', `▸ ${open[1]}`, open[2]!);
    await worker.nvim.input('gA');
    await worker.waitForList('✓ a.txt  kept', /✓ b\.txt/, /✓ sub\/c\.txt/);
    expect((await worker.list())[0]).toContain('3 files, all settled');
    await worker.nvim.input('uu');
    await worker.waitForList(`▸ ${open[0]}`, open[1]!, open[2]!);
    expect(worker.onDisk('a.txt')).toBe(changed([2, 'TWO'], [9, 'NINE']));
  });

  it('compares as the user has set it, and leaves that as it is', async ({ start }) => {
    const init = "vim.o.diffopt = 'internal,filler,context:1,iwhite'";
    const worker = await startWorker(start, { files, init });
    await worker.does(['disk', 'a.txt', changed([5, 'line  5'], [9, 'NINE'])]);
    await worker.review();
    await waitForCursor(worker, 'a.txt:5');
    await worker.nvim.input(']h');
    await waitForCursor(worker, 'a.txt:9');
    await worker.nvim.waitForScreen(/\+-- {2}7 lines: line 1/);
    expect(await worker.nvim.lua('return vim.o.diffopt')).toBe('internal,filler,context:1,iwhite');
  });

  it('knows a hunk as settled that the user takes back by hand', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['sh', 'sed -i -e "2,3d" -e "s/line 9/NINE/" a.txt']);
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +1  -3  2 hunks');
    await worker.nvim.command('wincmd b');
    await worker.nvim.input('2Gdo');
    await worker.waitForList('▸ ● a.txt  +1  -1');
    await worker.nvim.input('\\X');
    await worker.waitForDisk('a.txt', text(ten));
  });

  it('means the file that is shown, also in the list, until another is chosen there', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(
      ['disk', 'a.txt', changed([2, 'TWO'])],
      ['disk', 'b.txt', changed([5, 'FIVE'], [9, 'NINE'])],
      ['disk', 'sub/c.txt', 'C\n'],
    );
    await worker.review();
    await waitForCursor(worker, 'a.txt:2');
    await worker.nvim.input(']h');
    await waitForCursor(worker, 'b.txt:5');
    await worker.nvim.waitForScreen('FIVE ◂ 1/2');
    await worker.nvim.input('X');
    await worker.waitForDisk('b.txt', text(ten));
    expect(worker.onDisk('a.txt')).toBe(changed([2, 'TWO']));
    await waitForCursor(worker, 'c.txt:1');
    await worker.nvim.input('ggjX');
    await worker.waitForDisk('a.txt', text(ten));
    expect(worker.onDisk('sub/c.txt')).toBe('C\n');
  });

  it('understands who types ahead of it', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(
      ['sh', 'sed -i -e "s/line 2/TWO/" -e "s/line 6/SIX/" -e "s/line 9/NINE/" a.txt'],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
    );
    await worker.review();
    await waitForCursor(worker, 'a.txt:2');
    await worker.nvim.input('aaux');
    await worker.waitForDisk('a.txt', changed([2, 'TWO'], [9, 'NINE']));
    await waitForCursor(worker, 'a.txt:9');
    await worker.nvim.input(']h]h]hx');
    await worker.waitForDisk('b.txt', text(ten));
    expect(worker.onDisk('a.txt')).toBe(changed([2, 'TWO'], [9, 'NINE']));
  });

  it('leaves the user’s text alone that was typed while it is open', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['sh', 'sed -i -e "s/line 5/FIVE/" -e "s/line 9/NINE/" a.txt']);
    await worker.review();
    await waitForCursor(worker, 'a.txt:5');
    await worker.nvim.command('wincmd b');
    await worker.nvim.input('ggOmine<Esc>7Gomine too<Esc>6G');
    await worker.nvim.input('\\x');
    await worker.waitForDisk(
      'a.txt',
      text(['mine', ...ten.slice(0, 6), 'mine too', ...ten.slice(6, 8), 'NINE', 'line 10']),
    );
    expect(await worker.buffer('a.txt')).toEqual(worker.onDisk('a.txt')?.trim().split('\n'));
    await worker.nvim.command('wincmd t');
    await worker.nvim.input('X');
    await worker.waitForDisk('a.txt', text(['mine', ...ten.slice(0, 6), 'mine too', ...ten.slice(6)]));
  });

  it('stays right as the agent goes on writing', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.begins(
      ['disk', 'a.txt', changed([5, 'FIVE'])],
      ['wait', 'go'],
      ['disk', 'a.txt', text(['new', ...ten.slice(0, 4), 'FIVE', ...ten.slice(5)])],
      ['wait', 'stop'],
    );
    await worker.nvim.waitFor(() => worker.onDisk('a.txt')?.includes('FIVE'), 'the first write');
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +1  -1');
    fs.writeFileSync(worker.at('go'), '');
    await worker.waitForList('▸ ● a.txt  +2  -1  2 hunks', /go/);
    await waitForCursor(worker, 'a.txt:6');
    await worker.nvim.input('x');
    await worker.waitForDisk('a.txt', text(['new', ...ten]));
    fs.writeFileSync(worker.at('stop'), '');
    await waitForPhase(worker.nvim, 'idle');
  });

  it('closes with q and leaves no window, key or mark', async ({ start }) => {
    const worker = await startWorker(start, { files, config: "{ review = 'inline' }" });
    await worker.nvim.command('wincmd t | edit a.txt');
    await worker.does(['disk', 'a.txt', changed([2, 'TWO'])]);
    const state = `
      local buf = vim.fn.bufnr('a.txt')
      return {
        #vim.api.nvim_list_tabpages(), #vim.api.nvim_list_wins(), vim.wo.diff,
        #vim.api.nvim_buf_get_keymap(buf, 'n'), #vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, {}),
      }`;
    const before = await worker.nvim.lua(state);
    await worker.review();
    await waitForCursor(worker, 'a.txt:2');
    expect(await worker.nvim.lua(state)).not.toEqual(before);
    await worker.nvim.input('q');
    await worker.nvim.waitFor(
      async () => JSON.stringify(await worker.nvim.lua(state)) === JSON.stringify(before),
      'nothing to be left',
    );
  });

  it('fills the quickfix list with every hunk', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['sh', 'sed -i -e "s/line 2/TWO/" -e "/line 9/d" a.txt; echo new > b.txt']);
    await worker.nvim.command('AcpReview quickfix');
    const list = () =>
      worker.nvim.lua<string[]>(`
        return vim.tbl_map(function(item)
          return vim.fs.basename(vim.fn.bufname(item.bufnr)) .. ':' .. item.lnum .. ' ' .. item.text
        end, vim.fn.getqflist())`);
    await worker.nvim.waitFor(async () => (await list()).length > 0, 'the list');
    expect(await list()).toEqual(['a.txt:2 +1 -1 TWO', 'a.txt:9 +0 -1 line 9', 'b.txt:1 +1 -10 new']);
  });

  it('fills it with those of the session, also after a look at the last turn', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['sh', 'sed -i "s/line 2/TWO/" a.txt']);
    await worker.does(['sh', 'sed -i "s/line 2/TWO/" b.txt']);
    await worker.nvim.command('AcpReview turn');
    await waitForCursor(worker, 'b.txt:2');
    await worker.nvim.input('q');
    await worker.nvim.waitFor(
      () => worker.nvim.lua('return #vim.api.nvim_list_tabpages() == 1'),
      'one tab page',
    );
    await worker.nvim.command('AcpReview quickfix');
    const count = () => worker.nvim.lua<number>('return #vim.fn.getqflist()');
    await worker.nvim.waitFor(async () => (await count()) > 0, 'the list');
    expect(await count()).toBe(2);
  });

  it('puts what was rejected into the prompt', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['disk', 'a.txt', changed([2, 'TWO'])]);
    await worker.review();
    await worker.nvim.input('x');
    await worker.waitForDisk('a.txt', text(ten));
    await worker.nvim.command('tabfirst | AcpReview tell');
    await worker.nvim.waitFor(async () => (await promptText(worker.nvim)) !== '', 'the prompt');
    expect(await promptText(worker.nvim)).toBe(
      'I rejected these changes of yours; the files are as they were there:\n\na.txt:2\n```diff\n-line 2\n+TWO\n```\n',
    );
  });

  it('asks before it puts back a file outside of the folders', async ({ start }) => {
    const worker = await startWorker(start, { files });
    fs.writeFileSync(worker.at('../outside.txt'), 'one\n');
    await worker.does(['disk', '../outside.txt', 'two\n'], ['disk', 'a.txt', changed([2, 'TWO'])]);
    await worker.nvim.lua(`
      vim.ui.select = function(items, options, done)
        _G.asked = options.prompt
        done(items[1])
      end`);
    await worker.review();
    await worker.nvim.input('gX');
    await worker.waitForDisk('a.txt', text(ten));
    await worker.waitForDisk('../outside.txt', 'one\n');
    expect(await worker.nvim.lua('return _G.asked')).toBe(
      `Outside of the folders of the session: ${fs.realpathSync(worker.at('../outside.txt'))}`,
    );
  });

  it('names what could not be looked at', async ({ start }) => {
    const worker = await startWorker(start, { files, isRepository: false });
    fs.writeFileSync(worker.at('big'), Buffer.alloc(6 * 1024 * 1024));
    await worker.does(['sh', 'echo more >> big']);
    await worker.review();
    await worker.waitForList(
      '',
      'Could not be looked at; changes there are not listed:',
      /^big {2}was changed; it is too large to be kept/,
    );
  });

  it('remembers what was kept when the host is started again', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(
      ['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])],
      ['disk', 'b.txt', changed([5, 'FIVE'])],
    );
    await worker.review();
    await waitForCursor(worker, 'a.txt:2');
    await worker.nvim.input('a');
    await worker.waitForList('▸ ● a.txt  +1  -1', /b\.txt/);
    await worker.nvim.input('q');
    await worker.nvim.attachHost();
    await worker.nvim.lua("require('acp.chats').lost_host('it is replaced', true)");
    await waitForPhase(worker.nvim, 'idle');
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +1  -1', '● b.txt  +1  -1');
    await worker.nvim.input('gX');
    await worker.waitForDisk('a.txt', changed([2, 'TWO']));
    await worker.waitForDisk('b.txt', text(ten));
  });

  it('remembers what was kept when the session is opened again', async ({ start }) => {
    const init = `
      vim.ui.select = function(items, options, done)
        for index, item in ipairs(items) do
          if options.format_item(item):find('disk') then return done(item, index) end
        end
      end`;
    const worker = await startWorker(start, { files, init });
    await worker.does(['disk', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])]);
    await worker.review();
    await waitForCursor(worker, 'a.txt:2');
    await worker.nvim.input('a');
    await worker.waitForList('▸ ● a.txt  +1  -1');
    await worker.nvim.command('AcpClose');
    await worker.nvim.waitFor(
      () => worker.nvim.lua("return require('acp.chats').current() == nil"),
      'no chat',
    );
    await worker.nvim.lua("require('acp.agents').remember('worker')");
    await worker.nvim.command('AcpSessions');
    await worker.nvim.waitFor(
      () => worker.nvim.lua("return require('acp.chats').current() ~= nil"),
      'a chat',
    );
    await waitForPhase(worker.nvim, 'idle');
    await worker.review();
    await worker.waitForList('▸ ● a.txt  +1  -1');
    await worker.nvim.input('X');
    await worker.waitForDisk('a.txt', changed([2, 'TWO']));
  });

  it('shows both sides level, however far down the hunk is', async ({ start }) => {
    const long = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`);
    const worker = await startWorker(start, { files: { 'a.txt': text(long) } });
    const now = long.map((line) => (line === 'line 250' ? 'CHANGED' : line));
    await worker.does(['disk', 'a.txt', text(['new', 'lines', ...now])]);
    await worker.review();
    await worker.nvim.input(']h');
    await waitForCursor(worker, 'a.txt:252');
    await worker.nvim.waitForScreen(/line 250 +│ +CHANGED/);
    expect(worker.nvim.screen.text()).toMatch(/line 244 +│ +line 244/);
  });

  it('shows what was removed above the first line', async ({ start }) => {
    const worker = await startWorker(start, { files });
    await worker.does(['disk', 'a.txt', text(ten.slice(3))]);
    await worker.review();
    await waitForCursor(worker, 'a.txt:1');
    await worker.nvim.waitForScreen(/line 1 +│ +-{9}/);
    await worker.nvim.waitForScreen(/line 4 +│ +line 4/);
  });

  it('shows it inline too, and all of a file that was deleted', async ({ start }) => {
    const worker = await startWorker(start, { files, config: "{ review = 'inline' }" });
    await worker.does(['disk', 'a.txt', text(ten.slice(3))], ['sh', 'rm b.txt']);
    await worker.review();
    await waitForCursor(worker, 'a.txt:1');
    await worker.nvim.waitForScreen(/line 3 *\n *line 4 ◂/);
    await worker.nvim.input(']h');
    await worker.nvim.waitForScreen(/▸ ● b\.txt/);
    await worker.nvim.waitForScreen(/line 1 *\n *line 2/);
  });

  it.for(['q', ':tabclose<CR>'])(
    'leads back to where it was opened, without its title: %s',
    async (keys, { start }) => {
      const worker = await startWorker(start, { files });
      const { nvim } = worker;
      await worker.does(['disk', 'a.txt', changed([2, 'TWO'])]);
      await nvim.command('wincmd t | tabnew | tabfirst');
      const tabs = () => nvim.lua<number>('return #vim.api.nvim_list_tabpages()');
      await worker.review();
      await waitForCursor(worker, 'a.txt:2');
      await nvim.input(keys);
      await nvim.waitFor(async () => (await tabs()) === 2, 'two tab pages');
      if (keys === 'q') expect(await nvim.lua('return vim.fn.tabpagenr()')).toBe(1);
      await nvim.command('tabfirst | wincmd t | edit a.txt');
      expect(await nvim.lua('return { vim.wo.winbar, vim.fn.bufname() }')).toEqual(['', 'a.txt']);
    },
  );

  it.for(['split', 'inline'])('looks like this: %s', async (review, { start }) => {
    const worker = await startWorker(start, { files, config: `{ review = '${review}' }` });
    await worker.does(
      ['disk', 'a.txt', text(['line 1', 'TWO', 'line 3', ...ten.slice(4), 'line 11'])],
      ['disk', 'sub/new.txt', 'one\ntwo\n'],
      ['sh', 'rm b.txt'],
    );
    await worker.review();
    await worker.waitForList(/a\.txt/, /b\.txt/, /new\.txt/);
    await waitForCursor(worker, 'a.txt:2');
    await drawn(worker.nvim);
    await worker.nvim.waitForScreen('line 11');
    expect(screenSnapshot(worker.nvim.screen)).toMatchSnapshot();
  });
});
