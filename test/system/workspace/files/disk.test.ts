import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readText, writeText } from '../../../../src/workspace/files/disk.ts';
import { sliceLines } from '../../../../src/workspace/files/document.ts';
import { isMet } from '../../../support/system/requirements.ts';
import { makeProgram, runInSeparateProcess } from '../../../support/system/separate-process.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { waitFor } from '../../../support/wait.ts';

let folder = '';
beforeEach(() => {
  folder = aFolder();
});

const at = (name: string) => path.join(folder, name);

describe('reading some lines of a long file', () => {
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
  ])('gives the same lines as reading it whole: from line %s, %s lines', async (first, limit) => {
    const file = long();
    const whole = fs.readFileSync(file, 'utf8');
    expect(await readText(file, first, limit)).toBe(sliceLines(whole, first, limit));
  });

  it('gives the same lines as reading it whole in UTF-16', async () => {
    // The second byte of the first letter looks like a newline.
    const whole = `\u0a41\n${`${line}\n`.repeat(50_000)}`;
    fs.writeFileSync(at('wide'), Buffer.from(`\ufeff${whole}`, 'utf16le'));
    expect(await readText(at('wide'), 1, 2)).toBe(sliceLines(whole, 1, 2));
  });

  it('does not load the rest of 200 MB', async () => {
    const file = at('huge');
    const block = Buffer.from(`${line}\n`.repeat(100_000));
    const handle = fs.openSync(file, 'w');
    for (let count = 0; count < 20; count += 1) fs.writeSync(handle, block);
    fs.closeSync(handle);
    const read = (range: string) => peakOf(`readText(${JSON.stringify(file)}${range})`);
    const [few, none, whole] = [await read(', 1_900_000, 2'), await read(', 3_000_000, 2'), await read('')];
    expect(few).toMatchObject({ length: 200 });
    expect(none).toMatchObject({ length: 0 });
    expect(whole.length).toBe(200_000_000);
    const megabytes = 1_024;
    expect(whole.peak).toBeGreaterThan(300 * megabytes);
    for (const { peak } of [few, none]) expect(peak).toBeLessThan(150 * megabytes);
  });
});

it('reading many long files at the same time takes the memory of a few', async () => {
  const file = at('long');
  fs.writeFileSync(file, `${'x'.repeat(99)}\n`.repeat(600_000));
  const lengthOf = `ours.readText(${JSON.stringify(file)}).then(({ length }) => length)`;
  const code = `const lengths = await Promise.all(Array.from({ length: 8 }, () => ${lengthOf}));
    console.log(JSON.stringify({ lengths, peak: process.resourceUsage().maxRSS }));`;
  const { lengths, peak } = JSON.parse(await runInSeparateProcess({ folder, module, code }));
  expect(lengths).toEqual(Array(8).fill(60_000_000));
  expect(peak).toBeLessThan(600 * 1_024);
});

function isStopped(pid: number): boolean {
  return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T ');
}

const module = 'src/workspace/files/disk.ts';

/** Reads a text in a process of its own: how long it is, and how much memory that took at most, in kilobytes. */
async function peakOf(reading: string): Promise<{ length: number; peak: number }> {
  const result = '{ length: text.length, peak: process.resourceUsage().maxRSS }';
  const code = `const text = await ours.${reading}; console.log(JSON.stringify(${result}))`;
  return JSON.parse(await runInSeparateProcess({ folder, module, code }));
}

