import { once } from 'node:events';
import fs from 'node:fs';
import { createGunzip } from 'node:zlib';
import type { Unpack } from 'tar';

type Chunks = AsyncIterable<Buffer>;

const compressionStarts = [Buffer.from([0x1f, 0x8b]), Buffer.from([0x28, 0xb5, 0x2f, 0xfd])];

const longestStart = Math.max(...compressionStarts.map(({ length }) => length));

interface TarLimits {
  /** Of all content, also behind the last file. */
  readonly maxBytes: number;
  readonly tooLarge: Error;
  readonly signal?: AbortSignal | undefined;
}

/** Unpacks a tar archive, compressed with gzip or not. Rejects with the first error of the unpacker or of the limits. */
export async function unpackContent(file: string, unpacking: Unpack, limits: TarLimits): Promise<void> {
  const source = fs.createReadStream(file);
  const content = (await isGzip(file)) ? source.pipe(createGunzip()) : source;
  source.on('error', (error) => content.destroy(error));
  try {
    await feedTo(unpacking, withinLimits(content, limits));
  } finally {
    source.destroy();
    content.destroy();
  }
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await fs.promises.open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.equals(compressionStarts[0]!);
  } finally {
    await handle.close();
  }
}

// The unpacker would decompress once more, without a limit.
async function* withinLimits(chunks: Chunks, { maxBytes, tooLarge, signal }: TarLimits): Chunks {
  let bytes = 0;
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge;
    if (start) start = Buffer.concat([start, chunk]);
    // The first chunk may have a single byte.
    if (bytes < longestStart) continue;
    yield start ? uncompressed(start) : chunk;
    start = undefined;
  }
  if (start) yield uncompressed(start);
}

function uncompressed(content: Buffer): Buffer {
  const isCompressed = compressionStarts.some((start) => content.subarray(0, start.length).equals(start));
  if (isCompressed) throw new Error('it is compressed twice or in an unknown way');
  return content;
}

async function feedTo(unpacking: Unpack, chunks: Chunks): Promise<void> {
  const closed = new Promise<void>((resolve, reject) => {
    unpacking.on('error', reject);
    unpacking.on('close', () => resolve());
  });
  // Awaited below, unless the archive can't be read to its end.
  closed.catch(() => undefined);
  for await (const chunk of chunks) {
    if (!unpacking.write(chunk)) await Promise.race([once(unpacking, 'drain'), closed]);
  }
  unpacking.end();
  await closed;
}
