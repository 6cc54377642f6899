import { describe, expect } from 'vitest';
import { speech } from '../support/agents/messages.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { drawn, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const table = '| a | long heading |\n|-|-|\n| one more | `b` |';

async function say(start: Parameters<typeof startScriptedChat>[0], text: string): Promise<TestNvim> {
  const { nvim, turn } = await startScriptedChat(start, { columns: 100, lines: 30 });
  const { end } = await turn('go', speech(text));
  end();
  await waitForPhase(nvim, 'idle');
  await drawn(nvim);
  return nvim;
}

/** The rows of the chat. */
const rows = (nvim: TestNvim) => nvim.screen.lines().map((line) => line.slice(line.indexOf('│') + 1).trim());

describe('markdown in an answer', () => {
  it('draws bullets, quotes and rules, and shows the text of links', async ({ start }) => {
    const nvim = await say(start, '- a point\n> said\n\n---\n\nsee [the docs](https://x.y/z)\nend');
    await nvim.waitForScreen('the docs');
    expect(rows(nvim)).toEqual(expect.arrayContaining(['• a point', '▎ said', 'see the docs']));
    expect(rows(nvim).some((row) => /^─{20,}$/.test(row))).toBe(true);
    expect(nvim.screen.lines().join('\n')).not.toContain('x.y/z');
  });

  it('indents the wrapped rows of a quotation to its text', async ({ start }) => {
    const nvim = await say(start, `> first${' word'.repeat(12)} last\n\nend`);
    await nvim.waitForScreen(/▎ first word/);
    const chat = nvim.screen.lines().map((line) => line.slice(line.indexOf('│') + 1));
    const at = chat.findIndex((row) => row.includes('▎ first'));
    expect(chat[at + 1]!.search(/\S/)).toBe(chat[at]!.indexOf('first'));
  });

  it('is highlighted as it grows, and far above the end too', async ({ start }) => {
    const { nvim, agent, turn } = await startScriptedChat(start, { columns: 100, lines: 30 });
    const { end } = await turn('go', speech('begin\n'));
    await nvim.waitForScreen('begin');
    agent.send(speech('- a **bo'));
    await nvim.waitForScreen('• a **bo');
    agent.send(speech(`ld** point\n- another\n\n${table}\n\n> said\n`));
    await nvim.waitForScreen('▎ said');
    expect(rows(nvim)).toEqual(expect.arrayContaining(['• a bold point', '• another']));
    const many = Array.from({ length: 200 }, (_, index) => `1. *word* ${index}\n`);
    agent.send(speech(`${many.join('')}the end`));
    end();
    await nvim.waitForScreen('the end');
    expect(rows(nvim)).toContain('1. word 199');
    expect(rows(nvim).filter((row) => row.includes('*word*'))).toEqual([]);
    await nvim.input('<C-w>kgg');
    await nvim.waitForScreen('• a bold point');
    expect(rows(nvim)).toEqual(expect.arrayContaining(['• another', '▎ said', '1. word 0']));
    expect(rows(nvim).some((row) => /^├─+┼─+┤$/.test(row))).toBe(true);
  });

  it('draws code that streams in without a background on the line of the activity', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 100, lines: 30 });
    const { end } = await turn('go', speech('```js\nlet a;'));
    await nvim.waitForScreen(/let a;[\s\S]*working/);
    await drawn(nvim);
    const backgroundOf = (text: string) => {
      const row = nvim.screen.lines().findIndex((line) => line.includes(text));
      return nvim.screen.cell(row, nvim.screen.width - 1).bg;
    };
    expect(backgroundOf('let a;')).not.toBe(nvim.screen.background.bg);
    expect(backgroundOf('working')).toBe(nvim.screen.background.bg);
    end();
    await waitForPhase(nvim, 'idle');
  });

  it('shows its markup on the line of the cursor', async ({ start }) => {
    const nvim = await say(start, '- a point\n\n---\n\nsee [the docs](https://x.y/z)\nend');
    await nvim.input('<C-w>kgg/docs<CR>');
    await nvim.waitForScreen('https://x.y/z');
    await nvim.input('/---<CR>');
    await nvim.waitFor(() => rows(nvim).includes('---'), 'the rule as it is written');
  });

  it('aligns a table once it is complete, and again when the window is narrower', async ({ start }) => {
    const nvim = await say(start, `${table}\n| two | ${'word '.repeat(30)}|\nafter`);
    await nvim.waitForScreen('after');
    expect((await transcript(nvim)).find((line) => line.startsWith('| two'))).toMatch(
      /^\| two {6}\| word word.*… \|$/,
    );
    await nvim.waitFor(() => rows(nvim).some((row) => /^├─+┼─+┤$/.test(row)), 'the line below the heading');
    const width = () => rows(nvim).find((row) => row.startsWith('├'))?.length ?? 0;
    const before = width();
    await nvim.command('wincmd k | vertical resize 34');
    await nvim.waitFor(() => width() > 0 && width() < before, 'the narrower table');
    expect(width()).toBeLessThanOrEqual(33);
  });

  it('aligns a table at the end of a message', async ({ start }) => {
    const nvim = await say(start, table);
    await nvim.waitFor(
      async () => (await transcript(nvim)).includes('| one more | b            |'),
      'the aligned table',
    );
  });
});
