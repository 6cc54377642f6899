import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { encodeMessage } from '../../../src/nvim/encode-message.ts';
import { fc } from '../../support/property.ts';

// The decoder of the `neovim` package.
const { decode } = createRequire(createRequire(import.meta.url).resolve('neovim'))('@msgpack/msgpack') as {
  decode(bytes: Uint8Array): unknown;
};

const pass = (value: unknown) => decode(encodeMessage(value));

describe('a message to Neovim', () => {
  const values = [
    ...[0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 1_795_000_000_000],
    ...[-1, -32, -33, -128, -129, -(2 ** 31), -(2 ** 31) - 1, 0.5, -0.5, 2 ** 60, 1e300],
    ...[true, false, null, '', 'key', [], {}, [[]], [null]],
  ];
  it.each(values.map((value) => [value]))('has %j', (value) => {
    expect(pass(value)).toEqual(value);
  });

  it.each([1, 9, 10, 11, 31, 32, 85, 86, 255, 256, 21_845, 21_846, 65_536])(
    'has a string of %i characters',
    (length) => {
      for (const character of ['x', 'é', '…', '😀']) {
        const text = character.repeat(length);
        const [first, second] = pass([text, 'after']) as string[];
        expect(first === text).toBe(true);
        expect(second).toBe('after');
      }
    },
  );

  it.each([0, 15, 16, 20_000])('has a list and a table of %i', (count) => {
    const list = Array.from({ length: count }, (_, index) => index);
    expect(pass(list)).toEqual(list);
    const table = Object.fromEntries(list.map((index) => [`k${index}`, index]));
    expect(pass(table)).toEqual(table);
  });

  it.each([0, 255, 256, 65_536, 2_000_000])('has %i bytes', (length) => {
    const bytes = Buffer.alloc(length, 7);
    expect(bytes.equals(pass(bytes) as Uint8Array)).toBe(true);
  });

  it('leaves undefined fields out, which would be true in Lua', () => {
    expect(pass({ a: undefined, b: [{ c: undefined, d: 1 }] })).toEqual({ b: [{ d: 1 }] });
  });

  it('replaces half of a surrogate pair, because Neovim expects UTF-8', () => {
    expect(pass('a\ud83d')).toBe('a\ufffd');
  });

  it('does not change when the next one is encoded', () => {
    const first = encodeMessage(['first']);
    encodeMessage(['other']);
    expect(decode(first)).toEqual(['first']);
  });

  it('cannot have a function', () => {
    expect(() => encodeMessage([() => undefined])).toThrow('no type for a function');
  });

  it('arrives as it was, whatever it has', () => {
    const value = fc.anything({
      withNullPrototype: false,
      values: [
        fc.string({ unit: 'grapheme' }),
        fc.double({ noNaN: true }),
        fc.maxSafeInteger(),
        fc.boolean(),
      ],
      key: fc.string().filter((key) => key !== '__proto__'),
    });
    fc.assert(
      fc.property(value, (message) => {
        expect(pass([message])).toEqual([message]);
      }),
    );
  });
});
