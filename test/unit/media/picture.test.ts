import { describe, expect, it } from 'vitest';
import { mediaTypeOf } from '../../../src/media/media-type.ts';
import { checkPicture } from '../../../src/media/picture.ts';
import { aBmp, aGif, aJpeg, aPng, aWebp } from '../../support/pictures.ts';
import { fc } from '../../support/property.ts';

const check = (bytes: Buffer) => checkPicture(bytes, mediaTypeOf(bytes)!);
const damaged = { problem: 'the picture is damaged or incomplete' };

describe('the size of a picture', () => {
  it.each([
    ['PNG', aPng(640, 480), { width: 640, height: 480 }],
    ['JPEG', aJpeg, { width: 5, height: 7 }],
    ['GIF', aGif, { width: 5, height: 7 }],
    ['WebP', aWebp, { width: 5, height: 7 }],
    ['BMP', aBmp, { width: 5, height: 7 }],
  ])('is read from a %s file', (_, bytes, size) => {
    expect(check(bytes)).toEqual({ size });
  });

  it.each([
    ['a PNG that ends in its pixels', aPng(64, 64).subarray(0, 60)],
    ['a PNG that ends in its header', aPng().subarray(0, 14)],
    ['a JPEG without an end', aJpeg.subarray(0, -2)],
    ['a JPEG without a size', Buffer.concat([aJpeg.subarray(0, 20), Buffer.from('ffd9', 'hex')])],
    ['a WebP that is shorter than it says', aWebp.subarray(0, -1)],
    ['a GIF without an end', aGif.subarray(0, -1)],
    ['a picture of no pixels', aPng(1, 1, { width: 0, height: 5 })],
  ])('is not known of %s', (_, bytes) => {
    expect(check(bytes)).toMatchObject(damaged);
  });

  it('of more than 64 million pixels is a problem, however small the file is', () => {
    const size = { width: 100_000, height: 100_000 };
    expect(check(aPng(1, 1, size))).toEqual({ problem: '100000×100000 pixels are too many', size });
  });

  it('is looked for in any bytes without an error', () => {
    const starts = [
      aPng().subarray(0, 8),
      aJpeg.subarray(0, 3),
      aGif.subarray(0, 6),
      aWebp.subarray(0, 16),
      aBmp.subarray(0, 10),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        check(Buffer.concat([start, rest]));
      }),
    );
  });

  it.each([0x00, 0x01, 0xff])('reads a damaged JPEG full of %i only once', (byte) => {
    const size = 64 * 1024;
    const reads = { count: 0 };
    const bytes = Buffer.concat([aJpeg.subarray(0, 4), Buffer.alloc(size, byte)]);
    expect(checkPicture(counted(bytes, reads), mediaTypeOf(bytes)!)).toMatchObject(damaged);
    expect(reads.count).toBeLessThan(5 * size);
  });
});

/** The same bytes; every use of them, and of parts of them, is counted. */
function counted(bytes: Buffer, reads: { count: number }): Buffer {
  return new Proxy(bytes, {
    get(target, key) {
      reads.count += 1;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, values);
        return Buffer.isBuffer(result) ? counted(result, reads) : result;
      };
    },
  });
}
