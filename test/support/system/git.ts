import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isMet } from './requirements.ts';
import { aFolder } from './temp.ts';

/** Tests with a repository are skipped on a machine without git. */
export const hasGit = isMet(spawnSync('git', ['--version']).status === 0, 'git is not installed');

const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];

/** Makes a folder a repository, with all its files in one commit. */
export function makeRepository(folder: string): void {
  const git = (...words: string[]) => execFileSync('git', [...identity, ...words], { cwd: folder });
  git('init', '-q');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'first');
}

export function aRepository(files: Readonly<Record<string, string>>): string {
  const folder = aFolder();
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  makeRepository(folder);
  return folder;
}

/** The parts of a repository that belong to the user: index, HEAD, refs, stash, logs, config and the status. */
export function snapshotOf(folder: string): Readonly<Record<string, string>> {
  const at = (name: string) => path.join(folder, '.git', name);
  const names = fs.readdirSync(at('.'), { recursive: true, encoding: 'utf8' });
  const own = names.filter((name) => /^(index|HEAD|ORIG_HEAD|logs|refs|packed-refs|config)/.test(name));
  const files = own.filter((name) => fs.statSync(at(name)).isFile());
  return {
    ...Object.fromEntries(files.map((name) => [name, fs.readFileSync(at(name), 'base64')])),
    status: execFileSync('git', ['--no-optional-locks', 'status', '--porcelain'], { cwd: folder }).toString(),
  };
}

/** All files in the git directories of a repository and of repositories inside it. */
export function everythingIn(folder: string): Readonly<Record<string, string>> {
  const ask = (what: string) =>
    execFileSync('git', ['rev-parse', '--path-format=absolute', what], { cwd: folder }).toString().trimEnd();
  const inner = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('/.git') && fs.statSync(path.join(folder, name)).isDirectory())
    .map((name) => path.join(folder, name));
  const all: Record<string, string> = {};
  for (const place of new Set([ask('--git-dir'), ask('--git-common-dir'), ...inner])) {
    for (const name of fs.readdirSync(place, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(place, name);
      if (fs.statSync(file).isFile()) all[file] = fs.readFileSync(file, 'base64');
    }
  }
  return all;
}
