import { AcpError } from '../../base/errors.ts';
import { shorten } from '../../base/text.ts';
import { git, splitAtNul } from '../snapshots/git.ts';

const maxReason = 300;
/** As many files as a message of one line has room for. */
const maxNamed = 2;

/** Runs git as the user would, and resolves with its answer without the newline at its end. */
export async function run(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await git(args, { cwd, isUsers: true })).toString().replace(/\n$/, '');
}

/** The names that git answers with; `-z` must be among the arguments. */
export async function namesOf(cwd: string, ...args: readonly string[]): Promise<readonly string[]> {
  return splitAtNul(await git(args, { cwd, isUsers: true }));
}

/** Runs git in the repository alone, without a work tree: that of the user may be gone. */
export async function runBare(repository: string, ...args: readonly string[]): Promise<string> {
  const answer = await git(args, { cwd: repository, env: { GIT_DIR: repository }, isUsers: true });
  return answer.toString().replace(/\n$/, '');
}

export function isTrue(answer: Promise<unknown>): Promise<boolean> {
  return answer.then(
    () => true,
    () => false,
  );
}

/** What git says, in one line. */
export function reasonOf(error: unknown): string {
  const lines = error instanceof AcpError && error.detail.length > 0 ? error.detail : [String(error)];
  const said = lines.filter((line) => !line.startsWith('hint:')).join(' ');
  return shorten(
    said
      .replace(/\b(?:fatal|error): /g, '')
      .replace(/\s+/g, ' ')
      .trim(),
    maxReason,
  );
}

/** The first files of a list, for a message. */
export function someOf(files: readonly string[]): string {
  const rest = files.length - maxNamed;
  return [...files.slice(0, maxNamed), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

export function beOf(files: readonly string[]): string {
  return files.length === 1 ? 'is' : 'are';
}
