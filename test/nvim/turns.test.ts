import { describe, expect } from 'vitest';
import { speech } from '../support/agents/messages.ts';
import { startEditingChat } from '../support/agents/programmable-chat.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { drawn, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

/** The rows of the chat that have the bar of the user. */
const barred = (nvim: TestNvim) =>
  nvim.screen
    .lines()
    .flatMap((line) => /│▎(.*)/.exec(line)?.[1]?.trim() ?? [])
    .map((text) => text.replace(/ +\d\d:\d\d$/, ''));

describe('what the user said', () => {
  it('has a bar at its left edge, also on wrapped rows, and the answer has none', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 80 });
    const words = 'some words that are too long for one row of the window';
    const { end } = await turn(words, speech('# One\n## Two\n### Three\nThe answer.'));
    end();
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen('The answer.');
    const [heading, ...rows] = barred(nvim);
    expect(heading).toBe('You');
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.join(' ')).toBe(words);
  });

  it('has no bar beside the line below it, where the activity is shown', async ({ start }) => {
    const { nvim, agent } = await startScriptedChat(start, { columns: 80 });
    await nvim.lua("require('acp').send('go')");
    const request = await agent.receive('session/prompt');
    await nvim.waitForScreen('● ');
    await nvim.waitFor(() => barred(nvim).join() === 'You,go', 'the bar beside the prompt only');
    agent.reply(request, { stopReason: 'end_turn' });
    await waitForPhase(nvim, 'idle');
  });

  it('is folded if it is long, and opens with za', async ({ start }) => {
    const { nvim, agent } = await startScriptedChat(start, { columns: 80 });
    const pasted = Array.from({ length: 40 }, (_, index) => `pasted ${index + 1}`).join('\\n');
    await nvim.lua(`require('acp').send("${pasted}")`);
    const request = await agent.receive('session/prompt');
    agent.send(speech('Read.'));
    agent.reply(request, { stopReason: 'end_turn' });
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await transcript(nvim)).toContain('… 28 more lines · za shows all');
    expect(await transcript(nvim)).not.toContain('pasted 13');
    await nvim.input('<Esc><C-w>k/pasted 5<CR>za');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('pasted 40'), 'the whole prompt');
    await nvim.input('za');
    await nvim.waitFor(async () => !(await transcript(nvim)).includes('pasted 40'), 'the folded prompt');
  });
});

describe('names and headings', () => {
  const styleAt = (nvim: TestNvim, text: string) => {
    const lines = nvim.screen.lines();
    const row = lines.findIndex((line) => line.includes(text));
    return nvim.screen.cell(row, lines[row]!.indexOf(text));
  };

  it('differ: names are bold, and each level of heading is weaker', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 80 });
    const { end } = await turn('go', speech('# One\n## Two\n### Three\nThe answer.'));
    end();
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen('The answer.');
    expect([styleAt(nvim, 'You').bold, styleAt(nvim, 'Tester').bold]).toEqual([true, true]);
    const headings = ['One', 'Two', 'Three'].map((text) => styleAt(nvim, text));
    const looks = headings.map(({ fg, bold, italic }) => JSON.stringify({ fg, bold, italic }));
    expect(new Set(looks).size).toBe(3);
    expect(headings.map(({ fg }) => fg)).not.toContain(styleAt(nvim, 'Tester').fg);
  });
});

describe('a turn that changed files', () => {
  it('ends with a line that says so, and <CR> on it opens the review', async ({ start }) => {
    const chat = await startEditingChat(start);
    const { nvim } = chat;
    await chat.run(['disk', 'a.txt', 'one\ntwo\n'], ['disk', 'b.txt', 'three\n']);
    await nvim.waitForScreen(/✓ [\d.]+ s · 2 files \+3 · :AcpReview/);
    expect((await transcript(nvim)).at(-2)).toMatch(/^✓ .*:AcpReview$/);
    await nvim.input('<C-w>k/AcpReview<CR><CR>');
    await nvim.waitForScreen('Changes by');
  });
});

describe('an empty chat', () => {
  it('tells what it is and how to begin, until something is said', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 120 });
    await nvim.waitForScreen('<C-s> sends · @ mentions a file · g? keys');
    expect(nvim.screen.lines().join('\n')).toMatch(/│ Tester/);
    const { end } = await turn('go', speech('Hello.'));
    end();
    await nvim.waitForScreen('Hello.');
    expect(nvim.screen.lines().join('\n')).not.toContain('mentions a file');
  });

  it('has a line for each hint in a narrow window', async ({ start }) => {
    const { nvim } = await startScriptedChat(start, { columns: 60 });
    await nvim.waitForScreen(/<C-s> sends\s[\s\S]*@ mentions a file\s[\s\S]*g\? keys/);
  });
});
