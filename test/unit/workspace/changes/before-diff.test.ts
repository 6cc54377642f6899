import { expect, it } from 'vitest';
import { beforeDiff } from '../../../../src/workspace/changes/before-diff.ts';
import { linesIn, none, type Side } from '../../../../src/workspace/changes/file-review.ts';
import { linesOf } from '../../../../src/workspace/changes/lines.ts';

const text = (content: string): Side => ({ kind: 'text', lines: linesOf(content) });

it.each<[string, string | undefined, string | undefined, string, boolean, string | undefined]>([
  ['a whole file that is written', 'b\n', 'a\n', 'b\n', true, 'a\n'],
  ['a whole file that is not yet written', 'a\n', 'a\n', 'b\n', false, 'a\n'],
  ['a new file that is written', 'b\n', undefined, 'b\n', true, undefined],
  ['a new file that is not yet written', undefined, undefined, 'b\n', false, undefined],
  ['a part that is written', 'x\nb\ny\n', 'a', 'b', true, 'x\na\ny\n'],
  ['a part that is not yet written', 'x\na\ny\n', 'a', 'b', false, 'x\na\ny\n'],
  ['a part that failed to be written', 'x\na\nb\n', 'a', 'b', true, 'x\na\nb\n'],
  ['a part that is there twice', 'b\nb\n', 'a', 'b', true, 'b\nb\n'],
  ['a part that was removed', 'x\ny\n', 'a', '', true, 'x\ny\n'],
])('%s', (_, disk, oldText, newText, isOver, before) => {
  const side = beforeDiff(disk === undefined ? none : text(disk), { oldText, newText }, isOver);
  expect(side.kind === 'none' ? undefined : linesIn(side).join('')).toBe(before);
});
