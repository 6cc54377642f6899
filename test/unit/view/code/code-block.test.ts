import { describe, expect, it } from 'vitest';
import { codeBlockAt } from '../../../../src/view/code/code-block.ts';

const text = [
  'In `a.ts`:',
  '',
  '```ts title="x"',
  'one',
  '',
  'two',
  '```',
  'prose',
  '~~~',
  '```',
  '~~~',
  '```',
  'open',
];

describe('codeBlockAt', () => {
  const at = (row: number) => codeBlockAt(text.join('\n'), row);

  it.each([2, 3, 4, 5, 6])('finds the block from line %i of it', (row) => {
    expect(at(row)).toEqual({
      language: 'ts',
      info: 'ts title="x"',
      lines: ['one', '', 'two'],
      above: 'In `a.ts`:',
    });
  });

  it.each([0, 1, 7])('finds none in line %i of the prose', (row) => {
    expect(at(row)).toBeUndefined();
  });

  it('takes a fence of another kind as code, and the end of the text as the end', () => {
    expect(at(9)?.lines).toEqual(['```']);
    expect(at(12)?.lines).toEqual(['open']);
  });

  it('removes the indentation of the fence', () => {
    expect(codeBlockAt('- a\n  ```lua\n  if x\n    y\n  ```', 2)?.lines).toEqual(['if x', '  y']);
  });
});
