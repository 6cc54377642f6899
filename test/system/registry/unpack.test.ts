import fs from 'node:fs';
import path from 'node:path';
import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ArchiveKind, unpack } from '../../../src/registry/unpack.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { anOddTarball, aTarball, type TarEntry } from '../../support/system/tarball.ts';
import { aFolder } from '../../support/system/temp.ts';
import { aZip, type ZipEntry } from '../../support/system/zip.ts';
import { waitFor } from '../../support/wait.ts';

const link = 0o120777;

/** The names in the test folder and in its `unpacked` folder, without following links. */
function namesIn(home: string): string[] {
  return [...fs.readdirSync(home), ...fs.readdirSync(path.join(home, 'unpacked'))].filter(
    (name) => name !== 'deep',
  );
}

/** Unpacks into a nested folder, so that files written outside of it are noticed. */
async function unpackHere(kind: ArchiveKind, archive: Buffer) {
  const home = aFolder();
  const file = path.join(home, 'archive');
  fs.writeFileSync(file, archive);
  const folder = path.join(home, 'unpacked', 'deep');
  const failure = await unpack(file, folder, { kind, maxBytes: 10_000, maxFiles: 10 }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  return {
    folder,
    failure,
    escaped: namesIn(home).filter((name) => !['archive', 'unpacked'].includes(name)),
  };
}

/** Content in a gzip file, uncompressed. The name in its header is so long that 64 kB of the file have one byte of content. */
function gzipWithLongName(content: Buffer): Buffer {
  const fixed = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
  const parts = [content.subarray(0, 1)];
  for (let at = 1; at < content.length; at += 60_000) parts.push(content.subarray(at, at + 60_000));
  const blocks = parts.map((part, index) => storedBlock(part, index === parts.length - 1));
  const name = Buffer.alloc(64 * 1024 - fixed.length - blocks[0]!.length - 1, 'n');
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(content), 0);
  end.writeUInt32LE(content.length, 4);
  return Buffer.concat([fixed, name, Buffer.from([0]), ...blocks, end]);
}

function storedBlock(content: Buffer, isLast: boolean): Buffer {
  const header = Buffer.from([isLast ? 1 : 0, 0, 0, 0, 0]);
  header.writeUInt16LE(content.length, 1);
  header.writeUInt16LE(0xffff - content.length, 3);
  return Buffer.concat([header, content]);
}

