import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../../../src/acp/transports/stdio/line-splitter.ts';

function split(pieces: readonly Buffer[], maxBytes?: number) {
  const seen: (string | number)[] = [];
  const splitter = new LineSplitter(
    { onLine: (line) => seen.push(line), onOverflow: (bytes) => seen.push(bytes) },
    maxBytes,
  );
  for (const piece of pieces) splitter.push(piece);
  return { seen, rest: splitter.end() };
}

function everyCut(text: Buffer): readonly Buffer[][] {
  return Array.from({ length: text.length + 1 }, (_, at) => [text.subarray(0, at), text.subarray(at)]);
}

describe('LineSplitter', () => {
  it.each<[string, string, string[], string]>([
    ['none', '', [], ''],
    ['one', 'a\n', ['a'], ''],
    ['empty ones', '\n\n', ['', ''], ''],
    ['a rest', 'a\nb', ['a'], 'b'],
    ['characters of one to four bytes', 'aäé世👍\n👍', ['aäé世👍'], '👍'],
    ['a carriage return is part of its line', 'a\r\nb\r\n', ['a\r', 'b\r'], ''],
  ])('%s', (_, text, seen, rest) => {
    for (const pieces of everyCut(Buffer.from(text))) expect(split(pieces)).toEqual({ seen, rest });
  });

  it('returns the unfinished line only once', () => {
    const splitter = new LineSplitter({ onLine: () => undefined, onOverflow: () => undefined });
    splitter.push(Buffer.from('rest'));
    expect([splitter.end(), splitter.end()]).toEqual(['rest', '']);
  });
});

describe('LineSplitter with a limit', () => {
  const text = Buffer.from('ok\n0123456789\nok again\n');

  it('drops a longer line wherever the reads cut it', () => {
    for (const pieces of everyCut(text)) {
      expect(split(pieces, 8)).toEqual({ seen: ['ok', 10, 'ok again'], rest: '' });
    }
  });

  it('drops a longer line that arrives byte by byte', () => {
    const bytes = Array.from(text, (_, index) => text.subarray(index, index + 1));
    expect(split(bytes, 8).seen).toEqual(['ok', 10, 'ok again']);
  });

  it('keeps a line of exactly the limit', () => {
    expect(split([Buffer.from('01234'), Buffer.from('567\n')], 8).seen).toEqual(['01234567']);
  });

  it('drops a longer unfinished line at the end', () => {
    expect(split([Buffer.from('01234'), Buffer.from('56789')], 8)).toEqual({ seen: [], rest: '' });
  });
});
