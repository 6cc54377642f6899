import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { messageOf } from '../../../src/errors.ts';
import type { Editor } from '../../../src/ports/host.ts';
import { readText } from '../../../src/workspace/disk.ts';
import { Files } from '../../../src/workspace/files.ts';
import { keepSwapping } from '../../support/swapper.ts';
import { aFolder } from '../../support/temp.ts';

const tries = 400;
const maxTries = 10_000;

let root = '';
let outside = '';
let files: Files;

beforeEach(() => {
  root = aFolder();
  outside = aFolder();
  const editor: Editor = { call: async () => null, tell: () => undefined };
  const place = {
    ...{ chat: 1, cwd: root, directories: [] },
    consent: async () => false,
    report: () => undefined,
  };
  files = new Files(place, editor);
});

const at = (name: string) => path.join(root, name);

/** What came of it each time: a text, or why there is none. It goes on until it has worked once. */
async function repeat(
  act: (count: number) => Promise<string>,
  wanted?: string,
): Promise<ReadonlySet<string>> {
  const outcomes = new Set<string>();
  const isDue = () => wanted !== undefined && !outcomes.has(wanted);
  for (let count = 0; count < tries || (count < maxTries && isDue()); count += 1) {
    outcomes.add(await act(count).catch(messageOf));
  }
  return outcomes;
}

const read = (name: string) =>
  files.read({ path: at(name), line: 1, limit: undefined, isMissingEmpty: false });

describe('a folder that is swapped with a link to one outside, again and again', () => {
  beforeEach(async () => {
    fs.mkdirSync(at('d'));
    fs.writeFileSync(at('d/f'), 'inside');
    fs.writeFileSync(path.join(outside, 'f'), 'secret');
    fs.symlinkSync(outside, at('link'));
    await keepSwapping(at('d'), at('link'));
  });

  it('never gives a text from outside', async () => {
    const outcomes = await repeat(() => read('d/f'), 'inside');
    expect(outcomes).toContain('inside');
    expect(outcomes).not.toContain('secret');
  });

  it('never gives the names of files outside', async () => {
    fs.writeFileSync(path.join(outside, 'secret'), '');
    const names = async () => String((await files.list(at('d'))).map(({ name }) => name));
    const outcomes = await repeat(names, 'f');
    expect(outcomes).toContain('f');
    expect(outcomes).not.toContain('f,secret');
  });

  it('never has a text written outside', async () => {
    const outcomes = await repeat(async (count) => {
      await files.write({ path: at(count % 2 ? 'd/f' : `d/${count}/new`), content: 'written' });
      return 'done';
    }, 'done');
    expect(outcomes).toContain('done');
    expect(fs.readdirSync(outside)).toEqual(['f']);
    expect(fs.readFileSync(path.join(outside, 'f'), 'utf8')).toBe('secret');
  });
});

describe('a file that is swapped with a link to one outside, again and again', () => {
  it('is never read or written there', async () => {
    fs.writeFileSync(at('f'), 'inside');
    fs.writeFileSync(path.join(outside, 'f'), 'secret');
    fs.symlinkSync(path.join(outside, 'f'), at('link'));
    await keepSwapping(at('f'), at('link'));
    expect(await repeat(() => read('f'))).not.toContain('secret');
    await repeat(async () => String(await files.write({ path: at('f'), content: 'written' })));
    expect(fs.readdirSync(outside)).toEqual(['f']);
    expect(fs.readFileSync(path.join(outside, 'f'), 'utf8')).toBe('secret');
  });
});

it('a pipe that is swapped with a file, again and again, holds up no other file', async () => {
  fs.writeFileSync(at('f'), 'inside');
  fs.writeFileSync(at('other'), 'other');
  execFileSync('mkfifo', [at('pipe')]);
  await expect(readText(at('pipe'))).rejects.toThrow('is no ordinary file');
  await keepSwapping(at('f'), at('pipe'));
  // More at once than there are threads to wait.
  const reads = Array.from({ length: tries }, () => readText(at('f')).catch(messageOf));
  await Promise.all(reads);
  expect(await readText(at('other'))).toBe('other');
});

it('a file with a second name outside is not written unasked', async () => {
  fs.writeFileSync(path.join(outside, 'f'), 'secret');
  fs.linkSync(path.join(outside, 'f'), at('f'));
  await expect(files.write({ path: at('f'), content: 'written' })).rejects.toMatchObject({ code: 'denied' });
  expect(fs.readFileSync(path.join(outside, 'f'), 'utf8')).toBe('secret');
});