describe('unpack with a tar.gz', () => {
  it('keeps the executable bits of the files', async () => {
    const { folder, failure } = await unpackHere(
      'tar',
      await aTarball({ 'bin/agent': 'run', 'a.txt': 'text' }),
    );
    expect(failure).toBeUndefined();
    expect(fs.readFileSync(path.join(folder, 'bin/agent'), 'utf8')).toBe('run');
    expect(fs.statSync(path.join(folder, 'bin/agent')).mode & 0o111).not.toBe(0);
  });

  it('gives no file the rights of its owner or group', async () => {
    const { folder } = await unpackHere('tar', anOddTarball([{ path: 'agent', text: 'run', mode: 0o6755 }]));
    expect(fs.statSync(path.join(folder, 'agent')).mode & 0o7777).toBe(0o755);
  });

  it('gives the user all rights and others no right to write', async () => {
    const { folder } = await unpackHere(
      'tar',
      anOddTarball([
        { path: 'lib', type: 'Directory', mode: 0 },
        { path: 'lib/text', text: 'x', mode: 0 },
        { path: 'agent', text: 'run', mode: 0o777 },
      ]),
    );
    const modeOf = (name: string) => fs.statSync(path.join(folder, name)).mode & 0o777;
    expect(['lib', 'lib/text', 'agent'].map(modeOf)).toEqual([0o700, 0o600, 0o755]);
  });

  it('accepts links that stay inside', async () => {
    const { folder, failure } = await unpackHere(
      'tar',
      anOddTarball([
        { path: 'lib/agent', text: 'run' },
        { path: 'agent', type: 'SymbolicLink', linkpath: 'lib/agent' },
      ]),
    );
    expect(failure).toBeUndefined();
    expect(fs.readFileSync(path.join(folder, 'agent'), 'utf8')).toBe('run');
  });

  it.each<[string, TarEntry[], string]>([
    ['a path to a parent folder', [{ path: '../evil', text: 'x' }], '../evil is outside of the archive'],
    [
      'a path that leaves the folder later',
      [{ path: 'a/../../evil', text: 'x' }],
      'is outside of the archive',
    ],
    ['an absolute path', [{ path: '/acp-evil', text: 'x' }], '/acp-evil is outside of the archive'],
    [
      'a link to the outside',
      [{ path: 'evil', type: 'SymbolicLink', linkpath: '/etc' }],
      'absolute linkpath',
    ],
    [
      'a link to a parent folder',
      [{ path: 'evil', type: 'SymbolicLink', linkpath: '../..' }],
      'linkpath escapes',
    ],
    [
      'a broken link',
      [{ path: 'evil', type: 'SymbolicLink', linkpath: 'gone' }],
      'links outside of the archive',
    ],
    [
      'a file behind a link',
      [
        { path: 'up', type: 'SymbolicLink', linkpath: '..' },
        { path: 'up/evil', text: 'x' },
      ],
      'archive',
    ],
    [
      'a link through another link',
      [
        { path: 'here', type: 'SymbolicLink', linkpath: '.' },
        { path: 'evil', type: 'SymbolicLink', linkpath: 'here/..' },
      ],
      'links outside of the archive',
    ],
    [
      'a path to a parent folder in an extended header',
      [
        { path: 'pax', type: 'ExtendedHeader', text: '16 path=../evil\n' },
        { path: 'a', text: 'x' },
      ],
      '../evil is outside of the archive',
    ],
    [
      'a larger size in an extended header',
      [
        { path: 'pax', type: 'ExtendedHeader', text: '14 size=20000\n' },
        { path: 'a', text: 'x' },
      ],
      'larger than 10000 bytes',
    ],
    [
      'extended headers without an end',
      Array(31).fill({ path: 'pax', type: 'ExtendedHeader', text: '12 path=abc\n' }),
      'more than 10 files',
    ],
    [
      'a link in a folder with the same name in another form of Unicode',
      [
        { path: 'caf\u00e9', type: 'SymbolicLink', linkpath: '..' },
        { path: 'cafe\u0301/evil', text: 'x' },
      ],
      'linkpath escapes',
    ],
    ['a path of Windows', [{ path: 'a\\..\\..\\evil', text: 'x' }], 'is outside of the archive'],
    ['a drive of Windows', [{ path: 'c:evil', text: 'x' }], 'c:evil is outside of the archive'],
    ['a link to its folder', [{ path: 'l', type: 'SymbolicLink', linkpath: 'l' }], 'links outside'],
    ['a hard link', [{ path: 'evil', type: 'Link', linkpath: '/etc/passwd' }], 'evil is a Link'],
    ['a pipe', [{ path: 'evil', type: 'FIFO' }], 'evil is a FIFO'],
    ['a device', [{ path: 'evil', type: 'CharacterDevice' }], 'evil is a CharacterDevice'],
    ['more bytes than allowed', [{ path: 'a', text: 'x'.repeat(10_001) }], 'larger than 10000 bytes'],
    ['more files than allowed', Array(11).fill({ path: 'a', text: '' }), 'more than 10 files'],
  ])('rejects %s', async (_, entries, reason) => {
    const { failure, escaped } = await unpackHere('tar', anOddTarball(entries));
    expect(failure).toContain(reason);
    expect(escaped).toEqual([]);
    expect(fs.existsSync('/acp-evil')).toBe(false);
  });

  it('does not decompress an archive to its end that it refuses', async () => {
    const bomb = gzipSync(
      Buffer.concat([gunzipSync(anOddTarball([{ path: 'evil', type: 'FIFO' }])), Buffer.alloc(300_000_000)]),
      {
        level: 1,
      },
    );
    const before = cpuTime();
    expect((await unpackHere('tar', bomb)).failure).toContain('evil is a FIFO');
    expect(cpuTime() - before).toBeLessThan(300);
  });

  it.each([
    [
      'behind its files',
      (tar: Buffer) => Buffer.concat([tar, Buffer.alloc(300_000_000)]),
      'larger than 10000 bytes',
    ],
    ['that is compressed twice', (tar: Buffer) => gzipSync(tar), 'compressed twice'],
  ])('rejects a bomb %s early', async (_, bombFrom, reason) => {
    const tar = gunzipSync(anOddTarball([{ path: 'a', text: 'x' }]));
    const bomb = gzipSync(bombFrom(tar), { level: 1 });
    const before = cpuTime();
    expect((await unpackHere('tar', bomb)).failure).toContain(reason);
    expect(cpuTime() - before).toBeLessThan(300);
  });

  // The unpacker of the library decompresses without a limit, and Node does nothing else meanwhile.
  it('rejects a bomb that is compressed twice, whose first byte comes alone', async () => {
    const tar = gunzipSync(anOddTarball([{ path: 'a', text: 'x' }]));
    const bomb = gzipSync(Buffer.concat([tar, Buffer.alloc(100_000_000)]), { level: 1 });
    const before = cpuTime();
    expect((await unpackHere('tar', gzipWithLongName(bomb))).failure).toContain('compressed twice');
    expect(cpuTime() - before).toBeLessThan(300);
  });

  it('rejects a file that is not a tar archive', async () => {
    expect((await unpackHere('tar', Buffer.from('not a tar'))).failure).toContain('could not unpack');
  });
});

