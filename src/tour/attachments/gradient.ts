import { deflateSync } from 'node:zlib';

/** A PNG file whose colours change from left to right and from top to bottom. */
export function makeGradient(width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, (_, y) => makeRow(width, y / height));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each of red, green and blue.
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

// The first byte says that the row is not filtered.
function makeRow(width: number, down: number): Buffer {
  const colours = Array.from({ length: width }, (_, x) => [
    (x / width) * 255,
    down * 255,
    255 - (x / width) * 255,
  ]);
  return Buffer.from([0, ...colours.flat()]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

// `crc32` of node:zlib is missing in the first releases of Node 20.
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
