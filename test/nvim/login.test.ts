import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { converse, drawn, transcript, waitForPhase, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { answerImmediately, readWholePrompts } from '../support/nvim/user.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

/** A chat with a tour that requires a login; pickers choose the item with this beginning. */
async function startAtTheDoor(start: Start, choice: string): Promise<TestNvim> {
  const nvim = await start({
    columns: 140,
    init: `
      vim.g.acp = { agents = { tour = { env = { ACP_TOUR_PACE = '0', ACP_TOUR_LOGIN = vim.fn.getcwd() .. '/in' } } } }
      ${answerImmediately}${readWholePrompts}
      vim.ui.select = function(items, options, on_choice)
        for _, item in ipairs(items) do
          local label = options.format_item(item)
          if vim.startswith(label, '${choice}') or label == 'Run it' then return on_choice(item) end
        end
      end`,
  });
  await nvim.attachHost();
  await nvim.command('AcpChat tour');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'login');
  return nvim;
}

describe('an agent that requires a login', () => {
  it('is reported with what to do', async ({ start }) => {
    const nvim = await startAtTheDoor(start, 'Wave');
    await nvim.waitForScreen('? log in · :AcpLogin');
    expect(await transcript(nvim)).toContain('! Tour wants you to log in: Authentication required');
  });

  it('is logged in by its own method, and then gets the waiting prompt', async ({ start }) => {
    const nvim = await startAtTheDoor(start, 'Wave');
    await nvim.command('AcpSend hello');
    await nvim.waitForScreen('1 queued');
    await nvim.command('AcpLogin');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('hello'), 'the prompt');
    expect(await transcript(nvim)).toContain('· You are logged in to Tour.');
    await waitForPhase(nvim, 'idle');
  });

  it('is logged in in a terminal, and then gets the waiting prompt', async ({ start }) => {
    const nvim = await startAtTheDoor(start, 'Say');
    await nvim.command('AcpSend hello');
    await nvim.command('AcpLogin');
    await nvim.waitForScreen('Log in to the tour?');
    await nvim.input('yes<CR>');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('hello'), 'the prompt');
    expect((await transcript(nvim)).join('\n')).toContain(
      '· The login command has finished. Tour was restarted.',
    );
    expect(await windows(nvim)).toHaveLength(3);
  });

  it('shows the full command of a terminal login, and runs it only after confirmation', async ({ start }) => {
    const nvim = await startAtTheDoor(start, 'Say');
    await nvim.lua(`
      local select = vim.ui.select
      vim.ui.select = function(items, options, on_choice)
        if options.format_item(items[1]) ~= 'Run it' then return select(items, options, on_choice) end
        _G.shown = options.prompt
        on_choice(items[2])
      end`);
    await nvim.command('AcpLogin');
    await nvim.waitFor(() => nvim.lua<boolean>('return _G.shown ~= nil'), 'the question');
    expect(await nvim.lua('return _G.shown')).toMatch(
      /^Run this command in a terminal to log in to tour: .*node.* --login$/i,
    );
    await drawn(nvim);
    expect((await transcript(nvim)).join('\n')).toMatch(/· To log in, this command runs.*\n {2}.* --login\n/);
    expect(await windows(nvim)).not.toContain('terminal');
    expect(nvim.screen.text()).not.toContain('Log in to the tour?');
  });

  it('stays logged out when the login in the terminal fails', async ({ start }) => {
    const nvim = await startAtTheDoor(start, 'Say');
    await nvim.command('AcpLogin');
    await nvim.waitForScreen('Log in to the tour?');
    await nvim.input('no<CR>');
    await nvim.waitFor(
      async () => (await transcript(nvim)).includes('! The login command exited with code 1.'),
      'the notice',
    );
    await waitForPhase(nvim, 'login');
  });

  it('requires a login again after a logout, and gets the prompt after it', async ({ start }) => {
    const nvim = await startAtTheDoor(start, 'Wave');
    await nvim.command('AcpLogin');
    await waitForPhase(nvim, 'idle');
    await converse(nvim, 'hello');
    await nvim.command('AcpLogout');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('· Logged out.'), 'the logout');
    await nvim.command('AcpSend help');
    await waitForPhase(nvim, 'login');
    await nvim.command('AcpLogin');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect((await transcript(nvim)).join('\n')).toContain('See how failures look');
  });
});

describe('an agent that requires an API key', () => {
  const agent = path.resolve(import.meta.dirname, '../fixtures/agents/environment-key.mjs');
  const config = (fields: string) =>
    `{ agents = { keyed = { command = { ${JSON.stringify(process.execPath)}, ${JSON.stringify(agent)} }, ${fields} } } }`;

  async function startWithoutKey(start: Start, fields: string): Promise<TestNvim> {
    const init = `
      vim.g.acp = ${config(fields)}
      vim.ui.select = function(items, _, on_choice) on_choice(items[1]) end`;
    const nvim = await start({ columns: 140, init });
    await nvim.attachHost();
    await nvim.command('AcpChat keyed');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'login');
    return nvim;
  }

  it('gets the key that the user types, which is neither shown nor stored', async ({ start }) => {
    const nvim = await startWithoutKey(start, "env = { GEMINI_API_KEY = '' }");
    await nvim.command('AcpSend hello');
    await nvim.input(':AcpLogin<CR>');
    await nvim.waitForScreen('Key for Keyed (GEMINI_API_KEY):');
    await nvim.input('top-secret<CR>');
    await nvim.waitForScreen('a key of 10 characters');
    expect(await transcript(nvim)).toContain('· You are logged in to Keyed.');
    expect(nvim.screen.text()).not.toContain('top-secret');
    expect(await nvim.command('messages')).not.toContain('top-secret');
    expect(filesWith(nvim.sandbox.root, 'top-secret')).toEqual([]);
  });

  it('is not restarted when the user types no key', async ({ start }) => {
    const nvim = await startWithoutKey(start, "env = { GEMINI_API_KEY = '' }");
    await nvim.input(':AcpLogin<CR>');
    await nvim.waitForScreen('Key for Keyed (GEMINI_API_KEY):');
    await nvim.input('<C-c>');
    await nvim.waitForScreen((text) => !text.includes('Key for Keyed'));
    await waitForPhase(nvim, 'login');
  });
});

function filesWith(folder: string, text: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => contentOf(file).includes(text));
}

/** A temporary file may be gone when it is read. */
function contentOf(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
