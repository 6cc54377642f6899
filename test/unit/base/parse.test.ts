import { describe, expect, it } from 'vitest';
import {
  boolean,
  either,
  flag,
  listOf,
  mapOf,
  number,
  oneOf,
  optional,
  type Parse,
  shape,
  text,
  variants,
} from '../../../src/base/parse.ts';

const size = shape({ columns: number, rows: optional(number) });
const shapes = variants({
  dot: shape({ kind: oneOf('dot'), at: number }),
  line: shape({ kind: oneOf('line'), to: text }),
});

describe('a parser', () => {
  it.each<[string, Parse<unknown>, unknown, unknown]>([
    ['leaves out unknown fields and absent optional ones', size, { columns: 3, more: 1 }, { columns: 3 }],
    ['treats null as absent', size, { columns: 3, rows: null }, { columns: 3 }],
    ['accepts an empty Lua table as a table', shape({ sure: flag }), [], { sure: false }],
    ['accepts an empty Lua table as a map', mapOf(text), [], {}],
    ['accepts an empty map as a list', listOf(text), {}, []],
    ['accepts an absent list as empty', listOf(text), undefined, []],
    ['reads one of two types', either(boolean, text), 'on', 'on'],
    ['reads the fields of a kind', shapes, { kind: 'line', to: 'b' }, { kind: 'line', to: 'b' }],
  ])('%s', (_, parse, value, expected) => expect(parse(value, 'field')).toEqual(expected));

  it.each<[Parse<unknown>, unknown, string]>([
    [size, { columns: 'x' }, 'op: columns must be a number, not "x"'],
    [size, 7, 'op:  must be a table, not 7'],
    [
      shape({ sizes: listOf(size) }),
      { sizes: [{}] },
      'op: sizes[0].columns must be a number, but is missing',
    ],
    [shape({ env: mapOf(text) }), { env: { A: 1 } }, 'op: env.A must be a string, not 1'],
    [shape({ list: listOf(text) }), { list: 'x' }, 'op: list must be a list, not "x"'],
    [shapes, { kind: 'square' }, 'op: kind must be one of dot, line, not "square"'],
    [shapes, { kind: 'line' }, 'op: to must be a string, but is missing'],
  ])('names the invalid field: %#', (parse, value, message) => {
    expect(() => parse(value, 'op: ')).toThrow(message);
  });
});
