import { describe, expect, it } from 'vitest';
import {
  type Document,
  decode,
  documentOf,
  encode,
  exactDocumentOf,
  sliceLines,
  textOf,
} from '../../../../src/workspace/files/document.ts';
import { fc } from '../../../support/property.ts';

const aDocument = (fields: Partial<Document>): Document => ({
  lines: ['a', 'b'],
  ending: '\n',
  isEnded: true,
  hasBom: false,
  ...fields,
});

describe('documentOf', () => {
  it.each<[string, string, Document]>([
    ['splits lines with newlines', 'a\nb\n', aDocument({})],
    ['keeps that the last line has no newline', 'a\nb', aDocument({ isEnded: false })],
    ['splits lines with carriage returns and newlines', 'a\r\nb\r\n', aDocument({ ending: '\r\n' })],
    ['keeps carriage returns of mixed line endings', 'a\r\nb\n', aDocument({ lines: ['a\r', 'b'] })],
    ['keeps a byte order mark', '\ufeffa\nb\n', aDocument({ hasBom: true })],
    ['splits an empty text', '', aDocument({ lines: [], isEnded: false })],
    ['splits a single newline', '\n', aDocument({ lines: [''] })],
  ])('%s', (_, text, document) => {
    expect(documentOf(text)).toEqual(document);
    expect(textOf(document)).toBe(text);
  });

  it('uses the given line ending for a text that shows none', () => {
    expect(documentOf('a\nb\n', '\r\n')).toEqual(aDocument({ ending: '\r\n' }));
    expect(documentOf('a', '\r\n')).toEqual(aDocument({ lines: ['a'], ending: '\r\n', isEnded: false }));
    expect(documentOf('a\rb\r', '\r')).toEqual(aDocument({ ending: '\r' }));
  });

  it('is inverted by textOf', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '\r', 'ä', '\0') });
    fc.assert(
      fc.property(text, (value) => {
        expect(textOf(documentOf(value))).toBe(value);
      }),
    );
  });
});

describe('sliceLines', () => {
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
  ])('of %j gives the lines from %i, at most %s', (text, line, limit, expected) => {
    expect(sliceLines(text, line, limit)).toBe(expected);
  });
});

it.each<[string, readonly number[], string]>([
  ['UTF-8', [0xc3, 0xa4], 'ä'],
  ['UTF-8 with a byte order mark', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
  ['other bytes as Latin-1', [0xe4, 0x0a], 'ä\n'],
  ['bytes that are no letter of Latin-1', [0x80, 0x9f], '\u0080\u009f'],
  ['UTF-16 little endian', [0xff, 0xfe, 0x61, 0x00], 'a'],
  ['UTF-16 big endian', [0xfe, 0xff, 0x00, 0x61], 'a'],
  ['NUL bytes', [0, 1], '\0\u0001'],
  ['no bytes', [], ''],
])('decode reads %s', (_, bytes, text) => {
  expect(decode(Buffer.from(bytes))).toBe(text);
});

it.each([
  ['UTF-8', Buffer.from('ä'), '€', Buffer.from('€')],
  ['UTF-8 for a new file', undefined, 'ä', Buffer.from('ä')],
  ['Latin-1', Buffer.from([0xe4]), '\0ÿ', Buffer.from([0, 0xff])],
  ['UTF-8 where Latin-1 lacks one of two characters', Buffer.from([0xe4]), '\u0100a', Buffer.from('\u0100a')],
  ['UTF-8 where Latin-1 lacks the last character', Buffer.from([0xe4]), 'a\u0100', Buffer.from('a\u0100')],
  ['UTF-16 little endian', Buffer.from([0xff, 0xfe]), 'a', Buffer.from([0xff, 0xfe, 0x61, 0])],
  ['UTF-16 big endian', Buffer.from([0xfe, 0xff]), 'a', Buffer.from([0xfe, 0xff, 0, 0x61])],
])('encode writes %s', (_, before, text, bytes) => {
  expect(encode(text, before)).toEqual(bytes);
});

it.each([
  ['only half of the mark for little endian', [0xff, 0x61], 'ÿa'],
  ['the other half of it', [0x61, 0xfe], 'aþ'],
  ['only half of the mark for big endian', [0xfe, 0x61], 'þa'],
  ['the other half of that', [0x61, 0xff], 'aÿ'],
])('a file with %s is not UTF-16', (_, bytes, text) => {
  expect(decode(Buffer.from(bytes))).toBe(text);
});

describe('exactDocumentOf', () => {
  it.each<[string, string, Document]>([
    ['takes newlines for line endings whatever the file had', 'a\nb\n', aDocument({})],
    ['takes pairs for line endings', 'a\r\nb\r\n', aDocument({ ending: '\r\n' })],
    [
      'keeps the line ending of a text without one',
      'a',
      aDocument({ lines: ['a'], ending: '\r', isEnded: false }),
    ],
    ['splits at carriage returns where there are no newlines', 'a\rb\r', aDocument({ ending: '\r' })],
  ])('%s', (_, text, document) => {
    expect(exactDocumentOf(text, '\r')).toEqual(document);
    expect(textOf(document)).toBe(text);
  });

  it('takes newlines if nothing is known about the file', () => {
    expect(exactDocumentOf('a')).toEqual(aDocument({ lines: ['a'], isEnded: false }));
  });
});

it.each<[string, string, Document]>([
  ['a line ending only where a line is ended', 'a', aDocument({ lines: ['a'], isEnded: false })],
  ['nothing for no lines', '', aDocument({ lines: [], isEnded: true })],
  ['a byte order mark of an empty text', '\ufeff', aDocument({ lines: [], hasBom: true })],
])('the text of a document has %s', (_, text, document) => {
  expect(textOf(document)).toBe(text);
});

it.each<[string, string, readonly string[]]>([
  ['pairs and newlines', 'a\r\nb\n', ['a\r', 'b']],
  ['a carriage return inside of a line', 'a\rb\n', ['a\rb']],
])('a text with %s has newlines as its line ending, whatever the file had', (_, text, lines) => {
  expect(documentOf(text, '\r\n')).toEqual(aDocument({ lines }));
});
