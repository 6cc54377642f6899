import { expect, it } from 'vitest';
import { contentBeforeDiff } from '../../../../src/workspace/changes/original-content.ts';
import {
  type FileContent,
  linesIn,
  noFile,
  splitLines,
} from '../../../../src/workspace/files/file-content.ts';

const text = (content: string): FileContent => ({ kind: 'text', lines: splitLines(content) });

it.each<[string, string | undefined, string | undefined, string, boolean, string | undefined]>([
  ['a whole file that was written', 'b\n', 'a\n', 'b\n', true, 'a\n'],
  ['a whole file that is not yet written', 'a\n', 'a\n', 'b\n', false, 'a\n'],
  ['a new file that was written', 'b\n', undefined, 'b\n', true, undefined],
  ['a new file that is not yet written', undefined, undefined, 'b\n', false, undefined],
  ['a part that was written', 'x\nb\ny\n', 'a', 'b', true, 'x\na\ny\n'],
  ['a part that is not yet written', 'x\na\ny\n', 'a', 'b', false, 'x\na\ny\n'],
  ['a part that failed to be written', 'x\na\nb\n', 'a', 'b', true, 'x\na\nb\n'],
  ['a part that occurs twice', 'b\nb\n', 'a', 'b', true, 'b\nb\n'],
  ['a part that was removed', 'x\ny\n', 'a', '', true, 'x\ny\n'],
])('contentBeforeDiff derives the original of %s', (_, disk, oldText, newText, isOver, before) => {
  const side = contentBeforeDiff(disk === undefined ? noFile : text(disk), { oldText, newText }, isOver);
  expect(side.kind === 'none' ? undefined : linesIn(side).join('')).toBe(before);
});
