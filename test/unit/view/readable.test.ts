import { expect, it } from 'vitest';
import { readable } from '../../../src/view/readable.ts';

it('readable shows names, values and the lines of strings', () => {
  const value = { a: 1, b: 'one\ntwo\n', c: [{ d: true, e: null }, 'x'], f: {} };
  expect(readable(value)).toEqual([
    'a: 1',
    'b:',
    '  one',
    '  two',
    'c:',
    '  - d: true',
    '    e: null',
    '  - x',
  ]);
  expect(readable('plain')).toEqual(['plain']);
});

it('readable limits the nesting depth', () => {
  let value: unknown = 'end';
  for (let depth = 0; depth < 5_000; depth += 1) value = { value };
  expect(readable(value).at(-1)?.trim()).toBe('(nested too deeply)');
});
