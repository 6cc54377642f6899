import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { AcpError } from '../../errors.ts';
import { Leash } from '../../processes.ts';

const patienceMs = 60_000;
/** Most runs are over by then, and need nobody to end them. */
const shortRunMs = 200;

/** Nothing of the user's runs or is written because we look: no hook, no monitor, no log of refs. */
const quietly = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['core.splitIndex', 'false'],
  ['core.quotePath', 'false'],
  ['core.sparseCheckout', 'false'],
  // A name that would be odd elsewhere is a name all the same.
  ['core.protectNTFS', 'false'],
  ['core.protectHFS', 'false'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

export interface GitRun {
  readonly cwd: string;
  /** Variables that git goes by. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs git and gives what it prints. */
export function git(words: readonly string[], { cwd, env = {}, input = '' }: GitRun): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const mark = randomUUID();
    const child = spawn('git', [...quietly, ...words], {
      cwd,
      env: { ...environment(words[0] !== 'check-ignore'), ...env, ACP_NVIM_GIT: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: patienceMs,
      windowsHide: true,
    });
    const release = endWithUs(child, mark);
    const [out, trouble]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => trouble.push(chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      release();
      if (code === 0) return resolve(Buffer.concat(out));
      const end = child.killed ? `no answer in ${patienceMs / 1000} s` : `ended with ${code ?? signal}`;
      const reason = Buffer.concat(trouble).toString().trim() || end;
      reject(new AcpError('file_error', `git ${words[0]} in ${cwd}: ${reason}`));
    });
    child.stdin.end(input);
  });
}

const leash = new Leash();

// A pipe in the place of a file such as .gitignore holds git up for ever, also when we are killed.
function endWithUs({ pid }: ChildProcess, mark: string): () => void {
  if (pid === undefined) return () => undefined;
  const holding = setTimeout(() => leash.hold(pid, mark), shortRunMs);
  return () => {
    clearTimeout(holding);
    leash.release(pid);
  };
}

// A Neovim that git itself has started is told of a repository that need not be this one.
function environment(isLiteral: boolean): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(inherited),
    GIT_OPTIONAL_LOCKS: '0',
    // It takes names as they are and refuses to be told so.
    ...(isLiteral && { GIT_LITERAL_PATHSPECS: '1' }),
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

/** The parts of an answer that end with NUL each. */
export function partsOf(answer: Buffer): readonly string[] {
  return answer.toString().split('\0').slice(0, -1);
}
