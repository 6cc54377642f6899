import { describe } from 'vitest';
import { speech } from '../support/agents/messages.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { shortOrLong } from '../support/long.ts';
import { drawn, promptText, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { fc } from '../support/property.ts';

/** One line of numbered words. */
const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `word${from + index}`).join(' ');

/** Waits for a word in the windows of the chat; a row may end in the middle of it. */
async function waitForWord(nvim: TestNvim, word: string): Promise<void> {
  const isShown = () =>
    nvim.screen
      .lines()
      .map((line) => line.split('│')[1]?.slice(1) ?? '')
      .join('')
      .includes(word);
  await nvim.waitFor(isShown, `the word ${word}`);
}

describe('a paragraph that is taller than the window', () => {
  it('shows its end while it streams and after', async ({ start }) => {
    const { nvim, agent, turn } = await startScriptedChat(start);
    const { end } = await turn('tell me', speech(words(0, 300)));
    await waitForWord(nvim, 'word299');
    for (const from of [300, 350, 400]) {
      agent.send(speech(` ${words(from, from + 50)}`));
      await waitForWord(nvim, `word${from + 49}`);
      await waitForWord(nvim, `word${from + 20}`);
    }
    end();
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await waitForWord(nvim, 'word449');
    await waitForWord(nvim, 'word400');
  });

  it('shows its end when it arrives in one piece', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start);
    const { end } = await turn('tell me', speech(`${words(0, 400)}\n\n${words(400, 900)}`));
    end();
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await waitForWord(nvim, 'word899');
    await waitForWord(nvim, 'word850');
  });

  it('is followed on a second tab page and in a small window', async ({ start }) => {
    const { nvim, agent, turn } = await startScriptedChat(start, { lines: 14 });
    const { end } = await turn('tell me', speech(words(0, 300)));
    await waitForWord(nvim, 'word299');
    await nvim.command('tabnew | AcpChat');
    await waitForWord(nvim, 'word299');
    agent.send(speech(` ${words(300, 400)}`));
    await waitForWord(nvim, 'word399');
    end();
    await waitForPhase(nvim, 'idle');
    await nvim.command('tabprevious');
    await waitForWord(nvim, 'word399');
  });

  it('can be read from its beginning line by line', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start);
    const { end } = await turn('tell me', speech(words(0, 400)));
    end();
    await waitForPhase(nvim, 'idle');
    await waitForWord(nvim, 'word399');
    await nvim.input('<Esc><C-w>kgg');
    await nvim.waitForScreen(/word0\b/);
    await nvim.input('20<C-e>');
    await waitForWord(nvim, 'word200');
    await nvim.input('45<C-e>');
    await waitForWord(nvim, 'word399');
  });

  it('is shown around the cursor in the prompt', async ({ start }) => {
    const { nvim } = await startScriptedChat(start);
    await nvim.lua('vim.fn.setreg("a", ...)', words(0, 200));
    await nvim.input('i<C-r><C-o>a');
    await waitForWord(nvim, 'word199');
    await waitForWord(nvim, 'word170');
    await nvim.input('<CR>more');
    await waitForWord(nvim, 'more');
    await waitForWord(nvim, 'word199');
    await nvim.input('<Esc>gg0');
    await nvim.waitForScreen(/word0\b/);
    await nvim.input('G');
    await waitForWord(nvim, 'more');
  });
});

/** The rows of the transcript on the screen, without its margin and the one that stays empty at its end. */
async function transcriptRows(nvim: TestNvim): Promise<string[]> {
  const [row, column, height] = await nvim.lua<[number, number, number]>(`
    local win = vim.fn.bufwinid(require('acp.chats').current().buf)
    local info = vim.fn.getwininfo(win)[1]
    return { info.winrow + info.winbar, info.wincol + info.textoff, info.height }`);
  const shown = nvim.screen.lines().map((line) => line.slice(column - 1));
  return shown.slice(row - 1, row + height - 2);
}

/** Waits until the last paragraph is in sight to its end, or fills the window with it. */
async function waitForEnd(nvim: TestNvim, paragraph: string, what: string): Promise<void> {
  const [first, last] = [paragraph.split(' ')[0]!, paragraph.split(' ').at(-1)!];
  await nvim.waitFor(async () => {
    const rows = await transcriptRows(nvim);
    const text = rows.join('');
    const isFull = rows.filter((row) => row.trim() === '').length <= 2;
    return nvim.screen.isUpToDate && text.includes(last) && (isFull || text.includes(first));
  }, `the end of the answer ${what}`);
}

describe('while a prompt is written below an answer', () => {
  it('its end stays in sight, at any height and length', { timeout: shortOrLong(60_000, 1_800_000) }, async ({
    start,
  }) => {
    const { nvim, turn } = await startScriptedChat(start);
    let last = 0;
    const cases = fc.record({
      height: fc.integer({ min: 14, max: 44 }),
      // Rows of the answer over those of the window.
      surplus: fc.integer({ min: -3, max: 6 }),
      typed: fc.integer({ min: 90, max: 300 }),
      paragraphs: fc.constantFrom(1, 1, 2),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ height, surplus, typed, paragraphs }) => {
        await nvim.resize(100, height);
        await nvim.input('<Esc><C-w>b<Esc>');
        const count = Math.round(((height - 5 + surplus) * 41) / 7 / paragraphs);
        const answer = Array.from({ length: paragraphs }, () => {
          const text = words(last + 1000, last + 1000 + count);
          last += count;
          return text;
        });
        const paragraph = answer.at(-1)!;
        const { end } = await turn('tell me', speech(answer.join('\n\n')));
        end();
        await waitForPhase(nvim, 'idle');
        await drawn(nvim);
        await waitForEnd(nvim, paragraph, 'before anything is typed');
        const write = async (keys: string, text: string) => {
          await nvim.input(keys);
          await nvim.waitFor(async () => (await promptText(nvim)) === text, 'the text of the prompt');
        };
        const many = 'x'.repeat(typed);
        await write(`i${many}`, many);
        await waitForEnd(nvim, paragraph, 'above a prompt that has grown');
        await write('<CR>more<CR>and more<CR>', `${many}\nmore\nand more\n`);
        await waitForEnd(nvim, paragraph, 'above a prompt of many rows');
        await write('<Esc>ggdG', '');
        await waitForEnd(nvim, paragraph, 'above a prompt that is empty again');
        await nvim.input('<C-w>kgg');
        await nvim.waitFor(() => nvim.lua("return vim.fn.line('.') == 1"), 'the first line');
        await nvim.input('G');
        await nvim.waitFor(() => nvim.lua("return vim.fn.line('.') == vim.fn.line('$')"), 'the last line');
        await waitForEnd(nvim, paragraph, 'after G');
        await nvim.input('<C-w>j');
        await nvim.resize(100, height - 4);
        await waitForEnd(nvim, paragraph, 'on a lower screen');
      }),
      { numRuns: shortOrLong(25, 300), endOnFailure: true },
    );
  });

  it('what is read in the middle of it stays where it is', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start);
    const { end } = await turn('tell me', speech(words(1000, 1600)));
    end();
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await nvim.input('<Esc><C-w>kgg40<C-e>');
    await waitForWord(nvim, 'word1250');
    const top = (await transcriptRows(nvim))[0]!;
    await nvim.input('<C-w>j');
    for (const keys of [`i${'x'.repeat(90)}`, '<CR>two<CR>three', '<Esc>ggdG']) {
      await nvim.input(keys);
      await nvim.waitFor(
        async () => (await transcriptRows(nvim))[0] === top,
        `the same first row after ${keys.slice(0, 9)}`,
      );
    }
  });
});
