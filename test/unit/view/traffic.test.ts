import { describe, expect, it } from 'vitest';
import type { TrafficEntry } from '../../../src/ports/traffic.ts';
import { messageLines, TrafficFormatter } from '../../../src/view/traffic.ts';

const noon = new Date(2026, 0, 2, 12, 0, 1, 5).getTime();

function anEntry(message: unknown, fields: Partial<TrafficEntry> = {}): TrafficEntry {
  return { number: 0, at: noon, isOutgoing: false, message, size: 100, isShortened: false, ...fields };
}

const update = (fields: object) => ({ method: 'session/update', params: { sessionId: 's', update: fields } });

describe('the heading of a message', () => {
  it.each<[string, TrafficEntry, string]>([
    [
      'an outgoing request',
      anEntry({ id: 3, method: 'session/cancel', params: { sessionId: 's' } }, { isOutgoing: true }),
      '→ session/cancel #3 {"sessionId":"s"}',
    ],
    ['a request without params', anEntry({ id: 'a', method: '_x' }), '← _x #a'],
    ['a response without a request', anEntry({ id: 3, result: {} }), '← result #3 {}'],
    [
      'a chunk',
      anEntry(update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'a\nb' } })),
      '← session/update agent_message_chunk "a\\nb"',
    ],
    [
      'a tool call',
      anEntry(update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'ls', status: 'pending' })),
      '← session/update tool_call t pending ls',
    ],
    [
      'another update',
      anEntry(update({ sessionUpdate: 'plan', entries: [] })),
      '← session/update plan {"entries":[]}',
    ],
    [
      'an update that is not an object',
      anEntry({ method: 'session/update', params: 5 }),
      '← session/update 5',
    ],
    ['a batch', anEntry([{ method: 'm' }]), '← batch [{"method":"m"}]'],
    [
      'a huge message',
      anEntry({ method: 'm' }, { isShortened: true, size: 3 * 1024 * 1024 }),
      '← m (3.0 MB, shortened)',
    ],
    ['control characters', anEntry({ method: 'a\x1b[2J\nb' }), '← a␛[2J b'],
    ['an error that is not an object', anEntry({ id: null, error: 'no' }), '← error #null'],
  ])('%s', (_, entry, expected) => {
    expect(new TrafficFormatter().heading(entry)).toBe(`12:00:01.005 ${expected}`);
  });

  it('names a response after its request, by direction', () => {
    const text = new TrafficFormatter();
    text.heading(anEntry({ id: 1, method: 'ours' }, { isOutgoing: true }));
    text.heading(anEntry({ id: 1, method: 'theirs' }));
    expect(text.heading(anEntry({ id: 1, error: { code: -32601, message: 'no' } }))).toContain(
      '← error of ours #1 -32601 no',
    );
    expect(text.heading(anEntry({ id: 1, result: null }, { isOutgoing: true }))).toContain(
      '→ result of theirs #1 null',
    );
    expect(text.heading(anEntry({ id: 1, result: 1 }))).toContain('← result #1 1');
  });

  it('stays short', () => {
    const line = new TrafficFormatter().heading(
      anEntry({ method: 'm', params: { text: 'x'.repeat(50_000) } }),
    );
    expect(line.length).toBeLessThan(150);
  });
});

it('messageLines indents JSON and removes control characters', () => {
  expect(messageLines({ a: ['\x9b', '\u202e'] })).toEqual([
    '  {',
    '    "a": [',
    '      "\ufffd",',
    '      "\ufffd"',
    '    ]',
    '  }',
  ]);
});
