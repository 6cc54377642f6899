import { crc32 } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly text?: string;
  /** The mode of a file on Unix, its type included. */
  readonly mode?: number;
  /** The size in the header, if it is not the real one. */
  readonly claimedSize?: number;
  /** The checksum in the header, if it is not the real one. */
  readonly claimedChecksum?: number;
}

/** A zip of uncompressed files; names are not checked, so that invalid ones can be made. */
export function aZip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const local = localFile(entry);
    files.push(local);
    directory.push(directoryEntry(entry, offset));
    offset += local.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([...files, ...directory, endOfDirectory(entries.length, size, offset)]);
}

function facts({ name, text = '', claimedSize, claimedChecksum }: ZipEntry): Buffer {
  const content = Buffer.from(text);
  const fields = Buffer.alloc(26 - 4);
  fields.writeUInt32LE(claimedChecksum ?? crc32(content), 10);
  fields.writeUInt32LE(content.length, 14);
  fields.writeUInt32LE(claimedSize ?? content.length, 18);
  return Buffer.concat([fields, uint16(Buffer.byteLength(name)), uint16(0)]);
}

function localFile(entry: ZipEntry): Buffer {
  return Buffer.concat([
    uint32(0x04034b50),
    facts(entry),
    Buffer.from(entry.name),
    Buffer.from(entry.text ?? ''),
  ]);
}

function directoryEntry(entry: ZipEntry, offset: number): Buffer {
  const madeOnUnix = uint16(3 << 8);
  const attributes = uint32(((entry.mode ?? 0o100644) << 16) >>> 0);
  const rest = Buffer.concat([uint16(0), uint16(0), uint16(0), attributes, uint32(offset)]);
  return Buffer.concat([uint32(0x02014b50), madeOnUnix, facts(entry), rest, Buffer.from(entry.name)]);
}

function endOfDirectory(count: number, size: number, offset: number): Buffer {
  return Buffer.concat([
    uint32(0x06054b50),
    uint16(0),
    uint16(0),
    uint16(count),
    uint16(count),
    uint32(size),
    uint32(offset),
    uint16(0),
  ]);
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}
