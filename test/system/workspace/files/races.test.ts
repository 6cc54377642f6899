import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { messageOf } from '../../../../src/base/errors.ts';
import type { QueueRead } from '../../../../src/ports/files.ts';
import type { AgentFiles } from '../../../../src/workspace/files/agent-files.ts';
import { readText } from '../../../../src/workspace/files/disk.ts';
import { openSessionFiles, SharedFiles } from '../../../../src/workspace/session-files.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { answerWithoutBuffers, EditorDouble } from '../../../support/doubles/editor.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { keepSwappingPaths } from '../../../support/system/swap-paths.ts';
import { aFolder } from '../../../support/system/temp.ts';

const tries = 400;
const maxTries = 10_000;

let root = '';
let outside = '';
let files: AgentFiles;

beforeEach(() => {
  root = aFolder();
  outside = aFolder();
  files = openFiles();
});

function openFiles({ isRemote = false, consent = async () => false } = {}): AgentFiles {
  const editor = new EditorDouble();
  editor.call = answerWithoutBuffers;
  const place = {
    ...{ chat: 1, cwd: root, directories: [] },
    consent,
    isRemote,
    report: () => undefined,
  };
  const parts = { editor, clock: new ManualClock(), log: new LogDouble(), shared: new SharedFiles(editor) };
  return openSessionFiles(place, parts).files;
}

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

describe('a folder that keeps being swapped with a symlink to one outside', () => {
  beforeEach(async () => {
    fs.mkdirSync(at('d'));
    fs.writeFileSync(at('d/f'), 'inside');
    fs.writeFileSync(path.join(outside, 'f'), 'secret');
    fs.symlinkSync(outside, at('link'));
    await keepSwappingPaths(at('d'), at('link'));
  });

  it('never lets a file outside be read', async () => {
    const outcomes = await repeat(() => read('d/f'), 'inside');
    expect(outcomes).toContain('inside');
    expect(outcomes).not.toContain('secret');
  });

  it('never lets the folder outside be listed', async () => {
    fs.writeFileSync(path.join(outside, 'secret'), '');
    const names = async () => String((await files.list(at('d'))).map(({ name }) => name));
    const outcomes = await repeat(names, 'f');
    expect(outcomes).toContain('f');
    expect(outcomes).not.toContain('f,secret');
  });

  it('never lets a file outside be written', async () => {
    const outcomes = await repeat(async (count) => {
      await files.write({ path: at(count % 2 ? 'd/f' : `d/${count}/new`), content: 'written' });
      return 'done';
    }, 'done');
    expect(outcomes).toContain('done');
    expect(fs.readdirSync(outside)).toEqual(['f']);
    expect(fs.readFileSync(path.join(outside, 'f'), 'utf8')).toBe('secret');
  });
});

describe('a file that keeps being swapped with a symlink to one outside', () => {
  it('is never read or written outside', async () => {
    fs.writeFileSync(at('f'), 'inside');
    fs.writeFileSync(path.join(outside, 'f'), 'secret');
    fs.symlinkSync(path.join(outside, 'f'), at('link'));
    await keepSwappingPaths(at('f'), at('link'));
    expect(await repeat(() => read('f'))).not.toContain('secret');
    await repeat(async () => String(await files.write({ path: at('f'), content: 'written' })));
    expect(fs.readdirSync(outside)).toEqual(['f']);
    expect(fs.readFileSync(path.join(outside, 'f'), 'utf8')).toBe('secret');
  });
});

it('a pipe that keeps being swapped with a file does not block other reads', async () => {
  fs.writeFileSync(at('f'), 'inside');
  fs.writeFileSync(at('other'), 'other');
  execFileSync('mkfifo', [at('pipe')]);
  await expect(readText(at('pipe'))).rejects.toThrow('is not a regular file');
  await keepSwappingPaths(at('f'), at('pipe'));
  // More at once than there are threads to wait.
  const reads = Array.from({ length: tries }, () => readText(at('f')).catch(messageOf));
  await Promise.all(reads);
  expect(await readText(at('other'))).toBe('other');
});

it('a file with a hard link outside needs consent to be written', async () => {
  fs.writeFileSync(path.join(outside, 'f'), 'secret');
  fs.linkSync(path.join(outside, 'f'), at('f'));
  await expect(files.write({ path: at('f'), content: 'written' })).rejects.toMatchObject({ code: 'denied' });
  expect(fs.readFileSync(path.join(outside, 'f'), 'utf8')).toBe('secret');
});

it('a file is read in turn; asking the user takes no turn', async () => {
  fs.writeFileSync(path.join(outside, 'f'), 'text');
  const turns: (() => void)[] = [];
  const queueRead: QueueRead = (act) =>
    new Promise((resolve, reject) => turns.push(() => act().then(resolve, reject)));
  const request = {
    path: path.join(outside, 'f'),
    line: 1,
    limit: undefined,
    isMissingEmpty: false,
    queueRead,
  };
  const asked: number[] = [];
  const reading = openFiles({ consent: async () => asked.push(turns.length) > 0 }).read(request);
  await vi.waitUntil(() => turns.length === 1);
  expect(asked).toEqual([]);
  turns.pop()!();
  await vi.waitUntil(() => turns.length === 1);
  expect(asked).toEqual([0]);
  turns.pop()!();
  expect(await reading).toBe('text');
});

it('an agent elsewhere learns without consent nothing about which files exist outside', async () => {
  fs.writeFileSync(path.join(outside, 'f'), 'secret');
  const reasons = ['f', 'missing', 'missing/f'].map(async (name) => {
    const file = path.join(outside, name);
    const reading = openFiles({ isRemote: true }).read({
      path: file,
      line: 1,
      limit: undefined,
      isMissingEmpty: true,
    });
    return (await reading.catch(messageOf)).replace(file, '');
  });
  expect(await Promise.all(reasons)).toEqual(Array(3).fill('the user denied access to '));
});