describe('writing a file keeps its encoding', () => {
  it.each<[string, Buffer, string, Buffer]>([
    ['latin1', Buffer.from([0xe4, 10]), '\u00e4\u00f6\n', Buffer.from([0xe4, 0xf6, 10])],
    ['latin1, changed to UTF-8 for a character it lacks', Buffer.from([0xe4, 10]), '€\n', Buffer.from('€\n')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffa'), '\ufeffb', Buffer.from('\ufeffb')],
    ['UTF-16', Buffer.from('\ufeffä\n', 'utf16le'), 'ö\n', Buffer.from('\ufeffö\n', 'utf16le')],
    [
      'UTF-16, the other way round',
      Buffer.from('\ufeffä\n', 'utf16le').swap16(),
      'ö\n',
      Buffer.from('\ufeffö\n', 'utf16le').swap16(),
    ],
    ['lone surrogates become U+FFFD', Buffer.from('a'), 'x\ud800y', Buffer.from('x\ufffdy')],
    ['an empty text', Buffer.from('a'), '', Buffer.from('')],
  ])('%s', async (_, before, text, after) => {
    fs.writeFileSync(at('a'), before);
    await writeText(at('a'), text);
    expect(fs.readFileSync(at('a'))).toEqual(after);
  });
});

describe('reading something that is not a regular file', () => {
  it.each([
    ['an endless device', '/dev/zero', 'bad_params'],
    ['a folder', '/', 'bad_params'],
  ])('is an error: %s', async (_, file, code) => {
    await expect(readText(file)).rejects.toMatchObject({ code });
    await expect(writeText(file, 'x')).rejects.toMatchObject({ code });
  });
});

it('reading a file without permission says so', async () => {
  fs.writeFileSync(at('secret'), 'x');
  fs.chmodSync(at('secret'), 0);
  fs.chmodSync(folder, 0o755);
  // Root may read everything.
  const code = `if (process.getuid() === 0) process.setuid(65534);
    const reading = ours.readText(${JSON.stringify(at('secret'))});
    await reading.catch(({ code, message }) => console.log(code, message));`;
  const said = await runInSeparateProcess({ folder, module, code });
  expect(said).toBe(`file_error ${at('secret')} can't be opened: permission denied\n`);
});

describe('writing a file', () => {
  const isRoot = isMet(process.getuid?.() === 0, 'only root can give files to another user');
  const isLinux = isMet(process.platform === 'linux', 'chattr exists on Linux only');
  const left = () => fs.readdirSync(folder).filter((name) => name.includes('.acp-'));

  it('keeps hard links and mode', async () => {
    fs.writeFileSync(at('a'), 'old');
    fs.chmodSync(at('a'), 0o604);
    await writeText(at('a'), 'new');
    expect(fs.statSync(at('a')).mode & 0o777).toBe(0o604);
    fs.linkSync(at('a'), at('b'));
    await writeText(at('b'), 'newer');
    expect(fs.readFileSync(at('a'), 'utf8')).toBe('newer');
    expect(fs.statSync(at('a')).nlink).toBe(2);
  });

  it.skipIf(!isRoot)('keeps owner and group', async () => {
    fs.writeFileSync(at('a'), 'old');
    fs.chownSync(at('a'), 1_234, 2_345);
    await writeText(at('a'), 'new');
    expect(fs.statSync(at('a'))).toMatchObject({ uid: 1_234, gid: 2_345, size: 3 });
  });

  // Even root is refused in such a folder.
  it.skipIf(!isRoot || !isLinux)('works in a folder that is not writable', async () => {
    fs.mkdirSync(at('fixed'));
    fs.writeFileSync(at('fixed/a'), 'old');
    execFileSync('chattr', ['+i', at('fixed')]);
    try {
      await writeText(at('fixed/a'), 'new');
      expect(fs.readFileSync(at('fixed/a'), 'utf8')).toBe('new');
      await expect(writeText(at('fixed/b'), 'new')).rejects.toThrow('permission denied');
      expect(fs.readdirSync(at('fixed'))).toEqual(['a']);
    } finally {
      execFileSync('chattr', ['-i', at('fixed')]);
    }
  });

  it('below a regular file is an error', async () => {
    fs.writeFileSync(at('a'), 'old');
    for (const name of ['a/b', 'a/b/c']) {
      await expect(writeText(at(name), 'new')).rejects.toThrow(
        `${at(name)} has a parent that is not a folder`,
      );
    }
    expect(fs.readFileSync(at('a'), 'utf8')).toBe('old');
  });

  it.each(['plain', 'with blanks, *, \\, %041, $(id), "quotes" and ü', 'of two\nlines'])(
    'leaves no temporary file when the process is killed, in a folder with a name %j',
    async (name) => {
      const place = at(name);
      fs.mkdirSync(place);
      const lookAlike = `.a.acp-${process.pid}-0123456789ab`;
      fs.writeFileSync(path.join(place, lookAlike), '');
      const file = path.join(place, 'a b');
      const code = `for (;;) await ours.writeText(${JSON.stringify(file)}, 'x'.repeat(20_000_000));`;
      const program = await makeProgram({ folder, module, code });
      const child = spawn(process.execPath, [program], { stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      const temporary = () => fs.readdirSync(place).find((each) => each.startsWith('.a b.acp-'));
      // Only a process that does not run is surely in the middle of a write.
      await waitFor(() => {
        child.kill('SIGCONT');
        if (temporary() === undefined) return false;
        child.kill('SIGSTOP');
        return isStopped(child.pid!) && temporary();
      });
      child.kill('SIGKILL');
      await waitFor(() => temporary() === undefined);
      expect(fs.readdirSync(place)).toContain(lookAlike);
    },
  );

  it.each(['one name', 'two names'])('that fails half-way restores a file with %s', async (names) => {
    fs.writeFileSync(at('a'), 'old');
    if (names === 'two names') fs.linkSync(at('a'), at('b'));
    // The signal for it would end the process.
    const code = `process.on('SIGXFSZ', () => undefined);
      const write = ours.writeText(${JSON.stringify(at('a'))}, 'x'.repeat(200_000));
      await write.catch(({ message }) => console.log(message));`;
    const said = await runInSeparateProcess({ folder, module, code, limits: 'ulimit -f 64' });
    expect(said).toMatch(/a was not written: the file would be too large/);
    expect(fs.readFileSync(at('a'), 'utf8')).toBe('old');
    expect(left()).toEqual([]);
  });
});
