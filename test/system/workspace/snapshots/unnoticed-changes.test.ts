import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GitStore } from '../../../../src/workspace/snapshots/git-store.ts';
import { aRepository, hasGit } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { waitFor } from '../../../support/wait.ts';

const old = new Date('2020-01-01');
const secondOf = (time: number) => Math.floor(time / 1000);

/** Writes a text, and gives the file a time that tells nothing. */
function put(file: string, text: string): void {
  fs.writeFileSync(file, text);
  fs.utimesSync(file, old, old);
}

/** A repository of a user with these settings of git, and its snapshots. */
async function open(settings = '') {
  const home = aFolder();
  fs.writeFileSync(path.join(home, '.gitconfig'), settings);
  vi.stubEnv('HOME', home).stubEnv('XDG_CONFIG_HOME', home);
  const root = aRepository({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  const file = path.join(root, 'a.txt');
  const store = (await GitStore.open(root, aFolder()))!;
  const changesOf = async (act: () => unknown) => {
    const before = await store.takeSnapshot();
    await act();
    return (await store.changes(before, await store.takeSnapshot())).map(({ name }) => name);
  };
  return { file, changesOf };
}

afterEach(() => void vi.unstubAllEnvs());

describe.runIf(hasGit)('a change that keeps size and time of a file', () => {
  it('is in the next snapshot, right after another one', async () => {
    const { file, changesOf } = await open();
    put(file, 'ONE\n');
    expect(await changesOf(() => put(file, 'TWO\n'))).toEqual(['a.txt']);
    expect(await changesOf(() => put(file, 'SIX\n'))).toEqual(['a.txt']);
    expect(await changesOf(() => undefined)).toEqual([]);
    expect(await changesOf(() => fs.rmSync(file))).toEqual(['a.txt']);
  });

  it('is in the next snapshot, whatever git is set to compare', async () => {
    const { file, changesOf } = await open('[core]\n checkStat = minimal\n trustctime = false\n');
    put(file, 'ONE\n');
    await changesOf(() => undefined);
    const changedAt = secondOf(fs.statSync(file).ctimeMs);
    await waitFor(() => secondOf(Date.now()) > changedAt, { describe: () => 'the next second' });
    expect(await changesOf(() => put(file, 'TWO\n'))).toEqual(['a.txt']);
  });
});

it.runIf(hasGit)('a change is in the next snapshot if git is set to ignore changes', async () => {
  const { file, changesOf } = await open('[core]\n ignoreStat = true\n');
  fs.writeFileSync(file, 'first\n');
  expect(await changesOf(() => fs.writeFileSync(file, 'second change\n'))).toEqual(['a.txt']);
});