describe('unpack with a zip', () => {
  it('keeps the executable bits of the files', async () => {
    const { folder, failure } = await unpackHere(
      'zip',
      aZip([
        { name: 'bin/', mode: 0o040755 },
        { name: 'bin/agent', text: 'run', mode: 0o100755 },
        { name: 'doc/a.txt', text: 'text' },
      ]),
    );
    expect(failure).toBeUndefined();
    expect(fs.readFileSync(path.join(folder, 'doc/a.txt'), 'utf8')).toBe('text');
    expect(fs.statSync(path.join(folder, 'bin/agent')).mode & 0o111).not.toBe(0);
    expect(fs.statSync(path.join(folder, 'doc/a.txt')).mode & 0o111).toBe(0);
  });

  it.each<[string, ZipEntry[], string]>([
    ['a path to a parent folder', [{ name: '../evil', text: 'x' }], 'invalid relative path'],
    ['a path that leaves the folder later', [{ name: 'a/../../evil', text: 'x' }], 'invalid relative path'],
    ['an absolute path', [{ name: '/acp-evil', text: 'x' }], 'absolute path'],
    ['a Windows path', [{ name: 'C:\\evil', text: 'x' }], 'invalid characters'],
    ['a link', [{ name: 'evil', text: '/etc', mode: link }], 'evil is a link'],
    [
      'a duplicate file',
      [
        { name: 'a', text: 'x' },
        { name: 'a', text: 'y' },
      ],
      'EEXIST',
    ],
    ['more bytes than allowed', [{ name: 'a', text: 'x'.repeat(10_001) }], 'larger than 10000 bytes'],
    ['more files than allowed', Array(11).fill({ name: 'd/' }), 'more than 10 files'],
    ['a wrong size', [{ name: 'a', text: 'x'.repeat(20_000), claimedSize: 5 }], 'could not unpack'],
    ['a wrong checksum', [{ name: 'a', text: 'x', claimedChecksum: 5 }], 'a is damaged'],
  ])('rejects %s', async (_, entries, reason) => {
    const { failure, escaped } = await unpackHere('zip', aZip(entries));
    expect(failure).toContain(reason);
    expect(escaped).toEqual([]);
    expect(fs.existsSync('/acp-evil')).toBe(false);
  });

  it('stops in the middle of a large file when it is cancelled', async () => {
    const home = aFolder();
    const size = 200_000_000;
    const file = path.join(home, 'archive');
    fs.writeFileSync(file, aZip([{ name: 'a', text: 'x'.repeat(size) }, { name: 'b' }]));
    const folder = path.join(home, 'unpacked');
    const unpacked = path.join(folder, 'a');
    const cancel = new AbortController();
    const end = unpack(file, folder, { kind: 'zip', maxBytes: 2 * size, signal: cancel.signal });
    const failure = end.catch((error: unknown) => String(error));
    const sizeNow = () => fs.statSync(unpacked, { throwIfNoEntry: false })?.size ?? 0;
    await waitFor(() => sizeNow() > 0);
    cancel.abort();
    expect(await failure).toContain('aborted');
    expect(sizeNow()).toBeLessThan(size);
    expect(fs.readdirSync(folder)).toEqual(['a']);
  });
});
