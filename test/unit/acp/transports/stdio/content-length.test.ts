import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  ContentLengthSplitter,
  FramingDetector,
} from '../../../../../src/acp/transports/stdio/content-length.ts';
import type { SplitterEvents, TextSplitter } from '../../../../../src/acp/transports/stdio/line-splitter.ts';
import { StdioReader, StdioWriter } from '../../../../../src/acp/transports/stdio/stdio.ts';
import { settle } from '../../../../support/doubles/deferred.ts';
import { fc } from '../../../../support/property.ts';

const frame = (text: string, ...headers: string[]) =>
  [`Content-Length: ${Buffer.byteLength(text)}`, ...headers, '', text].join('\r\n');

type Create = (events: SplitterEvents, onFrames: () => void) => TextSplitter;

function split(pieces: readonly (Buffer | string)[], create: Create = aDetector) {
  const texts: string[] = [];
  let isFramed = false;
  const splitter = create(
    { onLine: (text) => texts.push(text), onOverflow: (bytes) => texts.push(`overflow ${bytes}`) },
    () => {
      isFramed = true;
    },
  );
  for (const piece of pieces) splitter.push(Buffer.from(piece));
  return {
    texts: texts.map((text) => text.trim()).filter((text) => text !== ''),
    isFramed,
    rest: splitter.end(),
  };
}

const aDetector: Create = (events, onFrames) => new FramingDetector(events, onFrames);
const aContentLengthSplitter: Create = (events) => new ContentLengthSplitter(events);

const one = '{"a":"ä€😀"}';
const two = '{"b":"Content-Length: 5\\r\\n\\r\\n"}';

describe('FramingDetector detects the framing from the first bytes', () => {
  it.each<[string, string, string[], boolean]>([
    ['lines', `${one}\n${two}\n`, [one, two], false],
    ['a list of messages', `[${one}]\n`, [`[${one}]`], false],
    ['frames', frame(one) + frame(two), [one, two], true],
    ['headers in small letters', frame(one).toLowerCase(), [one], true],
    ['another header first', `Content-Type: application/json\r\n${frame(one)}`, [one], true],
    [
      'a header after the length',
      frame(one, 'Content-Type: application/vscode-jsonrpc; charset=utf-8'),
      [one],
      true,
    ],
    ['bare newlines', frame(one).replaceAll('\r', ''), [one], true],
    ['blank lines before and between', `\r\n\n${frame(one)}\r\n\r\n${frame(two)}\n`, [one, two], true],
    ['a greeting, then frames', `Hello\nContent\n${frame(one)}`, ['Hello', 'Content', one], true],
    ['a greeting, then lines', `Hello\n${one}\n`, ['Hello', one], false],
    ['a word that only begins like a header', `Content-Lengthy\n${one}\n`, ['Content-Lengthy', one], false],
    ['a header in a text', `${two}\n${one}\n`, [two, one], false],
    ['an empty body', `${frame('')}${frame(one)}`, [one], true],
  ])('%s', (_, stream, texts, isFramed) => {
    expect(split([stream])).toMatchObject({ texts, isFramed });
  });

  it('wherever the stream is cut', () => {
    const stream = Buffer.from(`\r\nhi\n${frame(one, 'Content-Type: x')}\r\n${frame(two)}${frame(one)}`);
    for (let at = 0; at <= stream.length; at += 1) {
      const pieces = [stream.subarray(0, at), stream.subarray(at)];
      expect(split(pieces), `cut at ${at}`).toMatchObject({ texts: ['hi', one, two, one], isFramed: true });
    }
    expect(split([...stream].map((byte) => Buffer.from([byte])))).toMatchObject({
      texts: ['hi', one, two, one],
    });
  });

  it('chooses lines after a long banner without a newline', () => {
    const { texts, isFramed } = split(['x'.repeat(100_000), `\n${one}\n`]);
    expect(texts.at(-1)).toBe(one);
    expect(isFramed).toBe(false);
  });
});

describe('ContentLengthSplitter with a wrong length', () => {
  it.each<[string, string, string[]]>([
    ['no number', `Content-Length: many\r\n\r\n${one}${frame(two)}`, ['Content-Length: many', one, two]],
    ['negative', `Content-Length: -4\r\n\r\n${one}${frame(two)}`, ['Content-Length: -4', one, two]],
    [
      'absurd',
      `Content-Length: 99999999999\r\n\r\n${one}${frame(two)}`,
      ['Content-Length: 99999999999', one, two],
    ],
    ['missing', `Content-Length:\r\n\r\n${one}${frame(two)}`, ['Content-Length:', one, two]],
    ['too long', `Content-Length: 5000\r\n\r\n${one}${frame(two)}`, [one, two]],
    ['too long, with nothing behind it', `Content-Length: 5000\r\n\r\n${one}`, [one]],
    ['too long, with a line between', `Content-Length: 5000\r\n\r\n${one}\r\n${frame(two)}`, [one, two]],
    [
      'in characters instead of bytes',
      `Content-Length: ${one.length}\r\n\r\n${one}${frame(two)}`,
      [one, two],
    ],
    ['too short, with nothing behind it', `Content-Length: 4\r\n\r\n${one}`, [one]],
    ['absent: a line among frames', `${frame(one)}${two}\n${frame(one)}`, [one, two, one]],
  ])('loses no other message: %s', (_, stream, texts) => {
    expect(split([stream], aContentLengthSplitter).texts).toEqual(texts);
    const bytes = [...Buffer.from(stream)].map((byte) => Buffer.from([byte]));
    expect(split(bytes, aContentLengthSplitter).texts).toEqual(texts);
  });

  it('drops a header that is longer than a message may be', () => {
    const header = `Content-Length: ${256 * 1024 * 1024 + 1}\r\n\r\n`;
    expect(split([header, frame(one)], aContentLengthSplitter).texts).toEqual([header.trim(), one]);
  });

  it('never throws, whatever the input', () => {
    const pieces = fc.array(
      fc.oneof(fc.constantFrom(frame(one), '\r\n', 'Content-Length: ', '9', '{', '}'), fc.string()),
    );
    fc.assert(
      fc.property(pieces, (stream) => {
        split(stream);
        split(stream, aContentLengthSplitter);
      }),
    );
  });
});

describe('StdioReader and StdioWriter', () => {
  function aPair(isFramed = false) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const writer = new StdioWriter(output, isFramed);
    const messages: unknown[] = [];
    const noise: string[] = [];
    new StdioReader(input, (text) => noise.push(text), writer).listen((message) => messages.push(message));
    const write = (text: string) => writer.write({ jsonrpc: '2.0', text } as never);
    return { input, output, messages, noise, write };
  }

  it('write lines until the agent sends Content-Length frames', async () => {
    const { input, output, messages, write } = aPair();
    await write('ä');
    expect(String(output.read())).toBe('{"jsonrpc":"2.0","text":"ä"}\n');
    input.write(frame('{"jsonrpc":"2.0","id":0}'));
    await settle();
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 0 }]);
    await write('ä');
    expect(String(output.read())).toBe('Content-Length: 29\r\n\r\n{"jsonrpc":"2.0","text":"ä"}');
  });

  it('write frames from the start if configured, and still read lines', async () => {
    const { input, output, messages, noise, write } = aPair(true);
    await write('a');
    expect(String(output.read())).toMatch(/^Content-Length: 28\r\n\r\n\{/);
    input.write('Loading\n{"jsonrpc":"2.0","id":0}\n');
    await settle();
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 0 }]);
    expect(noise).toEqual(['Loading']);
  });
});
