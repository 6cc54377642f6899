import { describe, expect } from 'vitest';
import { call, speech } from '../support/agents/messages.ts';
import { type ScriptedChat, startScriptedChat } from '../support/agents/scripted-chat.ts';
import { drawn, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

type Start = Parameters<typeof startScriptedChat>[0];

const luaCode = (name: string) => `\`\`\`lua\nlocal ${name} = 'text'\n\`\`\`\n`;
const prose = (lines: number) => 'A line of prose.\n'.repeat(lines);

/** The colours of code in the buffer, as `row group`. */
async function colours(nvim: TestNvim): Promise<readonly string[]> {
  return nvim.lua(`
    local buf = require('acp.chats').current().buf
    local ns = vim.api.nvim_create_namespace('acp.chat.code_colours')
    return vim.tbl_map(function(mark)
      return vim.api.nvim_buf_get_lines(buf, mark[2], mark[2] + 1, true)[1] .. ' ' .. mark[4].hl_group
    end, vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true }))`);
}

const waitForColour = (nvim: TestNvim, line: string, group: string) =>
  nvim.waitFor(
    async () => (await colours(nvim)).some((found) => found.startsWith(line) && found.includes(group)),
    `${group} in "${line}"`,
  );

async function say(start: Start, ...texts: readonly string[]): Promise<ScriptedChat & { end(): void }> {
  const chat = await startScriptedChat(start, { lines: 30 });
  const { end } = await chat.turn('go', ...texts.map((text) => speech(text)));
  return { ...chat, end };
}

async function sayAll(start: Start, text: string): Promise<TestNvim> {
  const { nvim, end } = await say(start, text);
  end();
  await waitForPhase(nvim, 'idle');
  await drawn(nvim);
  return nvim;
}

/** The first row of the screen with a text, and its column. */
function find(nvim: TestNvim, text: string): { row: number; col: number } {
  const row = nvim.screen.lines().findIndex((line) => line.includes(text));
  return { row, col: nvim.screen.lines()[row]?.indexOf(text) ?? -1 };
}

describe('a code block', () => {
  it('gets its colours while it streams in, and those of later lines too', async ({ start }) => {
    const { nvim, agent, end } = await say(start, "```lua\nlocal first = 'text'\n");
    await waitForColour(nvim, 'local first', '@keyword');
    agent.send(speech("local second = 'te"));
    await waitForColour(nvim, 'local second', '@keyword');
    agent.send(speech("xt'\n```\ndone"));
    end();
    await waitForColour(nvim, 'local second', '@string');
  });

  it('gets the colours of a syntax file without a parser', async ({ start }) => {
    const nvim = await sayAll(start, '```python\ndef greet():\n    return 1\n```\n');
    await waitForColour(nvim, 'def greet', 'pythonStatement');
  });

  it('of a nested list is read without its indentation', async ({ start }) => {
    const nvim = await sayAll(start, "- one\n  - two\n    ```lua\n    local x = 'text'\n    ```\n");
    await waitForColour(nvim, "    local x = 'text'", '@keyword');
  });

  it('of an unknown language has none, and no error', async ({ start }) => {
    const nvim = await sayAll(
      start,
      `\`\`\`../x\nlocal\n\`\`\`\n\`\`\`nonsense\nlocal\n\`\`\`\n${luaCode('x')}`,
    );
    await waitForColour(nvim, 'local x', '@keyword');
    expect((await colours(nvim)).every((line) => line.startsWith('local x'))).toBe(true);
    expect(await nvim.lua("return vim.fn.execute('messages')")).not.toMatch(/E\d+:|Error/);
  });

  it('of a hundred names has one buffer for the syntax of its file type', async ({ start }) => {
    const nvim = await start();
    const count = await nvim.lua<number>(`
      local before = #vim.api.nvim_list_bufs()
      for index = 1, 100 do
        require('acp.chat.drawing.code_highlight').marks(index .. '.py', { 'def f():' }, 0, 1)
      end
      return #vim.api.nvim_list_bufs() - before`);
    expect(count).toBe(1);
  });

  it('gets them only on the screen, and loses them far away', async ({ start }) => {
    const nvim = await sayAll(start, `${luaCode('top')}${prose(600)}${luaCode('bottom')}`);
    await waitForColour(nvim, 'local bottom', '@keyword');
    expect((await colours(nvim)).join()).not.toContain('local top');
    await nvim.input('<C-w>kgg');
    await waitForColour(nvim, 'local top', '@keyword');
    await nvim.waitFor(
      async () => !(await colours(nvim)).join().includes('local bottom'),
      'the lower block to lose its colours',
    );
    await nvim.input('G');
    await waitForColour(nvim, 'local bottom', '@keyword');
  });

  it('of thousands of lines gets those near the screen', async ({ start }) => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `local v${index} = ${index}`).join('\n');
    const nvim = await sayAll(start, `\`\`\`lua\n${lines}\n\`\`\`\n`);
    await waitForColour(nvim, 'local v2999 ', '@keyword');
    expect((await colours(nvim)).length).toBeLessThan(1_000);
    await nvim.input('<C-w>kgg1500G');
    await waitForColour(nvim, 'local v1497 ', '@keyword');
  });

  it('has a background as wide as the window, names its language and hides its fences', async ({ start }) => {
    const nvim = await sayAll(start, `before\n${luaCode('x')}after`);
    await nvim.waitForScreen('local x');
    const { row, col } = find(nvim, 'local x');
    const { screen } = nvim;
    const background = screen.cell(row, col).bg;
    expect(background).not.toBe(screen.background.bg);
    for (const around of [row - 1, row, row + 1])
      expect(screen.cell(around, screen.width - 1).bg).toBe(background);
    for (const outside of [row - 2, row + 2])
      expect(screen.cell(outside, screen.width - 1).bg).toBe(screen.background.bg);
    expect(screen.lines()[row - 1]?.slice(col).trim()).toBe('lua');
    expect(screen.lines()[row + 1]?.slice(col).trim()).toBe('');
  });
});

describe('a change in the chat', () => {
  it('has the colours of its language on backgrounds as wide as the window', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start, { lines: 30 });
    const content = [
      { type: 'diff', path: '/w/a.lua', oldText: 'local x = 1\n', newText: "local x = 'b'\n" },
    ];
    const { end } = await turn(
      'go',
      call('c1', { title: 'a.lua', kind: 'edit', status: 'completed', content }),
    );
    end();
    await waitForPhase(nvim, 'idle');
    await nvim.waitFor(
      async () => (await colours(nvim)).filter((found) => found.includes('@keyword')).length >= 2,
      'the keyword in both lines',
    );
    await drawn(nvim);
    const { screen } = nvim;
    const { row, col } = find(nvim, '+ local x');
    const background = screen.cell(row, col).bg;
    expect(background).not.toBe(screen.background.bg);
    expect(screen.cell(row, screen.width - 1).bg).toBe(background);
  });
});
