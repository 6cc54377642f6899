import { describe, expect, it } from 'vitest';
import {
  type FileContent,
  linesIn,
  modeChange,
  noFile,
  sameContent,
  splitLines,
  textIn,
  withoutLastLineEnding,
} from '../../../../src/workspace/files/file-content.ts';

const aText = (text: string, isProgram?: boolean): FileContent => ({
  kind: 'text',
  lines: splitLines(text),
  ...(isProgram !== undefined && { isProgram }),
});
const aBlob = (blob: string, file: 'file' | 'program' | 'link' = 'file'): FileContent => ({
  kind: 'binary',
  blob,
  file,
});

describe('two contents are the same', () => {
  it.each<[string, FileContent, FileContent]>([
    ['if there is no file', { kind: 'none' }, noFile],
    ['if the lines are', aText('a\nb\n'), aText('a\nb\n')],
    ['if neither is known to be a program', aText('a\n'), aText('a\n', false)],
    ['if both are programs with these lines', aText('a\n', true), aText('a\n', true)],
    ['if their blobs are', aBlob('1', 'link'), aBlob('1', 'link')],
  ])('%s', (_, one, other) => expect(sameContent(one, other)).toBe(true));

  it.each<[string, FileContent, FileContent]>([
    ['if the lines differ', aText('a\n'), aText('b\n')],
    ['if only one is a program', aText('a\n', true), aText('a\n')],
    ['if the blobs differ', aBlob('1'), aBlob('2')],
    ['if a file became a link', aBlob('1'), aBlob('1', 'link')],
    ['if an empty file became none', aText(''), noFile],
    ['if a text became none', aText('a\n'), noFile],
    ['if a blob became none', aBlob('1'), noFile],
    ['if a text became a blob', aText('a\n'), aBlob('1')],
  ])('not %s', (_, one, other) => {
    expect(sameContent(one, other)).toBe(false);
    expect(sameContent(other, one)).toBe(false);
  });
});

it.each<[string, FileContent, FileContent]>([
  ['a newline', aText('a\nb\n'), aText('a\nb')],
  ['a carriage return and a newline', aText('a\r\nb\r\n'), aText('a\r\nb')],
  ['nothing if there is none', aText('a\nb'), aText('a\nb')],
  ['no carriage return inside of the last line', aText('a\nb\rc'), aText('a\nb\rc')],
  ['nothing of an empty text', aText(''), aText('')],
  ['nothing of a blob', aBlob('1'), aBlob('1')],
  ['nothing where there is no file', noFile, noFile],
])('without its last line ending a content loses %s', (_, content, expected) => {
  expect(withoutLastLineEnding(content)).toEqual(expected);
});

it('a program without its last line ending is still a program', () => {
  expect(withoutLastLineEnding(aText('a\n', true))).toEqual(aText('a', true));
});

it.each<[string, FileContent, FileContent, string | undefined]>([
  ['a text that becomes a program', aText('a'), aText('b', true), 'executable'],
  ['a program that becomes a text', aText('a', true), aText('a'), 'not executable'],
  ['a text that stays one', aText('a'), aText('b'), undefined],
  ['a program that stays one', aText('a', true), aText('a', true), undefined],
  ['a new program', noFile, aText('a', true), undefined],
  ['a deleted program', aText('a', true), noFile, undefined],
])('the change of the mode is told of %s', (_, from, to, expected) => {
  expect(modeChange(from, to)).toBe(expected);
});

it.each<[string, readonly string[]]>([
  ['', []],
  ['\n', ['\n']],
  ['a', ['a']],
  ['a\n', ['a\n']],
  ['a\n\nb', ['a\n', '\n', 'b']],
  ['a\r\nb\rc\n', ['a\r\n', 'b\rc\n']],
])('the lines of %j are %j, and joined they are the text', (text, lines) => {
  expect(splitLines(text)).toEqual(lines);
  expect(textIn(aText(text))).toBe(text);
});

it.each<[string, FileContent]>([
  ['a blob', aBlob('1')],
  ['no file', noFile],
])('%s has no lines', (_, content) => {
  expect(linesIn(content)).toEqual([]);
  expect(textIn(content)).toBe('');
});
