import { describe, expect, it } from 'vitest';
import { OutputFilter } from '../../../../src/workspace/terminals/output-filter.ts';
import { fc } from '../../../support/property.ts';

const filtered = (...pieces: readonly string[]) => {
  const filter = new OutputFilter();
  return pieces.map((piece) => filter.filter(Buffer.from(piece)).toString()).join('');
};

describe('the filter of sequences', () => {
  const cancelled = '\x1b]52\x18';

  it.each([
    ['ended by BEL', 'a\x1b]52;c;aGk=\x07b', `a${cancelled}b`],
    ['ended by ST', 'a\x1b]52;c;aGk=\x1b\\b', `a${cancelled}b`],
    ['that reads the clipboard', '\x1b]52;c;?\x07b', `${cancelled}b`],
    ['that is empty', '\x1b]52\x07b\x1b]52\x1b\\b', `${cancelled}b${cancelled}b`],
    ['without a semicolon', '\x1b]52c;aGk=\x07b', `${cancelled}b`],
    ['with zeros before the number', '\x1b]0052;c;aGk=\x07b', '\x1b]0052\x18b'],
    ['with a number that overflows', '\x1b]4294967348;c;aGk=\x07b', '\x1b]429496\x18b'],
    ['with a NUL in the number', '\x1b]5\x002;c;aGk=\x07b', '\x1b]5\x002\x18b'],
    [
      'with control characters after ESC',
      '\x1b\0\x01\x07\n\x7f]52;c;aGk=\x07b',
      '\x1b\0\x01\x07\n\x7f]52\x18b',
    ],
    ['with a character beyond ASCII after ESC', '\x1bü]52;c;aGk=\x07b', '\x1bü]52\x18b'],
    ['without an end', 'a\x1b]52;c;aGk=', `a${cancelled}`],
    ['followed by another one', '\x1b]52;c;x\x1b]52;c;y\x07b', `${cancelled}${cancelled}b`],
    ['followed by a colour', '\x1b]52;c;x\x1b[31mred', `${cancelled}\x1b[31mred`],
    ['between the parts of another one', '\x1b]5\x1b]52;x\x072;c;aGk=\x07', `\x1b]5${cancelled}2;c;aGk=\x07`],
  ])('cancels one %s', (_, text, expected) => expect(filtered(text)).toBe(expected));

  it.each([
    ['colours', '\x1b[31mred\x1b[0m'],
    ['titles', '\x1b]0;title\x07'],
    ['links', '\x1b]8;;https://a.b\x1b\\text\x1b]8;;\x1b\\'],
    ['other numbers', '\x1b]520;x\x07\x1b]5;2;x\x07'],
    ['sequences with as many parameters as Neovim has room for', `\x1b[${Array(16).fill('1').join(';')}m`],
    ['many bytes that do not end a sequence', `\x1b]${'\0'.repeat(1_000_000)}x`],
    ['characters of several bytes', 'ü😀\x1b]2;ü\x07'],
  ])('keeps %s', (_, text) => expect(filtered(text)).toBe(text));

  const parameters = (count: number) => Array(count).fill('1').join(';');

  it.each([
    ['more parameters than Neovim has room for', `\x1b[${parameters(17)}mb`, `\x1b[${parameters(16)}\x18b`],
    ['parts of parameters', `\x1b[${'4:'.repeat(40)}3mb`, `\x1b[${'4:'.repeat(15)}4\x18b`],
    ['a title without end', `\x1b]2;${'x'.repeat(70_000)}\x07b`, `\x1b]2;${'x'.repeat(65_536)}\x18b`],
    ['a picture without end', `\x1b_G${'x'.repeat(70_000)}\x1b\\b`, `\x1b_G${'x'.repeat(65_535)}\x18b`],
  ])('cancels a sequence with %s', (_, text, expected) => expect(filtered(text)).toBe(expected));

  it.each([
    ['a character', 'a\x1b[3bb', 'a\x1b[3\x18aaab'],
    ['a character, without a count', 'a\x1b[bb', 'a\x1b[\x18ab'],
    [
      'a character, more often than it fits',
      'a\x1b[99999999999b',
      `a\x1b[99999999999\x18${'a'.repeat(1000)}`,
    ],
    ['nothing', '\x1b[3bb', '\x1b[3\x18b'],
    ['a wide character', '日\x1b[3bb', '日\x1b[3\x18b'],
  ])('does what a sequence that repeats %s means without it', (_, text, expected) =>
    expect(filtered(text)).toBe(expected),
  );

  it.each([
    ['alone', 'a\u0080b\u009fü·', 'a\u00a0b\u00a0ü·'],
    ['with a sequence inside of it', '\xc2\x1b[m\x80', '\xc2\x1b[m\xa0'],
  ])('shows a control character of two bytes as a blank: %s', (name, text, expected) => {
    const encoding = name === 'alone' ? 'utf8' : 'latin1';
    expect(new OutputFilter().filter(Buffer.from(text, encoding)).toString(encoding)).toBe(expected);
  });

  it('gives the same for any division into pieces', () => {
    const part = fc.constantFrom(
      'a',
      '\x1b',
      ']',
      '5',
      '2',
      '52',
      ';',
      '\x07',
      '\\',
      '\x1b]52;c;x',
      '\x1b\\',
      '\0',
      '\x1b[9',
      'b',
      '日',
      '\x80',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(filtered(...parts)).toBe(filtered(parts.join('')));
      }),
    );
  });

  it('starts again after output was skipped', () => {
    const filter = new OutputFilter();
    filter.filter(Buffer.from('\x1b]52;c;'));
    filter.reset();
    expect(filter.filter(Buffer.from('text')).toString()).toBe('text');
  });
});
