import fs from 'node:fs/promises';
import path from 'node:path';
import { withFile } from '../files/held-folder.ts';
import { listCheckouts } from './list-worktrees.ts';
import { run } from './user-git.ts';

/** What a worktree was made from: it is merged into exactly that. */
export interface Origin {
  readonly folder: string;
  /** Absent: no branch was checked out. */
  readonly branch?: string;
  readonly commit: string;
}

/** What the plugin knows about a worktree that it made. */
export interface WorktreeRecord {
  /** The branch that the plugin made for it. */
  readonly branch: string;
  /** Undefined: an earlier version made it, and the repository has several folders that it may come from. */
  readonly origin: Origin | undefined;
}

// In the git folder of the worktree, so that it is moved and removed with it, and no agent writes there unasked.
const fileName = 'acp.json';
const maxBytes = 64 * 1024;

export async function readOrigin(cwd: string, commit: string): Promise<Origin> {
  // A bare repository has no work tree.
  const folder = await run(cwd, 'rev-parse', '--show-toplevel').catch(() => cwd);
  const head = await run(cwd, 'symbolic-ref', '--quiet', 'HEAD').catch(() => undefined);
  // With --short, git says `heads/main` if there is a tag `main`.
  const branch = head?.replace(/^refs\/heads\//, '');
  return { folder, ...(branch !== undefined && { branch }), commit };
}

export async function writeRecord(gitFolder: string, record: WorktreeRecord): Promise<void> {
  await fs.writeFile(path.join(gitFolder, fileName), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** Undefined: nothing says which branch the plugin made for this worktree. */
export async function readRecord(gitFolder: string, folder: string): Promise<WorktreeRecord | undefined> {
  const text = await withFile(path.join(gitFolder, fileName), async (handle, { size }) =>
    size > maxBytes ? '' : (await handle.readFile()).toString(),
  ).catch(() => undefined);
  return text === undefined ? guessRecord(folder) : parseRecord(text);
}

function parseRecord(text: string): WorktreeRecord | undefined {
  try {
    const { branch, origin } = JSON.parse(text);
    if (!isBranch(branch)) return undefined;
    const isOrigin = typeof origin?.folder === 'string' && isCommit(origin.commit);
    const isNamed = origin?.branch === undefined || typeof origin.branch === 'string';
    return { branch, origin: isOrigin && isNamed ? origin : undefined };
  } catch {
    return undefined;
  }
}

function isBranch(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('acp/');
}

function isCommit(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{40,64}$/.test(value);
}

// Earlier versions kept no record. The name of the folder ends with that of the branch, and where a repository has one
// work tree of the user, the worktree was made from it.
async function guessRecord(folder: string): Promise<WorktreeRecord | undefined> {
  const name = /-(\d{8}-\d{6}-\d+-\d+)$/.exec(folder)?.[1];
  if (name === undefined) return undefined;
  const own = path.dirname(folder);
  const checkouts = await listCheckouts(folder).catch(() => []);
  const [first, ...others] = checkouts.filter((each) => path.dirname(each) !== own);
  const isClear = first !== undefined && others.length === 0;
  const commit = await run(folder, 'rev-parse', '--verify', '--quiet', 'HEAD').catch(() => '');
  const origin = isClear && commit !== '' ? await readOrigin(first, commit) : undefined;
  return { branch: `acp/${name}`, origin };
}
