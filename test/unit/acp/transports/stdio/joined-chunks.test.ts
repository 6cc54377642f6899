import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { separate } from '../../../../../src/acp/transports/joined-chunks.ts';
import { NdjsonReader } from '../../../../../src/acp/transports/stdio/ndjson.ts';
import { StdioReader, StdioWriter } from '../../../../../src/acp/transports/stdio/stdio.ts';
import { fc } from '../../../../support/property.ts';

interface Received {
  readonly messages: readonly unknown[];
  readonly invalid: readonly string[];
}

type CreateReader = (stream: PassThrough, onInvalid: (line: string) => void) => NdjsonReader;

const joining: CreateReader = (stream, onInvalid) =>
  new StdioReader(stream, onInvalid, new StdioWriter(new PassThrough()));
const single: CreateReader = (stream, onInvalid) => new NdjsonReader(stream, onInvalid);

async function receive(lines: readonly string[], create = joining): Promise<Received> {
  const stream = new PassThrough();
  const [messages, invalid]: [unknown[], string[]] = [[], []];
  const reader = create(stream, (line) => invalid.push(line));
  const ended = new Promise<void>((resolve) => reader.onClose(resolve));
  reader.listen((message) => messages.push(message));
  // The first line ends what was read before, and is read alone.
  stream.end(['{"first":1}', ...lines].map((line) => `${line}\n`).join(''));
  await ended;
  return { messages: messages.slice(1), invalid };
}

const update = (update: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update },
});
const chunk = (text: string, fields: object = {}) =>
  JSON.stringify(
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...fields }),
  );
const chunks = (...texts: readonly string[]) => texts.map((text) => chunk(text));
const textOf = (message: unknown) =>
  (message as { params: { update: { content: { text: string } } } }).params.update.content.text;
const letters = [...'abcdefghij'];

describe('StdioReader joins text chunks that arrive together', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['of one message', chunks(...letters), ['abcdefghij']],
    [
      'with every kind of text',
      chunks(...letters, '"', '\\n', '\n\t', 'ä😀', '\ud83d', '\ude00', ''),
      ['abcdefghij"\\n\n\tä😀😀'],
    ],
    ['but not a few', chunks('a', 'b', 'c'), ['a', 'b', 'c']],
    [
      'of each message',
      [...chunks(...letters), ...letters.map((text) => chunk(text, { messageId: 'm' }))],
      ['abcdefghij', 'abcdefghij'],
    ],
    [
      'up to another update',
      [...chunks(...letters), chunk('x', { _meta: {} }), ...chunks('y', 'z')],
      ['abcdefghij', 'x', 'yz'],
    ],
    [
      'but not those of the user',
      letters.map((text) => chunk(text, { sessionUpdate: 'user_message_chunk' })),
      letters,
    ],
    ['but not those with metadata', letters.map((text) => chunk(text, { _meta: { usage: {} } })), letters],
  ])('%s', async (_, lines, texts) => {
    const { messages, invalid } = await receive(lines);
    expect(messages.map(textOf)).toEqual(texts);
    expect(messages.flatMap(separate)).toEqual(lines.map((line) => JSON.parse(line)));
    expect(invalid).toEqual([]);
  });

  const [head = '', tail = ''] = chunk('|').split('|');
  it.each<[string, string]>([
    ['an escaped quote at its end', `${head}a\\${tail}`],
    ['half an escape', `${head}a\\u00${tail}`],
    ['a quote within', `${head}a","b${tail}`],
    ['a control character', `${head}a\tb${tail}`],
    ['no text at all', head + tail.slice(1)],
    ['something that is not JSON', 'Warning: slow'],
  ])('reports a line with %s and keeps the others', async (_, broken) => {
    const lines = [...chunks(...letters), broken, ...chunks(...letters)];
    const received = await receive(lines);
    expect(received.invalid).toEqual([broken]);
    expect(received.messages.map(textOf).join('')).toBe('abcdefghijabcdefghij');
  });

  it.each<[string, readonly string[]]>([
    ['an object', ['",{"a":"', 'b":"', 'c":""},"']],
    ['an array', ['",["', '', '"],"']],
    ['a request', ['",{"a":{"b":"', '"}},"method":"session/request_permission","x":{"y":{"z":"', '"}},"']],
  ])('does not take the parts of %s for texts', async (_, texts) => {
    const lines = [...chunks(...letters), ...texts.map((text) => head + text + tail), ...chunks(...letters)];
    const [joined, expected] = [await receive(lines), await receive(lines, single)];
    expect(joined.messages.flatMap(separate)).toEqual(expected.messages);
    expect(joined.invalid).toEqual(expected.invalid);
  });

  it.each<[string, string, string]>([
    ['text', '"text":"', ',"text":"b"'],
    ['text, which an agent hides with an escape', '"text":"', ',"te\\u0078t":"x"'],
    ['content', '"content":{"type":"text","text":"', '},"content":{"type":"text","text":""'],
  ])('shows of a repeated %s what counts', async (_, start, end) => {
    const before = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{';
    const named = start.startsWith('"content') ? '' : '"content":{"type":"text",';
    const name = '"sessionUpdate":"agent_message_chunk",';
    const lines = letters.map((text) => `${before}${name}${named}${start}${text}"${end}}}}}`);
    const { messages, invalid } = await receive(lines);
    expect(messages.map(textOf).join('')).toBe(lines.map((line) => textOf(JSON.parse(line))).join(''));
    expect(invalid).toEqual([]);
  });

  it('delivers what a reader of single messages delivers, in the same order', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('"', '\\', '\\"', '\\u00', '41', tail, head, '\\\\', '"text":"', '\u2028', '\ud83d'),
    );
    const line = fc.oneof(
      { weight: 8, arbitrary: text.map((each) => chunk(each)) },
      { weight: 4, arbitrary: text.map((each) => chunk(each, { messageId: 'm' })) },
      text.map((each) => `${head}${each.replaceAll('\n', '')}${tail}`),
      text.map((each) =>
        JSON.stringify(update({ content: { text: each, type: 'text' }, sessionUpdate: 'plan' })),
      ),
      fc.constantFrom('', '  ', '{"id":1,"result":{}}', 'noise', '{"text":"a","text":"b"}'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 40 }), async (lines) => {
        const [joined, expected] = [await receive(lines), await receive(lines, single)];
        expect(joined.messages.flatMap(separate)).toEqual(expected.messages);
        expect(joined.invalid).toEqual(expected.invalid);
        const joinedTexts = joined.messages.map((message) => [separate(message), message] as const);
        for (const [sent, message] of joinedTexts)
          if (sent.length > 1) expect(textOf(message)).toBe(sent.map(textOf).join(''));
      }),
    );
  });
});
