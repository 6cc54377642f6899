import fs from 'node:fs/promises';
import path from 'node:path';
import { namesOf, run } from './user-git.ts';

/** What a work tree has checked out, and what git or the user is doing there. */
export interface Checkout {
  readonly folder: string;
  /** The git folder of this work tree alone. */
  readonly gitFolder: string;
  /** The one of the repository. */
  readonly repository: string;
  /** Undefined: HEAD is on no branch. */
  readonly branch: string | undefined;
  /** Undefined: nothing was committed there yet. */
  readonly commit: string | undefined;
  /** Files that differ from the last commit, and untracked ones. */
  readonly uncommitted: readonly string[];
  readonly staged: readonly string[];
  readonly conflicts: readonly string[];
  /** Something of several steps that is not finished, such as `rebase`. */
  readonly operation: string | undefined;
  readonly isLocked: boolean;
}

/** What git has in its folder while it is in the middle of something. */
const operations = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'git am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['sequencer', 'cherry-pick or revert'],
  ['BISECT_LOG', 'bisect'],
] as const;

// Changes inside of a submodule can't be committed from outside of it.
const statusArguments = [
  ...['status', '--porcelain=v2', '-z', '--branch'],
  ...['--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'],
];

export async function readCheckout(within: string): Promise<Checkout> {
  const folder = await run(within, 'rev-parse', '--show-toplevel');
  const absolute = ['rev-parse', '--path-format=absolute'];
  const gitFolder = await run(folder, ...absolute, '--git-dir');
  const [repository, branch, facts, operation, isLocked] = await Promise.all([
    run(folder, ...absolute, '--git-common-dir').then((name) => fs.realpath(name)),
    run(folder, 'symbolic-ref', '--quiet', 'HEAD').catch(() => undefined),
    readStatus(folder),
    operationIn(gitFolder),
    exists(path.join(gitFolder, 'index.lock')),
  ]);
  const name = branch?.replace(/^refs\/heads\//, '');
  return { folder, gitFolder, repository, branch: name, ...facts, operation, isLocked };
}

type Status = Pick<Checkout, 'commit' | 'uncommitted' | 'staged' | 'conflicts'>;

async function readStatus(folder: string): Promise<Status> {
  const entries = await namesOf(folder, ...statusArguments);
  const files = entries.filter((entry) => !entry.startsWith('#'));
  const named = (pattern: RegExp) => files.filter((entry) => pattern.test(entry)).map(nameIn);
  const commit = entries.find((entry) => entry.startsWith('# branch.oid '))?.split(' ')[2];
  return {
    commit: commit === '(initial)' ? undefined : commit,
    uncommitted: files.map(nameIn),
    staged: named(/^1 [^.]/),
    conflicts: named(/^u /),
  };
}

/** How many words stand before the name, by the kind of an entry. */
const wordsBefore: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

function nameIn(entry: string): string {
  return entry
    .split(' ')
    .slice(wordsBefore[entry[0]!] ?? 1)
    .join(' ');
}

async function operationIn(gitFolder: string): Promise<string | undefined> {
  for (const [name, operation] of operations) if (await exists(path.join(gitFolder, name))) return operation;
  return undefined;
}

export function exists(file: string): Promise<boolean> {
  return fs.lstat(file).then(
    () => true,
    () => false,
  );
}
