import { describe, expect, it } from 'vitest';
import { ClipboardFilter } from '../../../../src/workspace/terminals/clipboard-filter.ts';
import { fc } from '../../../support/property.ts';

const filtered = (...pieces: readonly string[]) => {
  const filter = new ClipboardFilter();
  return pieces.map((piece) => filter.filter(Buffer.from(piece)).toString()).join('');
};

describe('the filter of clipboard sequences', () => {
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
    ['many bytes that do not end a sequence', `\x1b]${'\0'.repeat(1_000_000)}x`],
    ['characters of several bytes', 'ü😀\x1b]2;ü\x07'],
  ])('keeps %s', (_, text) => expect(filtered(text)).toBe(text));

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
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(filtered(...parts)).toBe(filtered(parts.join('')));
      }),
    );
  });

  it('starts again after output was skipped', () => {
    const filter = new ClipboardFilter();
    filter.filter(Buffer.from('\x1b]52;c;'));
    filter.reset();
    expect(filter.filter(Buffer.from('text')).toString()).toBe('text');
  });
});
