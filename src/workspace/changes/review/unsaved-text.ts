import { computeHunksAsync } from '../../../diff/hunk-cache.ts';
import { groupHunks, merge, mergedLines } from '../../../diff/merge.ts';
import { type FileContent, linesIn, withoutLineEnding } from '../../files/file-content.ts';

/** A file on disk and what the user sees of it. */
export interface ShownFile {
  readonly disk: FileContent;
  readonly seen: FileContent;
}

/** What the user would see of a file if its buffer still had the text that was unsaved while the disk had `then`. */
export async function withUnsaved(
  now: FileContent,
  then: FileContent,
  unsaved: FileContent | undefined,
): Promise<FileContent> {
  if (!unsaved || now.kind === 'binary' || then.kind === 'binary') return now;
  const lines = mergedLines(await merge(linesIn(now), linesIn(then), linesIn(unsaved)));
  return lines ? { ...unsaved, ...now, kind: 'text', lines } : now;
}

/** Whether a new content of the disk changes lines that have unsaved text. */
export async function changesUnsaved({ disk, seen }: ShownFile, now: FileContent): Promise<boolean> {
  const [base, ours, theirs] = [disk, seen, now].map((content) => linesIn(content).map(withoutLineEnding));
  const typed = await computeHunksAsync(base!, ours!);
  if (typed.length === 0) return false;
  const groups = groupHunks([typed, await computeHunksAsync(base!, theirs!)]);
  return groups.some(({ sides }) => sides.every((hunks) => hunks.length > 0));
}
