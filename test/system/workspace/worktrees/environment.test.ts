import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aFolder } from '../../../support/system/temp.ts';
import {
  aRepository,
  aWorktree,
  aWorktreeOf,
  commitTo,
  git,
  merge,
  remove,
  textOf,
} from '../../../support/system/worktree.ts';

// No identity but that of the test.
beforeEach(() => {
  const home = aFolder();
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', path.join(home, '.config'));
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
  vi.stubEnv('GIT_CONFIG_GLOBAL', path.join(home, 'gitconfig'));
});

afterEach(() => vi.unstubAllEnvs());

async function aWorktreeWithoutIdentity() {
  const main = aRepository();
  git(main, 'config', '--unset', 'user.name');
  git(main, 'config', '--unset', 'user.email');
  git(main, 'config', 'user.useConfigOnly', 'true');
  const { tree, write } = await aWorktreeOf(main);
  write('a.txt', 'two\n');
  return { main, tree };
}

function stubIdentity(): void {
  for (const who of ['AUTHOR', 'COMMITTER']) {
    vi.stubEnv(`GIT_${who}_NAME`, 'Env');
    vi.stubEnv(`GIT_${who}_EMAIL`, 'env@example.org');
  }
}

describe("the user's environment", () => {
  it('may say who they are', async () => {
    const { main, tree } = await aWorktreeWithoutIdentity();
    stubIdentity();
    await merge(tree);
    expect(git(main, 'log', '-1', '--format=%an %ae %cn')).toBe('Env env@example.org Env');
    expect(await remove(tree)).toEqual({ isBranchKept: false });
  });

  it('may name their settings', async () => {
    const { main, tree } = await aWorktreeWithoutIdentity();
    const settings = path.join(aFolder(), 'settings');
    fs.writeFileSync(settings, '[user]\nname = Global\nemail = global@example.org\n');
    vi.stubEnv('GIT_CONFIG_GLOBAL', settings);
    await merge(tree);
    expect(git(main, 'log', '-1', '--format=%an')).toBe('Global');
  });

  it('may have settings itself', async () => {
    const { main, tree } = await aWorktreeWithoutIdentity();
    const settings = { 'user.name': 'Pair', 'user.email': 'pair@example.org' };
    vi.stubEnv('GIT_CONFIG_COUNT', '2');
    for (const [index, [name, value]] of Object.entries(settings).entries()) {
      vi.stubEnv(`GIT_CONFIG_KEY_${index}`, name);
      vi.stubEnv(`GIT_CONFIG_VALUE_${index}`, value);
    }
    await merge(tree);
    expect(git(main, 'log', '-1', '--format=%an')).toBe('Pair');
  });

  it('is told about before anything is done if nobody says who they are', async () => {
    const { main, tree } = await aWorktreeWithoutIdentity();
    const reason = /git can't commit for you: .*(unknown|no email was given)/;
    await expect(merge(tree)).rejects.toThrow(reason);
    await expect(remove(tree)).rejects.toThrow(reason);
    expect(git(tree, 'status', '--porcelain')).toBe('M a.txt');
    expect(fs.existsSync(main)).toBe(true);
  });

  it('need not say who they are if nothing is to be committed', async () => {
    const { main, tree } = await aWorktreeWithoutIdentity();
    git(tree, '-c', 'user.name=Agent', '-c', 'user.email=agent@example.org', 'commit', '-qam', 'change');
    await merge(tree);
    expect(textOf(main, 'a.txt')).toBe('two\n');
    expect(await remove(tree)).toEqual({ isBranchKept: false });
  });

  it('does not lead to another repository', async () => {
    const [{ main, tree, write }, other] = [await aWorktree(), aRepository()];
    write('a.txt', 'two\n');
    commitTo(main, 'b.txt', 'mine\n');
    const before = git(other, 'rev-parse', 'HEAD');
    vi.stubEnv('GIT_DIR', path.join(other, '.git'));
    vi.stubEnv('GIT_WORK_TREE', other);
    vi.stubEnv('GIT_INDEX_FILE', path.join(other, '.git', 'index'));
    vi.stubEnv('GIT_OBJECT_DIRECTORY', path.join(other, '.git', 'objects'));
    vi.stubEnv('GIT_COMMON_DIR', path.join(other, '.git'));
    vi.stubEnv('GIT_NAMESPACE', 'other');
    vi.stubEnv('GIT_PREFIX', 'other/');
    await merge(tree);
    await remove(tree);
    vi.unstubAllEnvs();
    expect(textOf(main, 'a.txt')).toBe('two\n');
    expect(fs.existsSync(tree)).toBe(false);
    expect(git(other, 'rev-parse', 'HEAD')).toBe(before);
  });

  it('runs no program for a commit or a merge', async () => {
    const { main, tree, write } = await aWorktree();
    const program = path.join(aFolder(), 'program');
    const ran = `${program}.ran`;
    fs.writeFileSync(program, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    write('a.txt', 'two\n');
    commitTo(main, 'b.txt', 'mine\n');
    for (const name of ['GIT_EDITOR', 'GIT_SEQUENCE_EDITOR', 'GIT_EXTERNAL_DIFF', 'GIT_PAGER', 'GIT_ASKPASS'])
      vi.stubEnv(name, program);
    vi.stubEnv('GIT_CONFIG_COUNT', '4');
    const settings = ['core.fsmonitor', 'core.hooksPath', 'gpg.program', 'commit.gpgSign'];
    const values = [program, path.dirname(program), program, 'true'];
    for (const [index, name] of settings.entries()) {
      vi.stubEnv(`GIT_CONFIG_KEY_${index}`, name);
      vi.stubEnv(`GIT_CONFIG_VALUE_${index}`, values[index]!);
    }
    await merge(tree);
    await remove(tree);
    vi.unstubAllEnvs();
    expect(textOf(main, 'a.txt')).toBe('two\n');
    expect(fs.existsSync(ran)).toBe(false);
  });
});
