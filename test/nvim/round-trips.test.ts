import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { NvimEditor } from '../../src/nvim/editor.ts';
import type { Editor } from '../../src/ports/editor.ts';
import { openSessionFiles, SharedFiles } from '../../src/workspace/session-files.ts';
import { ManualClock } from '../support/doubles/clock.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { aFolder } from '../support/system/temp.ts';

const text = 'one\ntwo\nthree\nfour\n';

/** A session in a turn, whose operations in Neovim are counted. */
async function countingSession(start: (options?: NvimOptions) => Promise<TestNvim>, command: string) {
  const nvim = await start({ files: { 'a.txt': text } });
  const cwd = await nvim.lua<string>('return vim.uv.cwd()');
  const file = path.join(cwd, 'a.txt');
  const neovim = new NvimEditor(nvim.client, new LogDouble());
  const operations: string[] = [];
  const editor: Editor = {
    call: (op, payload) => {
      operations.push(op);
      return neovim.call(op, payload);
    },
    send: (op, payload) => {
      operations.push(op);
      neovim.send(op, payload);
    },
    notify: (level, message) => neovim.notify(level, message),
  };
  const options = {
    ...{ chat: 1, cwd, directories: [], changesFolder: path.join(aFolder(), 'state') },
    ...{ consent: async () => true, report: () => undefined },
  };
  const parts = { editor, clock: new ManualClock(), log: new LogDouble(), shared: new SharedFiles(editor) };
  const { files, changes } = openSessionFiles(options, parts);
  onTestFinished(() => changes!.end());
  await nvim.command(command);
  await changes!.beginTurn('go');
  /** Replaces the second line, and gives the operations of that. */
  const write = async (line: string) => {
    operations.length = 0;
    await files.write({ path: file, content: text.replace('two', line) });
    expect(fs.readFileSync(file, 'utf8')).toBe(text.replace('two', line));
    return [...operations];
  };
  return { nvim, write };
}

describe('one fs/write_text_file asks Neovim', () => {
  it('twice for an open buffer: for its text, and to change and save it', async ({ start }) => {
    const { write } = await countingSession(start, 'edit a.txt');
    const operations = ['buffer.write_target', 'buffer.change'];
    expect(await write('first')).toEqual(operations);
    expect(await write('second')).toEqual(operations);
  });

  it('twice for a buffer with unsaved text, which stays unsaved', async ({ start }) => {
    const { nvim, write } = await countingSession(start, 'edit a.txt | call setline(4, "mine")');
    const operations = ['buffer.write_target', 'buffer.change'];
    expect(await write('first')).toEqual(operations);
    expect(await write('second')).toEqual(operations);
    expect(await nvim.lua('return vim.fn.getline(4)')).toBe('mine');
  });

  it('twice for a file without a buffer: before the write, and whether one was opened meanwhile', async ({
    start,
  }) => {
    const { write } = await countingSession(start, 'enew');
    const operations = ['buffer.write_target', 'buffer.read'];
    expect(await write('first')).toEqual(operations);
    expect(await write('second')).toEqual(operations);
  });
});
