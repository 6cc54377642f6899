import { spawn } from 'node:child_process';
import { AcpError } from '../../errors.ts';

const patienceMs = 60_000;

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
    const child = spawn('git', [...quietly, ...words], {
      cwd,
      env: { ...environment(words[0] !== 'check-ignore'), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: patienceMs,
      windowsHide: true,
    });
    const [out, trouble]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => trouble.push(chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(Buffer.concat(out));
      const reason = Buffer.concat(trouble).toString().trim() || `ended with ${code ?? signal}`;
      reject(new AcpError('file_error', `git ${words[0]} in ${cwd}: ${reason}`));
    });
    child.stdin.end(input);
  });
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
