import fs from 'node:fs';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Message } from 'vscode-jsonrpc';
import { NdjsonReader, NdjsonWriter } from '../../../src/acp/ndjson.ts';
import { settle } from '../../support/doubles.ts';
import { waitFor } from '../../support/wait.ts';

interface Reading {
  readonly messages: unknown[];
  readonly noise: string[];
  readonly isClosed: boolean;
}

/** What a reader makes of a stream that comes in these pieces. */
async function read(pieces: Iterable<Buffer>): Promise<Reading> {
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

const folder = path.resolve(import.meta.dirname, '../../fixtures/streams');
const fixtures = fs
  .readdirSync(folder)
  .map((name) => [name, fs.readFileSync(path.join(folder, name))] as const);

const lines = (text: Buffer) => text.toString().split('\n').slice(0, -1);
const withLines = (change: (lines: string[]) => string) => (text: Buffer) => Buffer.from(change(lines(text)));

const shapes: [string, (text: Buffer) => Buffer][] = [
  ['as it is', (text) => text],
  ['with \\r\\n', withLines((all) => all.map((line) => `${line}\r\n`).join(''))],
  ['with blank lines', withLines((all) => `\n\r\n${all.map((line) => `${line}\n \n\n`).join('')}`)],
  ['without the last newline', withLines((all) => all.join('\n'))],
];
const streams = fixtures.flatMap(([name, text]) =>
  shapes.map(([shape, change]) => [name, shape, text, change(text)] as const),
);

describe.each(streams)('%s %s', (_name, _shape, original, text) => {
  const isMessage = (line: string) => line.startsWith('{') && line.endsWith('}');
  const messages = lines(original)
    .filter(isMessage)
    .map((line) => JSON.parse(line));
  const noise = lines(original).filter((line) => !isMessage(line));
  const withoutEnds = (reading: Reading) => ({ ...reading, noise: reading.noise.map((line) => line.trim()) });

  it('reads the same wherever it is cut in two', async () => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      const reading = withoutEnds(await read([text.subarray(0, cut), text.subarray(cut)]));
      expect(reading, `cut at ${cut}`).toEqual({ messages, noise, isClosed: true });
    }
  });

  it('reads the same byte by byte', async () => {
    const bytes = Array.from(text, (_byte, index) => text.subarray(index, index + 1));
    expect(withoutEnds(await read(bytes))).toEqual({ messages, noise, isClosed: true });
  });
});

describe('a stream that ends in the middle of a line', () => {
  const whole = '{"id":1,"result":{}}\n';
  it.each<[string, string, object]>([
    [
      'takes a complete message without its newline',
      '{"id":2}',
      { messages: [{ id: 1, result: {} }, { id: 2 }] },
    ],
    ['reports half a message', '{"id":2,', { messages: [{ id: 1, result: {} }], noise: ['{"id":2,'] }],
    [
      'reports a text without its end',
      '{"id":"ä',
      { messages: [{ id: 1, result: {} }], noise: ['{"id":"ä'] },
    ],
    ['takes nothing for nothing', '', { messages: [{ id: 1, result: {} }], noise: [] }],
  ])('%s', async (_, rest, expected) => {
    expect(await read([Buffer.from(whole + rest)])).toMatchObject({ ...expected, isClosed: true });
  });

  it('survives bytes that are no UTF-8', async () => {
    const cut = Buffer.from('{"id":"世').subarray(0, -1);
    const { noise } = await read([cut]);
    expect(noise).toEqual(['{"id":"\ufffd']);
  });
});

it('takes a message after a byte order mark', async () => {
  expect(await read([Buffer.from('\ufeff{"id":1}\n')])).toMatchObject({ messages: [{ id: 1 }], noise: [] });
});

it('stops reading when it is disposed', async () => {
  const stream = new PassThrough();
  const messages: unknown[] = [];
  const listening = new NdjsonReader(stream, () => undefined).listen((message) => messages.push(message));
  stream.write('{"id":1}\n');
  await waitFor(() => messages.length === 1);
  listening.dispose();
  stream.write('{"id":2}\n');
  await settle();
  expect(messages).toEqual([{ id: 1 }]);
});

it('lets others have their turn between two reads', async () => {
  const stream = new PassThrough();
  const turnsAtRead: number[] = [];
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turnsAtRead.length < 20) setImmediate(count);
  };
  for (let read = 0; read < 20; read += 1) stream.write('{"id":1}\n');
  new NdjsonReader(stream, () => undefined).listen(() => turnsAtRead.push(turns));
  setImmediate(count);
  await waitFor(() => turnsAtRead.length === 20);
  expect(new Set(turnsAtRead).size).toBe(20);
});

it('reports a broken stream as an error', async () => {
  const stream = new PassThrough();
  const errors: Error[] = [];
  const reader = new NdjsonReader(stream, () => undefined);
  reader.onError((error) => errors.push(error));
  reader.listen(() => undefined);
  stream.destroy(new Error('EIO'));
  await waitFor(() => errors.length > 0);
  expect(errors[0]?.message).toBe('EIO');
});

