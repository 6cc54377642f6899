import { expect, it } from 'vitest';
import { lookUp } from '../../../src/base/record.ts';

it.each([
  ['a', 1],
  ['b', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
  [['a'], undefined],
  [undefined, undefined],
])('lookUp finds only own keys: %j', (key, expected) => expect(lookUp({ a: 1 }, key)).toBe(expected));
