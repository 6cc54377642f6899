import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mediaExtensions, mediaTypeOf } from '../../../src/media/media-type.ts';
import { aBmp, aGif, aJpeg, anSvg, aPng, aWav, aWebp } from '../../support/pictures.ts';
import { fc } from '../../support/property.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');

describe('the type of a picture or sound', () => {
  it.each([
    ['image/png', aPng()],
    ['image/jpeg', aJpeg],
    ['image/gif', aGif],
    ['image/webp', aWebp],
    ['image/bmp', aBmp],
    ['audio/wav', aWav],
    ['audio/mpeg', latin('ID3\x04\0\0\0\0\0\0')],
    ['audio/mpeg', latin('\xff\xfb\x90\x64')],
    ['audio/ogg', latin('OggS\0\x02')],
    ['audio/flac', latin('fLaC\0\0\0\x22')],
    ['audio/mp4', latin('\0\0\0\x20ftypM4A ')],
  ])('%s is known by its first bytes', (mimeType, bytes) => {
    expect(mediaTypeOf(bytes)?.mimeType).toBe(mimeType);
  });

  it.each([
    ['nothing', ''],
    ['an SVG with a script, which is a text', anSvg],
    ['a UTF-16 text', '\xff\xfea\0b\0'],
    ['a text that begins like a bitmap', 'BMW and others'],
    ['a ZIP archive', 'PK\x03\x04'],
    ['a RIFF file of another kind', 'RIFF\0\0\0\0AVI LIST'],
    ['half of a signature', '\x89PNG'],
    ['a web page', '<!doctype html>'],
  ])('%s has none', (_, text) => {
    expect(mediaTypeOf(latin(text))).toBeUndefined();
  });

  it('is found for any bytes without an error', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 32 }), (bytes) => void mediaTypeOf(bytes)));
  });
});

it('the paths of the same types are recognised when they are pasted', () => {
  const lua = fs.readFileSync(
    path.resolve(import.meta.dirname, '../../../lua/acp/pictures/dropped_paths.lua'),
    'utf8',
  );
  const listed = [...lua.matchAll(/^ {2}(\w+) = true,$/gm)].map(([, name]) => `.${name}`);
  expect(listed.toSorted()).toEqual(mediaExtensions.toSorted());
});
