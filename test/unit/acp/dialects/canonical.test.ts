import { describe, expect, it } from 'vitest';
import { Dialects } from '../../../../src/acp/dialects/dialects.ts';
import {
  extensions,
  notifications,
  requests,
  results,
} from '../../../support/dialects/canonical-messages.ts';
import {
  answer,
  DialectHarness,
  notification,
  refusal,
  request,
  type Wire,
} from '../../../support/dialects/dialect-harness.ts';
import { violationsOfCall, violationsOfResult } from '../../../support/schema.ts';

const methodOf = (message: Wire) => String(message.method);
const variantOf = (message: Wire) =>
  (message.params as { update?: { sessionUpdate: string } }).update?.sessionUpdate;
const calls = [...notifications, ...requests].map(
  (message) => [methodOf(message), variantOf(message), message] as const,
);

describe('Dialects passes canonical messages unchanged', () => {
  it.each(calls)('%s %s', (method, _, message) => {
    const talk = new DialectHarness();
    expect(violationsOfCall(method, message.params)).toEqual([]);
    expect(talk.receive(message)).toHaveLength(1);
    expect(talk.receive(message)[0]).toBe(message);
    expect(talk.rules).toEqual([]);
  });

  it.each(results)('result of %s', (method, result) => {
    const talk = new DialectHarness();
    const message = answer(talk.request(method, { sessionId: 's1' }), result);
    expect(violationsOfResult(method, result)).toEqual([]);
    expect(talk.receive(message)[0]).toBe(message);
    expect(talk.rules).toEqual([]);
  });

  it.each(extensions)('%j', (message) => {
    const talk = new DialectHarness();
    expect(talk.receive(message)[0]).toBe(message);
    expect(talk.rules).toEqual([]);
  });

  it('error response', () => {
    const talk = new DialectHarness();
    const message = refusal(talk.request('session/prompt'), -32000);
    expect(talk.receive(message)[0]).toBe(message);
  });

  it.each([
    request(1, 'session/prompt', { sessionId: 's1', prompt: [] }),
    notification('session/cancel', { sessionId: 's1' }),
    answer(7, { content: 'x' }),
    refusal(7, -32601),
  ])('outgoing message: %j', (message) => {
    expect(new DialectHarness().dialects.outbound(message)).toBe(message);
  });
});

describe('Dialects in strict mode', () => {
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

  it('changes no message in either direction', () => {
    const rules: string[] = [];
    const context = { onRuleApplied: (name: string) => rules.push(name), currentSession: () => 's1' };
    const dialects = new Dialects(context, { isStrict: true });
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
