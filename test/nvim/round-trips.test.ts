import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { NvimEditor } from '../../src/nvim/editor.ts';
import type { Editor } from '../../src/ports/editor.ts';
import { limits } from '../../src/prompt/limits.ts';
import { openSessionFiles, SharedFiles } from '../../src/workspace/session-files.ts';
import { UserFiles } from '../../src/workspace/user-files.ts';
import { ManualClock } from '../support/doubles/clock.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { aFolder } from '../support/system/temp.ts';

const text = 'one\ntwo\nthree\nfour\n';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

/** Records the operations in Neovim. */
function recordingEditor(nvim: TestNvim, operations: string[]): Editor {
  const neovim = new NvimEditor(nvim.client, new LogDouble());
  return {
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
}

/** A session in a turn, whose operations in Neovim are counted. */
async function countingSession(start: Start, command: string) {
  const nvim = await start({ files: { 'a.txt': text } });
  const cwd = await nvim.lua<string>('return vim.uv.cwd()');
  const file = path.join(cwd, 'a.txt');
  const operations: string[] = [];
  const editor = recordingEditor(nvim, operations);
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

describe('what is sent at the same time', () => {
  it('reaches Neovim in one message, in order and before a later request; a failure stops nothing', async ({
    start,
  }) => {
    const nvim = await start();
    await nvim.lua(`
      _G.seen = {}
      local operations, files = require('acp.operations'), require('acp.buffers').files
      local receive_all = operations.receive_all
      operations.receive_all = function(all)
        table.insert(_G.seen, #all .. ' operations')
        return receive_all(all)
      end
      require('acp.messages').notify = function(message)
        table.insert(_G.seen, message)
        assert(message ~= 'two', 'no two')
      end
      require('acp.buffers').files = function()
        table.insert(_G.seen, 'asked')
        return files()
      end`);
    const log = new LogDouble();
    const editor = new NvimEditor(nvim.client, log);
    for (const message of ['one', 'two', 'three']) editor.notify('info', message);
    await editor.call('buffer.files', {});
    expect(await nvim.lua('return _G.seen')).toEqual(['3 operations', 'one', 'two', 'three', 'asked']);
    expect(log.lines).toEqual([expect.stringMatching(/^error user\.notify failed: .*no two/)]);
  });

  it('shows control and invisible characters in a notification as signs', async ({ start }) => {
    const nvim = await start();
    const editor = new NvimEditor(nvim.client, new LogDouble());
    editor.notify('warn', 'no file \u202egpj.exe\x1b]52;c;eA==\x07 \u200b\ud800a\rb\r\nnext ü 👩‍💻');
    await editor.call('buffer.files', {});
    expect((await nvim.messages()).trim()).toBe('acp: no file �gpj.exe␛]52;c;eA==␇ ��a␍b\nnext ü 👩‍💻');
  });

  it('has only the last state of each chat', async ({ start }) => {
    const nvim = await start();
    await nvim.lua(`
      _G.seen = {}
      require('acp.operations').receive = function(op, payload)
        table.insert(_G.seen, ('%s %s %s'):format(op, payload.chat, payload.isRunning or payload.message))
        return { ok = true }
      end`);
    const editor = new NvimEditor(nvim.client, new LogDouble());
    const tell = (chat: number, isRunning: boolean) =>
      editor.send('prompt.state', { chat, isRunning, canSteer: false, queued: [], isPaused: false });
    tell(1, false);
    editor.notify('info', 'one');
    tell(2, false);
    editor.notify('info', 'one');
    tell(1, true);
    await editor.call('buffer.watch', { paths: [], chat: 3 });
    expect(await nvim.lua('return _G.seen')).toEqual([
      'user.notify nil one',
      'prompt.state 2 nil',
      'user.notify nil one',
      'prompt.state 1 true',
      'buffer.watch 3 nil',
    ]);
  });
});

describe('the files that a prompt mentions', () => {
  /** Files of which every second one has an unsaved buffer. */
  async function mentionedFiles(start: Start, count: number, content: string) {
    const names = Array.from({ length: count }, (_, index) => `file-${index}.txt`);
    const nvim = await start({ files: Object.fromEntries(names.map((name) => [name, content])) });
    const cwd = await nvim.lua<string>('return vim.uv.cwd()');
    await nvim.lua(
      `for index, name in ipairs(...) do
         if index % 2 == 1 then
           local buf = vim.fn.bufadd(name)
           vim.fn.bufload(buf)
           vim.api.nvim_buf_set_lines(buf, 0, 1, false, { 'unsaved' })
         end
       end`,
      names,
    );
    const operations: string[] = [];
    const files = new UserFiles(recordingEditor(nvim, operations), limits);
    return {
      nvim,
      cwd,
      operations,
      read: () => Promise.all(names.map((name) => files.read(path.join(cwd, name)))),
    };
  }

  it('are looked for in a few requests, however many they are', async ({ start }) => {
    const { operations, read } = await mentionedFiles(start, 60, 'one\ntwo\n');
    const texts = (await read()).map((source) => (source.kind === 'text' ? source.text : source.kind));
    expect(texts).toEqual(Array.from({ length: 30 }, () => ['unsaved\ntwo\n', 'one\ntwo\n']).flat());
    expect(new Set(operations)).toEqual(new Set(['buffer.read_all']));
    expect(operations.length).toBeLessThan(30);
  });

  it('are read in several requests if their buffers have much text', async ({ start }) => {
    const { operations, read } = await mentionedFiles(start, 8, `one\n${'x'.repeat(100_000)}\n`);
    const sizes = (await read()).map((source) => (source.kind === 'text' ? source.size : source.kind));
    expect(sizes).toEqual([100_009, 100_005, 100_009, 100_005, 100_009, 100_005, 100_009, 100_005]);
    expect(operations.length).toBeGreaterThanOrEqual(4);
  });

  it('are found in buffers that were opened by another name', async ({ start }) => {
    const { nvim, cwd, operations } = await mentionedFiles(start, 1, 'one\n');
    fs.mkdirSync(path.join(cwd, 'real'));
    fs.writeFileSync(path.join(cwd, 'real/a.txt'), 'one\n');
    fs.symlinkSync('real', path.join(cwd, 'link'));
    await nvim.command('edit link/a.txt | call setline(1, "mine")');
    const files = new UserFiles(recordingEditor(nvim, operations), limits);
    expect(await files.read(path.join(cwd, 'real/a.txt'))).toMatchObject({ text: 'mine\n' });
  });
});
