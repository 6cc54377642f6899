import { describe } from 'vitest';
import { speech } from '../support/agents/messages.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { drawn, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

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
