import { describe, expect, it } from 'vitest';
import { MessageLimit } from '../../../../../src/acp/transports/remote/message-limit.ts';

/** Counts a text of about a megabyte again and again. Returns why it was refused, undefined after 300 MB. */
function refusalOf(text: string, limit = new MessageLimit()): string | undefined {
  const count = limit.createCounter();
  const lines = Buffer.from(text.repeat(Math.ceil((1024 * 1024) / text.length)));
  try {
    for (let bytes = 0; bytes < 300 * 1024 * 1024; bytes += lines.length) count(lines);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('an event stream without a message', () => {
  it.each([
    ['short comments', ':\n', '1000000 lines'],
    ['comments that end with CR', ':\r:\r:\r:\n', '1000000 lines'],
    ['events without data', 'event: x\r\n\r\n', '1000000 lines'],
    ['one event without an end', 'data:\n', '1000000 lines'],
    ['long comments', `:${'x'.repeat(1000)}\n\n`, '16 MB'],
    ['a name that only begins like data', `datax${'x'.repeat(1000)}\n`, '16 MB'],
    ['empty events', 'data:\n\n', '100000 events'],
    ['events that end with CR', 'data: 1\r\r\n', '100000 events'],
    ['events behind byte order marks', '\ufeffdata: 1\n\n', '100000 events'],
  ])('is refused because of %s', (_, text, amount) => {
    expect(refusalOf(text)).toBe(`sent ${amount} without a message`);
  });

  it('may have an event of many lines, with any line endings', () => {
    const limit = new MessageLimit();
    expect(() => limit.createCounter()(Buffer.from('data: {\r\n'.repeat(900_000)))).not.toThrow();
  });

  it('begins to count again with every message', () => {
    const limit = new MessageLimit();
    const count = limit.createCounter();
    const lines = Buffer.from(`:${'x'.repeat(1024 * 1024)}\n`);
    for (let megabytes = 0; megabytes < 40; megabytes += 1) {
      count(lines);
      limit.noteMessage();
    }
    expect(() => count(lines)).not.toThrow();
  });

  it('is counted together with the other streams of the connection', () => {
    const limit = new MessageLimit();
    const counters = [limit.createCounter(), limit.createCounter()];
    const lines = Buffer.from(`:${'x'.repeat(6 * 1024 * 1024)}\n`);
    const countAll = () => {
      for (const count of counters) count(lines);
    };
    expect(countAll).not.toThrow();
    expect(countAll).toThrow('sent 16 MB without a message');
  });
});
