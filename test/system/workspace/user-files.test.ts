import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/prompt/limits.ts';
import { UserFiles } from '../../../src/workspace/user-files.ts';
import { answerWithoutBuffers, EditorDouble } from '../../support/doubles/editor.ts';
import { aFolder } from '../../support/system/temp.ts';

const megabyte = 1024 * 1024;

function closedEditor(): EditorDouble {
  return Object.assign(new EditorDouble(), { call: answerWithoutBuffers });
}

/** Files on a disk, and a Neovim in which none of them is open. */
function aDisk() {
  const folder = aFolder();
  const files = new UserFiles(closedEditor(), limits);
  const at = (name: string) => path.join(folder, name);
  return {
    at,
    write: (name: string, content: string | Uint8Array) => fs.writeFileSync(at(name), content),
    read: (name: string, first?: number, last = first) =>
      files.read(at(name), first === undefined ? undefined : { first, last: last! }),
  };
}

describe('a file that the user mentions', () => {
  it('is missing', async () => {
    expect(await aDisk().read('none.txt')).toEqual({ kind: 'missing' });
  });

  it('is missing below a file, as if it were a folder', async () => {
    const disk = aDisk();
    disk.write('a.txt', 'a\n');
    expect(await disk.read('a.txt/b')).toEqual({ kind: 'missing' });
  });

  it('is a folder', async () => {
    const disk = aDisk();
    fs.mkdirSync(disk.at('sub'));
    expect(await disk.read('sub')).toEqual({ kind: 'folder' });
    expect(await disk.read('sub', 1, 3)).toEqual({ kind: 'folder' });
  });

  it('is binary', async () => {
    const disk = aDisk();
    disk.write('a.bin', Buffer.from([1, 2, 0, 3]));
    expect(await disk.read('a.bin')).toEqual({ kind: 'binary', size: 4 });
  });

  it('is empty', async () => {
    const disk = aDisk();
    disk.write('empty.txt', '');
    expect(await disk.read('empty.txt')).toEqual({ kind: 'text', text: '', size: 0 });
  });

  it('has 500 MB, of which only the beginning is looked at', async () => {
    const disk = aDisk();
    disk.write('sparse', 'a text at first\n'.repeat(1_000));
    fs.truncateSync(disk.at('sparse'), 500 * megabyte);
    const before = process.memoryUsage().rss;
    expect(await disk.read('sparse')).toEqual({ kind: 'large', size: 500 * megabyte });
    expect(await disk.read('sparse', 2)).toMatchObject({ kind: 'text', text: 'a text at first\n' });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * megabyte);
  });

  it('has one line of 100 MB, of which no more than a few megabytes are read', async () => {
    const disk = aDisk();
    disk.write('wide', Buffer.alloc(100 * megabyte, 'x'));
    const before = process.memoryUsage().rss;
    expect(await disk.read('wide', 1)).toEqual({ kind: 'large', size: 100 * megabyte });
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * megabyte);
  });

  it.skipIf(process.getuid?.() === 0)('may not be read', async () => {
    const disk = aDisk();
    disk.write('secret', 'x\n');
    fs.chmodSync(disk.at('secret'), 0);
    expect(await disk.read('secret')).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringContaining('permission denied'),
    });
  });

  it('is reached through a symlink', async () => {
    const disk = aDisk();
    disk.write('a.txt', 'a\n');
    fs.symlinkSync('a.txt', disk.at('link'));
    expect(await disk.read('link')).toMatchObject({ kind: 'text', text: 'a\n' });
  });

  it('is a symlink that leads nowhere, or to itself', async () => {
    const disk = aDisk();
    fs.symlinkSync('nothing', disk.at('broken'));
    fs.symlinkSync('loop', disk.at('loop'));
    expect(await disk.read('broken')).toEqual({ kind: 'missing' });
    expect(await disk.read('loop')).toMatchObject({ kind: 'unreadable' });
  });

  it('is a pipe, which is not waited for', async () => {
    const disk = aDisk();
    execFileSync('mkfifo', [disk.at('pipe')]);
    expect(await disk.read('pipe')).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringContaining('is not a regular file'),
    });
  });

  it('is a device, which is not read', async () => {
    const files = new UserFiles(closedEditor(), limits);
    expect(await files.read('/dev/zero')).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringContaining('is not a regular file'),
    });
  });

  it.each([
    ['Latin-1', Buffer.from('gr\xfc\xdfe\n', 'latin1'), 'grüße\n'],
    ['UTF-16', Buffer.from('\ufeffgrüße\n', 'utf16le'), 'grüße\n'],
    ['CRLF', Buffer.from('a\r\nb\r\n'), 'a\r\nb\r\n'],
  ])('is in %s', async (_, bytes, text) => {
    const disk = aDisk();
    disk.write('a.txt', bytes);
    expect(await disk.read('a.txt')).toMatchObject({ kind: 'text', text });
  });

  it.skipIf(process.platform !== 'linux')('says that it is empty, as those of the kernel do', async () => {
    const files = new UserFiles(closedEditor(), limits);
    const source = await files.read('/proc/self/status');
    expect(source.kind === 'text' && source.text).toMatch(/^Name:/);
  });

  it('is read whole, beyond the bytes that its type is found by', async () => {
    const disk = aDisk();
    const text = 'a line of text\n'.repeat(2_000);
    disk.write('a.txt', text);
    expect(await disk.read('a.txt')).toEqual({ kind: 'text', text, size: text.length });
  });

  it('has fewer lines than the range', async () => {
    const disk = aDisk();
    disk.write('a.txt', 'one\ntwo\n');
    expect(await disk.read('a.txt', 2, 99)).toMatchObject({ text: 'two\n' });
    expect(await disk.read('a.txt', 50, 99)).toMatchObject({ text: '' });
  });
});

describe('a file that is open', () => {
  /** Files on a disk, and a Neovim that has one of them open with this text. */
  function anOpenFile(name: string, text: string) {
    const folder = aFolder();
    const lines = text.replace(/\n$/, '').split('\n');
    const buffer = { buf: 1, tick: 1, joined: lines.join('\n'), isEnded: true, ending: '\n', hasBom: false };
    const call = async (_: string, { paths }: { paths: readonly string[] }) =>
      paths.map((file) => (path.basename(file) === name ? { buffer } : {}));
    const files = new UserFiles(Object.assign(new EditorDouble(), { call }) as never, limits);
    return { file: path.join(folder, name), read: () => files.read(path.join(folder, name)) };
  }

  it.each([
    ['as it is on disk', Buffer.from('a\nb\n'), undefined],
    ['as it is on disk but for its line ends', Buffer.from('a\r\nb\r\n'), undefined],
    ['as it is on disk but for its encoding', Buffer.from('\ufeffa\nb\n', 'utf16le'), undefined],
    ['with unsaved text', Buffer.from('a\n'), true],
    ['larger on disk than what is read', Buffer.alloc(2 * megabyte, 'x'), true],
  ])('has a text %s', async (_, onDisk, isUnsaved) => {
    const { file, read } = anOpenFile('a.txt', 'a\nb\n');
    fs.writeFileSync(file, onDisk);
    expect(await read()).toEqual({ kind: 'text', text: 'a\nb\n', size: 4, ...(isUnsaved && { isUnsaved }) });
  });

  it('is unsaved if it is not written yet', async () => {
    expect(await anOpenFile('new.txt', 'a\n').read()).toMatchObject({ text: 'a\n', isUnsaved: true });
  });
});
