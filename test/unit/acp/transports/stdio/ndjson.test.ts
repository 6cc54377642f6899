import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Message } from 'vscode-jsonrpc';
import { NdjsonReader, NdjsonWriter } from '../../../../../src/acp/transports/stdio/ndjson.ts';
import { settle } from '../../../../support/doubles/deferred.ts';
import { readNdjson as read } from '../../../../support/ndjson.ts';
import { waitFor } from '../../../../support/wait.ts';

describe('NdjsonReader at the end of the stream', () => {
  const whole = '{"id":1,"result":{}}\n';
  it.each<[string, string, object]>([
    [
      'reads a complete message without its newline',
      '{"id":2}',
      { messages: [{ id: 1, result: {} }, { id: 2 }] },
    ],
    ['reports half a message', '{"id":2,', { messages: [{ id: 1, result: {} }], noise: ['{"id":2,'] }],
    ['reports an incomplete line', '{"id":"ä', { messages: [{ id: 1, result: {} }], noise: ['{"id":"ä'] }],
    ['takes nothing for nothing', '', { messages: [{ id: 1, result: {} }], noise: [] }],
  ])('%s', async (_, rest, expected) => {
    expect(await read([Buffer.from(whole + rest)])).toMatchObject({ ...expected, isClosed: true });
  });

  it('survives bytes that are not UTF-8', async () => {
    const cut = Buffer.from('{"id":"世').subarray(0, -1);
    const { noise } = await read([cut]);
    expect(noise).toEqual(['{"id":"\ufffd']);
  });
});

it('NdjsonReader reads a message after a byte order mark', async () => {
  expect(await read([Buffer.from('\ufeff{"id":1}\n')])).toMatchObject({ messages: [{ id: 1 }], noise: [] });
});

it('NdjsonReader stops reading when it is disposed', async () => {
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

it('NdjsonReader yields to the event loop between two reads', async () => {
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

it('NdjsonReader reports a broken stream as an error', async () => {
  const stream = new PassThrough();
  const errors: Error[] = [];
  const reader = new NdjsonReader(stream, () => undefined);
  reader.onError((error) => errors.push(error));
  reader.listen(() => undefined);
  stream.destroy(new Error('EIO'));
  await waitFor(() => errors.length > 0);
  expect(errors[0]?.message).toBe('EIO');
});

describe('NdjsonWriter', () => {
  const message = (id: number) => ({ jsonrpc: '2.0', id, method: 'm' }) as Message;

  /** A stream that finishes one write at a time, when the test allows it. */
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

  it('writes one line per message, in order', async () => {
    const stream = new PassThrough();
    const writer = new NdjsonWriter(stream);
    await Promise.all([1, 2, 3].map((id) => writer.write(message(id))));
    expect(String(stream.read())).toBe([1, 2, 3].map((id) => `${JSON.stringify(message(id))}\n`).join(''));
  });

  it('escapes newlines inside a message', async () => {
    const stream = new PassThrough();
    await new NdjsonWriter(stream).write({ jsonrpc: '2.0', text: 'a\nb\r\n\u2028c' } as Message);
    expect(String(stream.read()).split('\n')).toHaveLength(2);
  });

  it('waits for drain before the next message', async () => {
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
  ])('drops waiting messages when the stream %s', async (_, error) => {
    const { stream } = aSlowStream();
    const writer = new NdjsonWriter(stream);
    const writes = [1, 2, 3].map((id) => writer.write(message(id)));
    await settle();
    stream.destroy(error);
    await expect(Promise.all(writes)).resolves.toHaveLength(3);
    expect(stream.listenerCount('drain')).toBe(0);
  });

  it('continues after a message that cannot be written', async () => {
    const stream = new PassThrough();
    const writer = new NdjsonWriter(stream);
    await expect(writer.write({ jsonrpc: '2.0', size: 1n } as unknown as Message)).rejects.toThrow(/BigInt/);
    await writer.write(message(2));
    expect(String(stream.read())).toBe(`${JSON.stringify(message(2))}\n`);
  });

  it('leaves no listeners behind', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    stream.resume();
    const writer = new NdjsonWriter(stream);
    for (let id = 0; id < 100; id += 1) await writer.write(message(id));
    expect(stream.listenerCount('close')).toBeLessThan(5);
    expect(stream.listenerCount('error')).toBeLessThan(5);
  });
});
