import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitise, sanitiseLine } from '../../../src/view/sanitise.ts';

describe('text of an agent', () => {
  it.each<[string, string, string]>([
    ['plain text stays', 'Hello, wörld 世界 👍🏽', 'Hello, wörld 世界 👍🏽'],
    ['tabs and newlines stay', 'a\tb\nc', 'a\tb\nc'],
    ['a family of emojis stays one', '👩‍👩‍👧', '👩‍👩‍👧'],
    ['letters from right to left stay', 'שלום', 'שלום'],
    ['ANSI colours become visible', '\x1b[31mred\x1b[0m', '␛[31mred␛[0m'],
    ['a window title becomes visible', '\x1b]0;pwned\x07', '␛]0;pwned␇'],
    ['carriage returns go', 'a\r\nb\rc', 'a\nbc'],
    ['a backspace becomes visible', 'rm\b\bls', 'rm␈␈ls'],
    ['NUL becomes visible', 'a\0b', 'a␀b'],
    ['form feeds become visible', '\v\f', '␋␌'],
    ['DEL becomes visible', '\x7f', '␡'],
    ['C1 controls are replaced', '\x9b31m\x85', '\ufffd31m\ufffd'],
    ['line separators are replaced', 'a\u2028b\u2029c', 'a\ufffdb\ufffdc'],
    ['overrides of direction are replaced', 'a\u202eb\u202c', 'a\ufffdb\ufffd'],
    ['isolates of direction are replaced', '\u2066a\u2069', '\ufffda\ufffd'],
    ['half a character is replaced', 'a\ud83db\udc4d', 'a\ufffdb\ufffd'],
  ])('%s', (_, text, expected) => expect(sanitise(text)).toBe(expected));

  it('has no control characters and is well-formed, whatever it was', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const clean = sanitise(text);
        expect(clean).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
        expect(clean.isWellFormed()).toBe(true);
        expect(sanitise(clean)).toBe(clean);
      }),
      { numRuns: 1_000 },
    );
  });
});

it.each([
  ['  a \n\n b\tc ', 'a b c'],
  ['\n', ''],
  ['a\r\nb', 'a b'],
  ['\x1b[2J a', '␛[2J a'],
])('a title is one line: %j', (text, expected) => expect(sanitiseLine(text)).toBe(expected));
