import path from 'node:path';
import { AcpError } from '../base/errors.ts';
import { withFile } from './files/held-folder.ts';
import { git, splitAtNul } from './snapshots/git.ts';

const timeoutMs = 5_000;
/** The host sends less of it; git is not read to the end of a larger one. */
const maxBytes = 2 * 1024 * 1024;
const maxBranches = 500;
/** Untracked files that are shown with their text. */
const untracked = { files: 20, bytes: 16 * 1024 };
/** No program of the repository's configuration is run. */
const safeDiff = ['diff', '--no-ext-diff', '--no-textconv', '--no-color'];

export interface UserDiff {
  readonly text: string;
  /** What the work tree was compared with. */
  readonly base: string;
}

/**
 * What differs in the repository of a folder: the work tree from HEAD with untracked files, what is `staged`, or the work
 * tree from another revision.
 */
export async function readDiff(folder: string, argument: string | undefined): Promise<UserDiff> {
  const root = await findRoot(folder);
  if (argument === 'staged') {
    return { text: await run([...safeDiff, '--cached', '--'], root), base: 'staged changes' };
  }
  const base = argument ?? 'HEAD';
  const revision = await findRevision(base, root);
  const tracked = await run([...safeDiff, revision, '--'], root);
  return { text: tracked + (await untrackedDiff(root)), base: `changes against ${base}` };
}

/** The branches that the work tree can be compared with, the one changed last first. Empty outside of a repository. */
export async function listBranches(folder: string): Promise<readonly string[]> {
  const args = ['for-each-ref', '--sort=-committerdate', `--count=${maxBranches}`];
  const names = ['--format=%(refname:lstrip=2)', 'refs/heads', 'refs/remotes'];
  const found = await run([...args, ...names], folder).catch(() => '');
  // The head of a remote is another name of one of its branches.
  return found.split('\n').filter((name) => name !== '' && !name.endsWith('/HEAD'));
}

async function findRoot(folder: string): Promise<string> {
  try {
    return (await run(['rev-parse', '--show-toplevel'], folder)).trimEnd();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new AcpError('file_error', 'git was not found', { cause: error });
    }
    throw new AcpError('file_error', `${folder} is not in a git repository`, { cause: error });
  }
}

async function findRevision(name: string, root: string): Promise<string> {
  const unknown = new AcpError('not_found', `git knows no branch or revision ${JSON.stringify(name)}`);
  if (name.startsWith('-')) throw unknown;
  try {
    return (await run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], root)).trim();
  } catch {
    if (name === 'HEAD') return emptyTree(root);
    throw unknown;
  }
}

/** The tree without files, to compare with before the first commit; its name depends on the hash of the repository. */
async function emptyTree(root: string): Promise<string> {
  return (await run(['hash-object', '-t', 'tree', '--stdin'], root)).trim();
}

/** Untracked files as git would show them after `git add -N`. Large and binary ones are only named. */
async function untrackedDiff(root: string): Promise<string> {
  const options = { cwd: root, timeoutMs, maxBytes };
  const names = splitAtNul(await git(['ls-files', '--others', '--exclude-standard', '-z'], options));
  const parts: string[] = [];
  for (const name of names.slice(0, untracked.files)) {
    const text = await smallText(path.join(root, name));
    parts.push(text === undefined ? `untracked, not shown: ${name}\n` : newFile(name, text));
  }
  const left = names.length - untracked.files;
  if (left > 0) parts.push(`… ${left} more untracked files\n`);
  return parts.join('');
}

async function smallText(file: string): Promise<string | undefined> {
  try {
    const bytes = await withFile(file, async (handle, { size }) =>
      size > untracked.bytes ? undefined : handle.readFile(),
    );
    return bytes && !bytes.includes(0) ? bytes.toString() : undefined;
  } catch {
    // It may be a link, a pipe or unreadable.
    return undefined;
  }
}

function newFile(name: string, text: string): string {
  const head = `diff --git a/${name} b/${name}\nnew file mode 100644\n`;
  if (text === '') return head;
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n');
  const body = lines.map((line) => `+${line}\n`).join('');
  const end = isEnded ? '' : '\\ No newline at end of file\n';
  return `${head}--- /dev/null\n+++ b/${name}\n@@ -0,0 +1,${lines.length} @@\n${body}${end}`;
}

async function run(args: readonly string[], cwd: string): Promise<string> {
  return (await git(args, { cwd, timeoutMs, maxBytes })).toString();
}
