import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { startEditingChat } from '../support/agents/programmable-chat.ts';
import { waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { changed, files, ten, text } from '../support/nvim/review-files.ts';
import { hasGit } from '../support/system/git.ts';

describe.skipIf(!hasGit)('a change of the agent', () => {
  it('is listed with its counts', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(
      ['write', 'a.txt', changed([2, 'TWO'], [9, 'NINE'])],
      ['disk', 'sub/new.txt', 'one\ntwo\n'],
      ['sh', 'rm b.txt && mv sub/c.txt sub/d.txt && printf "\\0\\1" > bin'],
    );
    await chat.review();
    await chat.waitForList(
      '› ○ a.txt  +2  -2  2 hunks',
      '○ b.txt  -10  deleted',
      '○ bin  new',
      '○ sub/c.txt  -1  deleted',
      '○ sub/d.txt  +1  was sub/c.txt',
      '○ sub/new.txt  +2  new',
    );
  });

  it.for([true, false])(
    'is reverted by rejecting all, and restored by u (repository: %s)',
    async (isRepository, { start }) => {
      const chat = await startEditingChat(start, { files, isRepository });
      await chat.run([
        'sh',
        'sed -i s/line/LINE/ a.txt; rm b.txt; chmod +x a.txt; mv sub/c.txt d.txt; printf "\\0" > bin',
      ]);
      await chat.review();
      await chat.nvim.input('gX');
      await chat.waitForList(...Array.from({ length: 5 }, () => /^(› )?✗ .* rejected$/));
      for (const [name, content] of Object.entries(files)) expect(chat.onDisk(name)).toBe(content);
      expect([chat.onDisk('d.txt'), chat.onDisk('bin')]).toEqual([undefined, undefined]);
      await chat.nvim.input('u');
      await chat.waitForDisk('d.txt', 'c\n');
      await chat.waitForDisk('a.txt', text(ten).replaceAll('line', 'LINE'));
      await chat.waitForDisk('b.txt', undefined);
      await chat.waitForList(/a\.txt/, /b\.txt/, /bin/, /d\.txt/, /c\.txt/);
    },
  );

  it('is distinguished from what the user saves during the turn', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.nvim.command('wincmd t | edit a.txt');
    await chat.begin(
      ['disk', 'a.txt', changed([2, 'TWO'])],
      ['wait', 'go'],
      ['sh', 'sed -i s/five/FIVE/ a.txt; sed -i "s/line 8/EIGHT/" b.txt'],
    );
    await chat.nvim.waitFor(async () => (await chat.buffer('a.txt'))[1] === 'TWO', 'the buffer to follow');
    await chat.nvim.command('call setline(5, "five, mine") | write');
    await chat.nvim.command('edit sub/c.txt | call setline(1, "mine") | write');
    fs.writeFileSync(chat.at('go'), '');
    await waitForPhase(chat.nvim, 'idle');
    await chat.review();
    await chat.waitForList('› ○ a.txt  +2  -2  2 hunks', '○ b.txt  +1  -1', /○ go /);
    await chat.nvim.input('gX');
    await chat.waitForDisk('a.txt', changed([5, 'five, mine']));
    await chat.waitForDisk('b.txt', text(ten));
    expect(chat.onDisk('sub/c.txt')).toBe('mine\n');
  });

  it('is in the last line of its turn, also if a queued prompt follows at once', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.begin(['sh', 'sed -i "s/line 2/TWO/" a.txt']);
    await chat.begin(['wait', 'go']);
    await chat.nvim.waitForScreen(/1 file \+1 -1.*You.*"wait"/s);
    fs.writeFileSync(chat.at('go'), '');
  });

  it('is tracked in a file that git ignores if the agent names it', async ({ start }) => {
    const chat = await startEditingChat(start, {
      files: { ...files, '.gitignore': '.env\n', '.env': 'KEY=1\n' },
    });
    await chat.run(['disk', '.env', 'KEY=2\n']);
    await chat.review();
    await chat.waitForList('› ○ .env  +1  -1');
    await chat.nvim.input('X');
    await chat.waitForDisk('.env', 'KEY=1\n');
  });

  it('may be a file mode, in an open file or not', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.nvim.command('wincmd t | edit a.txt');
    await chat.run(['sh', 'chmod +x a.txt sub/c.txt; sed -i "s/line 2/TWO/" a.txt']);
    await chat.review();
    await chat.waitForList('› ○ a.txt  +1  -1  executable', '○ sub/c.txt  executable');
    await chat.nvim.input('gX');
    await chat.waitForList('› ✗ a.txt  rejected', '✗ sub/c.txt  rejected');
    const mode = (name: string) => fs.statSync(chat.at(name)).mode & 0o111;
    expect([chat.onDisk('a.txt'), mode('a.txt'), mode('sub/c.txt')]).toEqual([text(ten), 0, 0]);
    await chat.nvim.input('u');
    await chat.waitForList(/a\.txt .* executable/, /c\.txt .* executable/);
    expect([mode('a.txt'), mode('sub/c.txt')]).toEqual([0o111, 0o111]);
  });

  it('does not include changes of another session in the same folder', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['sh', 'sed -i "s/line 2/TWO/" a.txt']);
    // Until its files are compared, the first session takes every change for its own.
    await chat.nvim.waitForScreen(/1 file +\+1 -1/);
    await chat.nvim.command('AcpNew');
    await chat.nvim.input('<Esc>');
    const isIdle = (entries: number) =>
      chat.nvim.lua<boolean>(
        "local chat = require('acp.host').request('host.status', {}).chats[2] return chat.phase == 'idle' and chat.entries >= ...",
        entries,
      );
    await chat.nvim.waitFor(() => isIdle(0), 'the second chat');
    await chat.begin(['sh', 'sed -i "s/line 5/FIVE/" b.txt']);
    await chat.nvim.waitFor(() => isIdle(3), 'the end of its turn');
    await chat.review();
    await chat.waitForList('› ○ b.txt  +1  -1');
    await chat.nvim.lua("require('acp.host').notify('review.open', { chat = 1, scope = 'session' })");
    await chat.nvim.waitForScreen(/› ○ a\.txt +\+1 +-1/);
    expect(chat.nvim.screen.text()).not.toContain('b.txt');
  });

  it('does not include changes of the user between two turns', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['sh', 'sed -i "s/line 2/TWO/" a.txt']);
    await chat.review();
    await chat.nvim.input('q');
    fs.writeFileSync(chat.at('a.txt'), changed([2, 'TWO'], [8, 'mine']));
    fs.writeFileSync(chat.at('b.txt'), changed([1, 'mine']));
    await chat.run(['sh', 'sed -i "s/line 5/FIVE/" a.txt']);
    await chat.review();
    await chat.waitForList('› ○ a.txt  +2  -2  2 hunks');
    await chat.nvim.input('X');
    await chat.waitForDisk('a.txt', changed([8, 'mine']));
  });

  it('is limited to the last turn by :AcpReview turn', async ({ start }) => {
    const chat = await startEditingChat(start, { files });
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'])]);
    await chat.run(['disk', 'a.txt', changed([2, 'TWO'], [8, 'EIGHT'])]);
    await chat.review('turn');
    await chat.waitForList('› ○ a.txt  +1  -1');
    await chat.nvim.input('X');
    await chat.waitForDisk('a.txt', changed([2, 'TWO']));
  });
});
