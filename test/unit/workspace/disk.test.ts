import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readText, writeText } from '../../../src/workspace/disk.ts';
import { sliceLines } from '../../../src/workspace/text.ts';
import { aFolder } from '../../support/temp.ts';

let folder = '';
beforeEach(() => {
  folder = aFolder();
});

const at = (name: string) => path.join(folder, name);

describe('some lines of a long file', () => {
  const line = 'x'.repeat(99);
  const long = () => {
    fs.writeFileSync(at('long'), [...Array(100_000).fill(line), 'the end'].join('\r\n'));
    return at('long');
  };

  it.each<[number, number | undefined]>([
    [1, 1],
    [1, 0],
    [3, 2],
    [2_600, 100],
    [99_999, undefined],
    [100_001, 1],
    [100_001, undefined],
    [200_000, 5],
  ])('are those of the whole: from %s, %s of them', async (first, limit) => {
    const file = long();
    const whole = fs.readFileSync(file, 'utf8');
    expect(await readText(file, first, limit)).toBe(sliceLines(whole, first, limit));
  });

  it('are read without the rest of 200 MB', async () => {
    const file = at('huge');
    const block = Buffer.from(`${line}\n`.repeat(100_000));
    const handle = fs.openSync(file, 'w');
    for (let count = 0; count < 20; count += 1) fs.writeSync(handle, block);
    fs.closeSync(handle);
    const before = process.memoryUsage().rss;
    expect(await readText(file, 1_900_000, 2)).toBe(`${line}\n${line}\n`);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });
});

describe('the encoding of a file', () => {
  it.each<[string, Buffer, string, Buffer]>([
    ['latin1', Buffer.from([0xe4, 10]), '\u00e4\u00f6\n', Buffer.from([0xe4, 0xf6, 10])],
    ['latin1, and no longer enough', Buffer.from([0xe4, 10]), '€\n', Buffer.from('€\n')],
    ['UTF-8 with a mark', Buffer.from('\ufeffa'), '\ufeffb', Buffer.from('\ufeffb')],
    ['UTF-16', Buffer.from('\ufeffä\n', 'utf16le'), 'ö\n', Buffer.from('\ufeffö\n', 'utf16le')],
    [
      'UTF-16, the other way round',
      Buffer.from('\ufeffä\n', 'utf16le').swap16(),
      'ö\n',
      Buffer.from('\ufeffö\n', 'utf16le').swap16(),
    ],
    ['lone halves of characters', Buffer.from('a'), 'x\ud800y', Buffer.from('x\ufffdy')],
    ['0 bytes', Buffer.from('a'), '', Buffer.from('')],
  ])('stays: %s', async (_, before, text, after) => {
    fs.writeFileSync(at('a'), before);
    await writeText(at('a'), text);
    expect(fs.readFileSync(at('a'))).toEqual(after);
  });
});

describe('what is no file', () => {
  it.each([
    ['a device without an end', '/dev/zero', 'bad_params'],
    ['a folder', '/', 'bad_params'],
  ])('is refused: %s', async (_, file, code) => {
    await expect(readText(file)).rejects.toMatchObject({ code });
    await expect(writeText(file, 'x')).rejects.toMatchObject({ code });
  });
});
