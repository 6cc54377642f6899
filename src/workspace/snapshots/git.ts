import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { AcpError } from '../../base/errors.ts';
import { OrphanGuard } from '../../system/orphan-guard.ts';
import { withPipes } from '../../system/process-group.ts';
import { endIfBlockedByPipe, wasBlockedByPipe } from './blocked-by-pipe.ts';

const longRunMs = 60_000;
/** Most runs of git end sooner and need no orphan guard. */
const shortRunMs = 200;

/**
 * Settings that keep git from running hooks or monitors, from writing reflogs of the user's repository, and from taking
 * a changed file for unchanged.
 */
const configOverrides = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['core.splitIndex', 'false'],
  ['core.quotePath', 'false'],
  ['core.sparseCheckout', 'false'],
  ['core.checkStat', 'default'],
  ['core.trustctime', 'true'],
  ['core.ignoreStat', 'false'],
  ['core.untrackedCache', 'false'],
  // Accept names that are invalid on Windows or macOS.
  ['core.protectNTFS', 'false'],
  ['core.protectHFS', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** What the user does is in their reflog; no signature can be asked for here. */
const userOverrides = [
  ...['-c', 'core.logAllRefUpdates=true'],
  ...['-c', 'commit.gpgSign=false'],
  // Git would remove files that it does not list.
  ...['-c', 'status.showUntrackedFiles=all'],
];

/** What makes git work on another repository than that of its folder. */
const repositoryVariables = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);

export type GitProcess = ChildProcessByStdio<Writable, Readable, Readable>;

interface GitOptions {
  readonly cwd: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The identity and the settings of the user's environment count too, as for a command of the user. */
  readonly isUsers?: boolean;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Git is ended when it has written more than this; the promise resolves with what there is. */
  readonly maxBytes?: number;
}

/** Starts git; its orphan guard ends with it. */
export function startGit(
  args: readonly string[],
  {
    cwd,
    env = {},
    isUsers = false,
    timeoutMs = longRunMs,
  }: Pick<GitOptions, 'cwd' | 'env' | 'isUsers' | 'timeoutMs'>,
): GitProcess {
  const mark = randomUUID();
  const overrides = isUsers ? [...configOverrides, ...userOverrides] : configOverrides;
  const child = withPipes(
    spawn('git', [...overrides, ...args], {
      cwd,
      env: {
        ...inherited(isUsers),
        ...ownEnvironment(args[0] !== 'check-ignore'),
        ...env,
        ACP_NVIM_GIT: mark,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
      windowsHide: true,
    }),
  );
  child.on('close', guardOrphan(child, mark));
  endIfBlockedByPipe(child);
  child.stdin.on('error', () => undefined);
  return child;
}

/** Runs git and resolves with its stdout. */
export function git(
  args: readonly string[],
  { input = '', maxBytes = Number.POSITIVE_INFINITY, timeoutMs = longRunMs, ...options }: GitOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = startGit(args, { ...options, timeoutMs });
    const [out, trouble]: [Buffer[], Buffer[]] = [[], []];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      out.push(chunk);
      size += chunk.length;
      if (size > maxBytes) child.kill();
    });
    child.stderr.on('data', (chunk: Buffer) => trouble.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0 || size > maxBytes) return resolve(Buffer.concat(out));
      const reason = Buffer.concat(trouble).toString().trim() || endOf(child, code ?? signal, timeoutMs);
      const detail = reason.split('\n');
      reject(new AcpError('file_error', `git ${args[0]} in ${options.cwd}: ${reason}`, { detail }));
    });
    child.stdin.end(input);
  });
}

function endOf(child: ChildProcess, end: number | string | null, timeoutMs: number): string {
  if (wasBlockedByPipe(child)) return 'a file that it reads, such as a .gitignore, is a named pipe';
  return child.killed ? `no answer in ${timeoutMs / 1000} s` : `ended with ${end}`;
}

const orphanGuard = new OrphanGuard();

// A named pipe in the place of a file such as .gitignore blocks git for ever, also after the host was killed.
function guardOrphan({ pid }: ChildProcess, mark: string): () => void {
  if (pid === undefined) return () => undefined;
  const holding = setTimeout(() => orphanGuard.add(pid, mark), shortRunMs);
  return () => {
    clearTimeout(holding);
    orphanGuard.remove(pid);
  };
}

// A Neovim that git has started has the variables of another repository. For snapshots none counts: they could name
// settings that run a program.
function inherited(isUsers: boolean): NodeJS.ProcessEnv {
  const isLeft = (name: string) => (isUsers ? !repositoryVariables.has(name) : !name.startsWith('GIT_'));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isLeft(name)));
}

function ownEnvironment(isLiteral: boolean): NodeJS.ProcessEnv {
  return {
    PATH: absoluteFolders(process.env.PATH),
    GIT_OPTIONAL_LOCKS: '0',
    // check-ignore always takes names literally and rejects the variable.
    ...(isLiteral && { GIT_LITERAL_PATHSPECS: '1' }),
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

// With a folder such as ./node_modules/.bin in PATH, the project could have a git of its own.
function absoluteFolders(searchPath = ''): string {
  return searchPath.split(path.delimiter).filter(path.isAbsolute).join(path.delimiter);
}

/** Splits the output of `git … -z`. */
export function splitAtNul(answer: Buffer): readonly string[] {
  return answer.toString().split('\0').slice(0, -1);
}
