import { linesIn, none, type Side } from './file-review.ts';
import { linesOf } from './lines.ts';

/** What a tool call says it changes: the whole file, or only a part of it. */
export interface DiffPart {
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** What a file was before a diff, from what is on disk now, which may be before or after it. */
export function beforeDiff(disk: Side, { oldText, newText }: DiffPart, isOver: boolean): Side {
  if (disk.kind === 'binary') return disk;
  const text = linesIn(disk).join('');
  if (text === newText && disk.kind === 'text') return oldText === undefined ? none : asSide(oldText);
  if (!isOver || newText === '' || (oldText !== undefined && text.includes(oldText) && oldText !== ''))
    return disk;
  const [before, ...after] = text.split(newText);
  return after.length === 1 ? asSide(`${before}${oldText ?? ''}${after[0]}`) : disk;
}

function asSide(text: string): Side {
  return { kind: 'text', lines: linesOf(text) };
}
