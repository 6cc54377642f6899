import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { mentionNames } from '../../src/prompt/mention-names.ts';
import { promptText, startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { makeRepository } from '../support/system/git.ts';

async function startInFile(
  start: (options?: NvimOptions) => Promise<TestNvim>,
  prompts = '{}',
): Promise<TestNvim> {
  const nvim = await startChat(start, {
    columns: 140,
    files: { 'src/a.lua': 'one\ntwo\nthree\n' },
    config: `{ prompts = ${prompts} }`,
  });
  await nvim.command('wincmd t | edit src/a.lua');
  return nvim;
}

const waitForLine = (nvim: TestNvim, line: string) =>
  nvim.waitFor(async () => (await transcript(nvim)).includes(line), line);

describe('a prompt by name', () => {
  it.for([
    [
      'the line of the cursor',
      'AcpExplain',
      'Explain @src/a.lua:1: what it does, and why it does it this way.',
    ],
    ['a range', '2,3AcpTest', 'Write tests for @src/a.lua:2-3, in the style of the tests that exist.'],
    [
      'a range, by its name',
      '2,3AcpPrompt test',
      'Write tests for @src/a.lua:2-3, in the style of the tests that exist.',
    ],
  ] as const)('is sent about %s', async ([, command, prompt], { start }) => {
    const nvim = await startInFile(start);
    await nvim.command(`${command} hello there`);
    await waitForLine(nvim, prompt);
    expect(await transcript(nvim)).toContain('hello there');
    expect(await nvim.lua('return vim.fn.expand("%")')).toBe('src/a.lua');
  });

  it('about diagnostics is sent only if there are some', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.input(':AcpFix<CR>');
    await nvim.waitForScreen('this buffer has no diagnostics; nothing was sent');
    await nvim.lua(`vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0,
      { { lnum = 1, col = 0, message = 'broken', severity = 1 } })`);
    await nvim.command('2AcpFix');
    await waitForLine(nvim, 'Fix @diagnostics in @src/a.lua:2.');
    const attached = async () => (await transcript(nvim)).some((line) => /^ {2}▪ diagnostics/.test(line));
    await nvim.waitFor(attached, 'the diagnostics');
  });

  it('about staged changes is sent only if there are some', async ({ start }) => {
    const nvim = await startInFile(start);
    makeRepository(nvim.sandbox.cwd);
    await nvim.input(':AcpCommit<CR>');
    await nvim.waitForScreen('no changes are staged; nothing was sent');
    nvim.sandbox.write({ 'new.lua': 'new' });
    execFileSync('git', ['add', 'new.lua'], { cwd: nvim.sandbox.cwd });
    await nvim.command('AcpCommit');
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((line) => line.startsWith('Write a commit message')),
      'the prompt',
    );
  });

  it('goes into the draft with a bang', async ({ start }) => {
    const nvim = await startInFile(start);
    await nvim.command('2AcpExplain! shortly');
    expect(await promptText(nvim)).toBe(
      'Explain @src/a.lua:2: what it does, and why it does it this way.\n\nshortly',
    );
    expect(await nvim.lua('return vim.bo.filetype')).toBe('acp-prompt');
  });

  it('is chosen from a list, and completed', async ({ start }) => {
    const nvim = await startInFile(start, "{ zzz = { text = 'hello {this}', desc = 'Say hello' } }");
    expect(await nvim.lua("return vim.fn.getcompletion('AcpPrompt ', 'cmdline')")).toEqual([
      'commit',
      'explain',
      'fix',
      'review',
      'test',
      'zzz',
    ]);
    await nvim.input(':AcpPrompt<CR>');
    await nvim.waitForScreen(/6: zzz +Say hello/);
    await nvim.input('6<CR>');
    await waitForLine(nvim, 'hello @src/a.lua:1');
  });

  it('can be a function, be replaced and be removed', async ({ start }) => {
    const nvim = await startInFile(
      start,
      `{ fix = false, explain = 'hello {what} @this',
        mine = function(c) return 'hello ' .. c.filetype .. ' ' .. c.this .. ' ' .. c.text end,
        bad = function() error('broken template') end }`,
    );
    await nvim.command('AcpExplain');
    await waitForLine(nvim, 'hello {what} @src/a.lua:1');
    await nvim.command('AcpPrompt mine');
    await waitForLine(nvim, 'hello lua @src/a.lua:1 ');
    await nvim.input(':AcpFix<CR>');
    await nvim.waitForScreen(
      'there is no prompt "fix"; use one of: bad, commit, explain, mine, review, test',
    );
    await nvim.input(':AcpPrompt bad<CR>');
    await nvim.waitForScreen('prompts.bad failed');
  });
});

describe('the option prompts', () => {
  it.for([
    ['{ fix = 3 }', 'prompts.fix is 3; expected a string, a function, a table with text and desc, or false'],
    ['{ fix = { text = 3 } }', 'prompts.fix.text is 3; expected a string or a function'],
    ["{ fix = { text = 'x', desc = 3 } }", 'prompts.fix.desc is 3; expected a string'],
    ["{ ['a b'] = 'x' }", 'prompts has the name "a b"; expected letters, digits, - and _'],
    ["'fix it'", 'prompts is "fix it"; expected a table'],
  ] as const)('is checked: %s', async ([prompts, complaint], { start }) => {
    const nvim = await start();
    expect(
      await nvim.lua(
        `require('acp.config').set({ prompts = ${prompts} }) return require('acp.config').complaints()`,
      ),
    ).toEqual([complaint]);
  });

  it('knows the names of all mentions', async ({ start }) => {
    const nvim = await start();
    const names = await nvim.lua<string[]>("return require('acp.templates').names");
    expect(names.toSorted()).toEqual(mentionNames.map(({ name }) => name).toSorted());
  });
});
