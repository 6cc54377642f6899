import { type FileContent, linesIn, noFile, splitLines } from '../files/file-content.ts';

/** The change that a tool call reports: of the whole file, or of a part of it. */
export interface DiffPart {
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** The content of a file before a reported change, derived from the disk, which may be before or after that change. */
export function contentBeforeDiff(
  disk: FileContent,
  { oldText, newText }: DiffPart,
  isOver: boolean,
): FileContent {
  if (disk.kind === 'binary') return disk;
  const text = linesIn(disk).join('');
  if (text === newText && disk.kind === 'text') return oldText === undefined ? noFile : asContent(oldText);
  if (!isOver || newText === '' || (oldText !== undefined && text.includes(oldText) && oldText !== ''))
    return disk;
  const [before, ...after] = text.split(newText);
  return after.length === 1 ? asContent(`${before}${oldText ?? ''}${after[0]}`) : disk;
}

function asContent(text: string): FileContent {
  return { kind: 'text', lines: splitLines(text) };
}
