import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Document, decode, documentOf, sliceLines, textOf } from '../../../src/workspace/text.ts';

const aDocument = (fields: Partial<Document>): Document => ({
  lines: ['a', 'b'],
  ending: '\n',
  isEnded: true,
  hasBom: false,
  ...fields,
});

describe('a text as lines', () => {
  it.each<[string, string, Document]>([
    ['unix', 'a\nb\n', aDocument({})],
    ['without a last newline', 'a\nb', aDocument({ isEnded: false })],
    ['dos', 'a\r\nb\r\n', aDocument({ ending: '\r\n' })],
    ['mixed', 'a\r\nb\n', aDocument({ lines: ['a\r', 'b'] })],
    ['with a byte order mark', '\ufeffa\nb\n', aDocument({ hasBom: true })],
    ['empty', '', aDocument({ lines: [], isEnded: false })],
    ['one empty line', '\n', aDocument({ lines: [''] })],
  ])('%s', (_, text, document) => {
    expect(documentOf(text)).toEqual(document);
    expect(textOf(document)).toBe(text);
  });

  it('ends as it did before where the text does not say', () => {
    expect(documentOf('a\nb\n', '\r\n')).toEqual(aDocument({ ending: '\r\n' }));
    expect(documentOf('a', '\r\n')).toEqual(aDocument({ lines: ['a'], ending: '\r\n', isEnded: false }));
    expect(documentOf('a\rb\r', '\r')).toEqual(aDocument({ ending: '\r' }));
  });

  it('is the same text again', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '\r', 'ä', '\0') });
    fc.assert(
      fc.property(text, (value) => {
        expect(textOf(documentOf(value))).toBe(value);
      }),
    );
  });
});

describe('some lines of a text', () => {
  it.each<[string, number, number | undefined, string]>([
    ['a\nb\nc\n', 1, undefined, 'a\nb\nc\n'],
    ['a\nb\nc\n', 2, undefined, 'b\nc\n'],
    ['a\nb\nc\n', 2, 1, 'b\n'],
    ['a\nb\nc\n', 3, 5, 'c\n'],
    ['a\nb\nc', 3, 1, 'c'],
    ['a\nb\nc\n', 4, undefined, ''],
    ['a\nb\nc\n', 99, 5, ''],
    ['a\nb\nc\n', 1, 0, ''],
    ['', 1, 1, ''],
    ['a\r\nb\r\n', 2, 1, 'b\r\n'],
    ['\n\n', 2, 1, '\n'],
  ])('of %j from line %i, %s at most', (text, line, limit, expected) => {
    expect(sliceLines(text, line, limit)).toBe(expected);
  });
});

it.each<[string, readonly number[], string]>([
  ['UTF-8', [0xc3, 0xa4], 'ä'],
  ['a mark of UTF-8', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
  ['what is no UTF-8', [0xe4, 0x0a], 'ä\n'],
  ['UTF-16, little', [0xff, 0xfe, 0x61, 0x00], 'a'],
  ['UTF-16, big', [0xfe, 0xff, 0x00, 0x61], 'a'],
  ['zeros', [0, 1], '\0\u0001'],
  ['nothing', [], ''],
])('reads %s', (_, bytes, text) => {
  expect(decode(Buffer.from(bytes))).toBe(text);
});
