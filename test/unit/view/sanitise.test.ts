import { describe, expect, it } from 'vitest';
import { sanitise, sanitiseLine } from '../../../src/view/sanitise.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';

const tags = (text: string) =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');

describe('sanitise', () => {
  it.each<[string, string, string]>([
    ['plain text stays', 'Hello, wörld 世界 👍🏽', 'Hello, wörld 世界 👍🏽'],
    ['tabs and newlines stay', 'a\tb\nc', 'a\tb\nc'],
    ['a joined emoji stays', '👩‍👩‍👧', '👩‍👩‍👧'],
    ['right-to-left letters stay', 'שלום', 'שלום'],
    ['ANSI colours become visible', '\x1b[31mred\x1b[0m', '␛[31mred␛[0m'],
    ['a window title becomes visible', '\x1b]0;pwned\x07', '␛]0;pwned␇'],
    ['carriage returns are removed', 'a\r\nb\rc', 'a\nbc'],
    ['a backspace becomes visible', 'rm\b\bls', 'rm␈␈ls'],
    ['NUL becomes visible', 'a\0b', 'a␀b'],
    ['form feeds become visible', '\v\f', '␋␌'],
    ['DEL becomes visible', '\x7f', '␡'],
    ['C1 controls are replaced', '\x9b31m\x85', '\ufffd31m\ufffd'],
    ['line separators are replaced', 'a\u2028b\u2029c', 'a\ufffdb\ufffdc'],
    ['direction overrides are replaced', 'a\u202eb\u202c', 'a\ufffdb\ufffd'],
    ['direction isolates are replaced', '\u2066a\u2069', '\ufffda\ufffd'],
    ['direction marks are replaced', 'a\u200eb\u200fc\u061cd', 'a�b�c�d'],
    ['signs for the form of an ASCII character', 'a>\ufe0fb ~\ufe0e +\ufe0f', 'a>�b ~� +�'],
    [
      'signs for the form of a character that has two stay',
      '≨\ufe00 ♥\ufe0f 1\ufe0f\u20e3',
      '≨\ufe00 ♥\ufe0f 1\ufe0f\u20e3',
    ],
    ['zero-width characters are replaced', 'a\u200bb\u2060c\ufeffd\u00ade\u034ff', 'a�b�c�d�e�f'],
    ['fillers are replaced', 'a\u3164b\uffa0c\u115f\u1160d', 'a�b�c��d'],
    ['tags are replaced', `ls${tags('rm')}`, 'ls��'],
    ['the flag of Wales stays', `🏴${tags('gbwls\x7f')}`, `🏴${tags('gbwls\x7f')}`],
    ['other tags after a flag are replaced', `🏴${tags('gbrm\x7f')}`, '🏴�����'],
    ['a joiner between letters that never join is replaced', 'r\u200dm \u200c-rf', 'r�m �-rf'],
    [
      'joiners of scripts that need them stay',
      'می\u200cخواهم क्\u200dष ශ්\u200dරී',
      'می\u200cخواهم क्\u200dष ශ්\u200dරී',
    ],
    ['a joiner after a skin colour or a heart stays', '👩🏽\u200d🚀 ❤️\u200d🔥', '👩🏽\u200d🚀 ❤️\u200d🔥'],
    ['variants of ideographs stay, others are replaced', '葛\u{e0100} a\u{e0101}', '葛\u{e0100} a�'],
    ['a lone surrogate is replaced', 'a\ud83db\udc4d', 'a\ufffdb\ufffd'],
  ])('%s', (_, text, expected) => expect(sanitise(text)).toBe(expected));

  it('returns well-formed text without control characters for any input', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const clean = sanitise(text);
        expect(clean).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
        expect(clean.isWellFormed()).toBe(true);
        expect(sanitise(clean)).toBe(clean);
      }),
      { numRuns: shortOrLong(300, 1_000) },
    );
  });
});

it.each([
  ['  a \n\n b\tc ', 'a b c'],
  ['\n', ''],
  ['a\r\nb', 'a b'],
  ['\x1b[2J a', '␛[2J a'],
])('sanitiseLine returns one line for %j', (text, expected) => expect(sanitiseLine(text)).toBe(expected));
