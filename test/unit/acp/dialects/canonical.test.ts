import { describe, expect, it } from 'vitest';
import { Dialects } from '../../../../src/acp/dialects/dialects.ts';
import { complaintsAboutCall, complaintsAboutResult } from '../../../support/acp-schema.ts';
import { extensions, notifications, requests, results } from './canonical-messages.ts';
import { answer, notification, refusal, request, Talk, type Wire } from './talk.ts';

const methodOf = (message: Wire) => String(message.method);
const variantOf = (message: Wire) =>
  (message.params as { update?: { sessionUpdate: string } }).update?.sessionUpdate;
const calls = [...notifications, ...requests].map(
  (message) => [methodOf(message), variantOf(message), message] as const,
);

describe('a canonical message passes untouched', () => {
  it.each(calls)('%s %s', (method, _, message) => {
    const talk = new Talk();
    expect(complaintsAboutCall(method, message.params)).toEqual([]);
    expect(talk.hear(message)).toHaveLength(1);
    expect(talk.hear(message)[0]).toBe(message);
    expect(talk.rules).toEqual([]);
  });

  it.each(results)('the result of %s', (method, result) => {
    const talk = new Talk();
    const message = answer(talk.ask(method, { sessionId: 's1' }), result);
    expect(complaintsAboutResult(method, result)).toEqual([]);
    expect(talk.hear(message)[0]).toBe(message);
    expect(talk.rules).toEqual([]);
  });

  it.each(extensions)('%j', (message) => {
    const talk = new Talk();
    expect(talk.hear(message)[0]).toBe(message);
    expect(talk.rules).toEqual([]);
  });

  it('an error, whatever it answers', () => {
    const talk = new Talk();
    const message = refusal(talk.ask('session/prompt'), -32000);
    expect(talk.hear(message)[0]).toBe(message);
  });

  it.each([
    request(1, 'session/prompt', { sessionId: 's1', prompt: [] }),
    notification('session/cancel', { sessionId: 's1' }),
    answer(7, { content: 'x' }),
    refusal(7, -32601),
  ])('and so does what we send: %j', (message) => {
    expect(new Talk().dialects.outbound(message)).toBe(message);
  });
});

describe('strict', () => {
  const foreign = [
    [notification('session/update', { contentChunk: { delta: 'hi' } })],
    { method: 'session/end_turn' },
    { method: 'auth_complete' },
    { result: { serverInfo: {} } },
    request(7, 'session/request_permission', { permissionId: 'p' }),
    request(8, 'fs/read_text_file', { file_path: '/a', startLine: 1 }),
    answer(1, { content: [] }),
    null,
    5,
  ];

  it('leaves everything as it is, both ways', () => {
    const rules: string[] = [];
    const host = { onRewrite: (kind: string) => rules.push(kind), currentSession: () => 's1' };
    const dialects = new Dialects(host, { isStrict: true });
    dialects.outbound(request(1, 'session/prompt', { sessionId: 's1' }));
    for (const message of [...foreign, ...calls.map(([, , message]) => message)]) {
      expect(dialects.inbound(message)).toHaveLength(1);
      expect(dialects.inbound(message)[0]).toBe(message);
    }
    const reply = answer(7, { outcome: { outcome: 'cancelled' } });
    expect(dialects.outbound(reply)).toBe(reply);
    expect(rules).toEqual([]);
  });
});
