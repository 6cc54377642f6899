import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FaultyChat } from '../support/faults/faulty-chat.ts';
import { shareNvim } from '../support/faults/shared-nvim.ts';
import { drawn, transcript } from '../support/nvim/chat.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { recordQuestions } from '../support/nvim/user.ts';

const nvimOf = shareNvim({ init: recordQuestions, columns: 120, files: { 'note.txt': 'as it was\n' } });

/** How Neovim is blocked, and what ends that. */
interface Blockage {
  readonly name: string;
  block(nvim: TestNvim): unknown;
  release(nvim: TestNvim): unknown;
  /** What the prompt has afterwards. */
  readonly draft?: string;
}

const byKeys = (name: string, keys: string, release: string): Blockage => ({
  name,
  block: (nvim) => nvim.input(keys),
  release: (nvim) => nvim.input(release),
});

const blockages: readonly Blockage[] = [
  {
    name: 'SIGSTOP',
    block: (nvim) => process.kill(nvim.pid, 'SIGSTOP'),
    release: (nvim) => process.kill(nvim.pid, 'SIGCONT'),
  },
  byKeys(':sleep', ':sleep 700m<CR>', ''),
  byKeys('getchar()', ':let g:got = getchar()<CR>', 'x'),
  byKeys('input()', ":let g:got = input('? ')<CR>", 'typed<CR>'),
  byKeys('a hit-enter prompt', ':echo "a\\nb\\nc"<CR>', '<CR>'),
  {
    name: 'text lock',
    block: async (nvim) => {
      await nvim.lua("vim.keymap.set('i', '<F5>', 'nr2char(getchar())', { expr = true })");
      await nvim.input('A<F5>');
    },
    release: (nvim) => nvim.input('x<Esc>'),
    draft: 'a draftx',
  },
  byKeys('the command line', ':let g:got = ', '1<CR>'),
  byKeys('an operator', 'd', '<Esc>'),
  byKeys('the command-line window', 'q:', ':q<CR>'),
];

describe('a Neovim that is blocked while an agent streams and writes', () => {
  it.each(blockages)(
    'shows and writes everything afterwards: $name',
    async ({ block, release, draft = 'a draft' }) => {
      const nvim = nvimOf();
      fs.writeFileSync(nvim.sandbox.path('note.txt'), 'as it was\n');
      await nvim.command('edit! note.txt');
      const chat = await FaultyChat.open(nvim, { stage: 'turn', fault: 'work' });
      await chat.waitForPhase('idle');
      await chat.send('go on');
      await chat.waitForText('half an');
      await chat.type('a draft');
      await chat.waitForPrompt('a draft');
      await block(nvim);
      chat.go();
      await chat.waitForFile('streamed');
      await release(nvim);
      await chat.waitForPhase('idle');
      await chat.waitForText('all is well');
      await drawn(nvim);
      const numbers = (await transcript(nvim)).filter((line) => /^\d+$/.test(line)).map(Number);
      expect(numbers).toEqual(Array.from({ length: 2_000 }, (_, index) => index).slice(-numbers.length));
      expect(numbers.length).toBeGreaterThanOrEqual(1_999);
      expect(fs.readFileSync(nvim.sandbox.path('note.txt'), 'utf8')).toBe('by the agent\n');
      expect(await nvim.lua("return vim.fn.getbufline('note.txt', 1, '$')")).toEqual(['by the agent']);
      await chat.waitForPrompt(draft);
      await chat.close();
    },
  );
});
