import { Readable } from 'node:stream';
import { NdjsonReader } from '../../src/acp/transports/stdio/ndjson.ts';

export interface Reading {
  readonly messages: unknown[];
  readonly noise: string[];
  readonly isClosed: boolean;
}

/** Reads a stream that arrives in these pieces. */
export async function readNdjson(pieces: Iterable<Buffer>): Promise<Reading> {
  const stream = new Readable({ read: () => undefined });
  const messages: unknown[] = [];
  const noise: string[] = [];
  const reader = new NdjsonReader(stream, (line) => noise.push(line));
  const closed = new Promise<boolean>((resolve) => reader.onClose(() => resolve(true)));
  reader.listen((message) => messages.push(message));
  for (const piece of pieces) stream.push(piece);
  stream.push(null);
  return { isClosed: await closed, messages, noise };
}
