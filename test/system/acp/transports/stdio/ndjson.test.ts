import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Reading, readNdjson as read } from '../../../../support/ndjson.ts';

const folder = path.resolve(import.meta.dirname, '../../../../fixtures/streams');
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
