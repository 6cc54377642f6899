import { AcpError, messageOf } from '../../base/errors.ts';
import type { FileContent } from '../files/file-content.ts';

/** A file and its new content. */
interface Target {
  readonly path: string;
  readonly to: FileContent;
}

/**
 * Sorts files so that removals come first, the innermost at the beginning: a file may be where a folder was, and a
 * symlink where a folder is to be again.
 */
export function inPutOrder<T>(items: readonly T[], target: (item: T) => Target): readonly T[] {
  const known = items.map((item) => ({ item, ...target(item) }));
  const removed = known
    .filter(({ to }) => to.kind === 'none')
    .toSorted(byPath)
    .reverse();
  const made = known.filter(({ to }) => to.kind !== 'none').toSorted(byPath);
  return [...removed, ...made].map(({ item }) => item);
}

/** Calls `put` for every file. A failure does not stop the rest; the error at the end names all files that failed. */
export async function putAll<T extends { readonly path: string }>(
  files: readonly T[],
  put: (file: T) => Promise<void>,
): Promise<void> {
  const failures: { readonly path: string; readonly error: unknown }[] = [];
  for (const file of files) {
    await put(file).catch((error: unknown) => failures.push({ path: file.path, error }));
  }
  if (failures.length === 0) return;
  if (files.length === 1) throw failures[0]!.error;
  const reasons = failures.map(({ path, error }) => named(path, messageOf(error)));
  const count = `${failures.length} of ${files.length} files ${failures.length === 1 ? 'was' : 'were'} not restored`;
  throw new AcpError('file_error', `${count}: ${reasons.join('; ')}`, { cause: failures[0]!.error });
}

function named(path: string, message: string): string {
  return message.includes(path) ? message : `${path}: ${message}`;
}

export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}