it('looks at each byte of a 64 MB line once', async () => {
  const megabyte = 1024 * 1024;
  const piece = Buffer.alloc(64 * 1024, 'x');
  const indexOf = vi.spyOn(piece, 'indexOf');
  const copied = countCopies(65 * megabyte);
  const head = Buffer.from('{"method":"big","params":"');
  const tail = Buffer.from('"}\n{"method":"next"}\n');
  const { messages, noise } = await read([head, ...Array<Buffer>(1024).fill(piece), tail]);
  const scanned = indexOf.mock.calls.reduce((sum, [, offset]) => sum + piece.length - Number(offset ?? 0), 0);
  expect(noise).toEqual([]);
  expect((messages as { method: string }[]).map(({ method }) => method)).toEqual(['big', 'next']);
  expect((messages[0] as { params: string }).params.length).toBe(64 * megabyte);
  expect(scanned).toBe(64 * megabyte);
  expect(copied()).toBeGreaterThan(64 * megabyte);
});

/** Counts the bytes that are put together to buffers, and stops at the limit before memory runs out. */
function countCopies(limit: number): () => number {
  const concat = Buffer.concat;
  let copied = 0;
  const spy = vi.spyOn(Buffer, 'concat').mockImplementation((parts, length) => {
    copied += sizeOf(parts);
    if (copied > limit) throw new Error(`more than ${limit} bytes were copied`);
    return concat(parts, length);
  });
  onTestFinished(() => spy.mockRestore());
  return () => copied;
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

describe('the writer', () => {
  const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'm' }) as Message;

  /** A stream that takes one write at a time, when the test lets it. */
  function aSlowStream() {
    const taken: string[] = [];
    const waiting: (() => void)[] = [];
    const stream = new Writable({
      highWaterMark: 1,
      decodeStrings: false,
      write: (line: string, _encoding, done) => {
        taken.push(line);
        waiting.push(done);
      },
    });
    return { stream, taken, drain: () => waiting.shift()?.() };
  }

  it('writes one line a message, in order', async () => {
    const stream = new PassThrough();
    const writer = new NdjsonWriter(stream);
    await Promise.all([1, 2, 3].map((id) => writer.write(message(id))));
    expect(String(stream.read())).toBe([1, 2, 3].map((id) => `${JSON.stringify(message(id))}\n`).join(''));
  });

  it('keeps a newline inside a text from ending the line', async () => {
    const stream = new PassThrough();
    await new NdjsonWriter(stream).write({ jsonrpc: '2.0', text: 'a\nb\r\n\u2028c' } as Message);
    expect(String(stream.read()).split('\n')).toHaveLength(2);
  });

  it('waits with the next message until the stream drains', async () => {
    const { stream, taken, drain } = aSlowStream();
    const writer = new NdjsonWriter(stream);
    let written = 0;
    for (const id of [1, 2, 3]) void writer.write(message(id)).then(() => (written += 1));
    await settle();
    expect({ taken: taken.length, buffered: stream.writableLength > 0, written }).toEqual({
      taken: 1,
      buffered: true,
      written: 0,
    });
    drain();
    await settle();
    expect({ taken: taken.length, written }).toEqual({ taken: 2, written: 1 });
  });

  it.each<[string, (stream: Writable) => void]>([
    ['ended', (stream) => stream.end()],
    ['destroyed', (stream) => stream.destroy()],
    ['broken', (stream) => stream.destroy(new Error('EPIPE'))],
  ])('does not reject when the stream was %s', async (_, close) => {
    const stream = new PassThrough();
    const writer = new NdjsonWriter(stream);
    close(stream);
    await expect(writer.write(message(1))).resolves.toBeUndefined();
  });

  it.each([
    ['is closed', undefined],
    ['breaks', new Error('EPIPE')],
  ])('lets go of messages that wait when the stream %s', async (_, error) => {
    const { stream } = aSlowStream();
    const writer = new NdjsonWriter(stream);
    const writes = [1, 2, 3].map((id) => writer.write(message(id)));
    await settle();
    stream.destroy(error);
    await expect(Promise.all(writes)).resolves.toHaveLength(3);
    expect(stream.listenerCount('drain')).toBe(0);
  });

  it('writes on after a message that can not be written', async () => {
    const stream = new PassThrough();
    const writer = new NdjsonWriter(stream);
    await expect(writer.write({ jsonrpc: '2.0', size: 1n } as unknown as Message)).rejects.toThrow(/BigInt/);
    await writer.write(message(2));
    expect(String(stream.read())).toBe(`${JSON.stringify(message(2))}\n`);
  });

  it('leaves no listener behind for each message', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    stream.resume();
    const writer = new NdjsonWriter(stream);
    for (let id = 0; id < 100; id += 1) await writer.write(message(id));
    expect(stream.listenerCount('close')).toBeLessThan(5);
    expect(stream.listenerCount('error')).toBeLessThan(5);
  });
});
