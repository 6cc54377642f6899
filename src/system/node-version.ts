import { execFile } from 'node:child_process';
import { findProgram } from './find-program.ts';

const deadlineMs = 2_000;

/** The version of the Node that a program of npm runs on, such as "22.1.0". It never rejects. */
export function findNodeVersion(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const node = findProgram('node', { cwd, searchPath: env.PATH });
  if (node === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    execFile(node, ['--version'], { timeout: deadlineMs }, (error, stdout) =>
      resolve(error ? undefined : /^v(\d+(?:\.\d+)*)/.exec(stdout)?.[1]),
    );
  });
}

/** Whether a version is older than another one, of which the last numbers may be missing. */
export function isOlderVersion(version: string, other: string): boolean {
  const [numbers, others] = [version, other].map((each) => each.split('.').map(Number));
  for (const [index, number] of others!.entries()) {
    const difference = (numbers![index] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
