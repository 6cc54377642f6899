import { crc32, deflateSync } from 'node:zlib';

/** A picture of one colour, as a complete PNG file. `claimed` is the size that its header says. */
export function aPng(
  width = 4,
  height = 3,
  claimed: { readonly width: number; readonly height: number } = { width, height },
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(claimed.width, 0);
  header.writeUInt32BE(claimed.height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0x80)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** The header of a JPEG file of 5×7 pixels, and its end. */
export const aJpeg = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0000b080007000501011100ffd9',
  'hex',
);

export const aGif = Buffer.from('474946383961050007008000000000000000002c00000000050007000002003b', 'hex');

export const aWebp = (() => {
  const data = Buffer.alloc(30);
  data.write('RIFF', 0, 'latin1');
  data.writeUInt32LE(22, 4);
  data.write('WEBPVP8X', 8, 'latin1');
  data.writeUInt32LE(10, 16);
  data.writeUIntLE(4, 24, 3);
  data.writeUIntLE(6, 27, 3);
  return data;
})();

export const aBmp = (() => {
  const data = Buffer.alloc(58);
  data.write('BM', 0, 'latin1');
  data.writeUInt32LE(58, 2);
  data.writeUInt32LE(54, 10);
  data.writeUInt32LE(40, 14);
  data.writeInt32LE(5, 18);
  data.writeInt32LE(7, 22);
  return data;
})();

/** The header of a WAV file without samples. */
export const aWav = (() => {
  const data = Buffer.alloc(44);
  data.write('RIFF', 0, 'latin1');
  data.writeUInt32LE(36, 4);
  data.write('WAVEfmt ', 8, 'latin1');
  data.write('data', 36, 'latin1');
  return data;
})();

export const anSvg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>\n';
