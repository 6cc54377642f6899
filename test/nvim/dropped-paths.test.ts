import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect } from 'vitest';
import { promptText, startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { aPng, aWav } from '../support/pictures.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

/** A chat in a folder with pictures, with the cursor in Insert mode behind `see`. */
async function startWithFiles(
  start: Start,
  init = '',
): Promise<{ nvim: TestNvim; at: (name: string) => string }> {
  const nvim = await startChat(start, { columns: 120, init });
  const at = (name: string) => path.join(nvim.sandbox.cwd, name);
  for (const name of ['a.png', 'my shot.png']) fs.writeFileSync(at(name), aPng());
  fs.writeFileSync(at('b.wav'), aWav);
  fs.writeFileSync(at('notes.txt'), 'text');
  await nvim.input('isee');
  return { nvim, at };
}

/** Pastes as a terminal does: in parts, with an empty one at the end. */
async function dropParts(nvim: TestNvim, ...parts: readonly string[]): Promise<void> {
  for (const [index, part] of parts.entries()) {
    await nvim.lua('vim.api.nvim_paste(...)', part, true, index === 0 ? 1 : 2);
  }
  await nvim.lua('vim.api.nvim_paste(...)', '', true, 3);
}

const paste = (nvim: TestNvim, text: string) => nvim.lua('vim.api.nvim_paste(...)', text, true, -1);

describe('paths of pictures and sounds that are pasted into the prompt', () => {
  it.for<[string, (at: (name: string) => string) => string, string]>([
    ['a path', (at) => at('a.png'), '@a.png'],
    ['a path and a line break', (at) => `${at('a.png')}\n`, '@a.png'],
    ['a path with a blank', (at) => at('my shot.png'), '@"my shot.png"'],
    ['a path in quotes', (at) => `'${at('my shot.png')}'`, '@"my shot.png"'],
    ['a path that is escaped for a shell', (at) => at('my\\ shot.png'), '@"my shot.png"'],
    ['an address', (at) => pathToFileURL(at('my shot.png')).href, '@"my shot.png"'],
    [
      'several paths',
      (at) => `${at('a.png')} '${at('my shot.png')}' ${at('b.wav')}`,
      '@a.png @"my shot.png" @b.wav',
    ],
    [
      'a list of addresses',
      (at) => `${pathToFileURL(at('a.png')).href}\r\n${pathToFileURL(at('b.wav')).href}`,
      '@a.png @b.wav',
    ],
  ])('become mentions: %s', async ([, text, mentions], { start }) => {
    const { nvim, at } = await startWithFiles(start);
    await paste(nvim, text(at));
    expect(await promptText(nvim)).toBe(`see ${mentions} `);
    await nvim.input('<Esc>u');
    expect(await promptText(nvim)).toBe('see');
  });

  it('become mentions when a terminal sends them in parts', async ({ start }) => {
    const { nvim, at } = await startWithFiles(start);
    const whole = at('my shot.png');
    await dropParts(nvim, whole.slice(0, 9), whole.slice(9));
    expect(await promptText(nvim)).toBe('see @"my shot.png" ');
  });

  it.for<[string, (at: (name: string) => string) => string]>([
    ['a text with a path', (at) => ` ${at('a.png')} is broken`],
    ['a file that does not exist', (at) => at('missing.png')],
    ['a file of another kind', (at) => at('notes.txt')],
    ['a quote that is open', (at) => `'${at('a.png')}`],
    ['several lines of text', () => 'one\ntwo'],
  ])('stay as they are if the paste has something else: %s', async ([, text], { start }) => {
    const { nvim, at } = await startWithFiles(start);
    await paste(nvim, text(at));
    expect(await promptText(nvim)).toBe(`see${text(at)}`);
  });

  it('stay as they are in parts too, also if the paste is long', async ({ start }) => {
    const { nvim } = await startWithFiles(start);
    const long = `/${'x'.repeat(6_000)}\n`;
    await dropParts(nvim, long, long, 'end');
    expect(await promptText(nvim)).toBe(`see${long}${long}end`);
  });

  it('stay as they are in other buffers', async ({ start }) => {
    const { nvim, at } = await startWithFiles(start);
    await nvim.input('<Esc>');
    await nvim.command('topleft new');
    await paste(nvim, at('a.png'));
    expect(await nvim.lua('return vim.api.nvim_get_current_line()')).toBe(at('a.png'));
  });

  it('are pasted by the vim.paste() of the user, which is called once', async ({ start }) => {
    const init = `
      _G.pasted = {}
      local before = vim.paste
      vim.paste = function(lines, phase) table.insert(_G.pasted, lines) return before(lines, phase) end`;
    const { nvim, at } = await startWithFiles(start, init);
    await nvim.input('<Esc>');
    await nvim.command('AcpNew tour');
    await nvim.input('<Esc>i');
    await paste(nvim, at('a.png'));
    await paste(nvim, 'words');
    expect(await nvim.lua('return _G.pasted')).toEqual([['@a.png '], ['words']]);
  });
});
