import { describe, expect, it } from 'vitest';
import {
  answer,
  chunk,
  DialectHarness,
  notification,
  refusal,
  request,
  update,
} from '../../../support/dialects/dialect-harness.ts';

const bare = (message: object) =>
  Object.fromEntries(Object.entries(message).filter(([key]) => key !== 'jsonrpc'));

describe('B,E: no jsonrpc', () => {
  it.each<[string, object]>([
    ['a notification', update(chunk('hi'))],
    ['a request', request(7, 'fs/read_text_file', { sessionId: 's1', path: '/a' })],
    ['an error', refusal(1, -32603)],
  ])('%s', (_, message) => {
    const talk = new DialectHarness();
    expect(talk.receive(bare(message))).toEqual([message]);
    expect(talk.rules).toEqual(['B,E: no jsonrpc']);
  });

  it('ignores values that are not messages', () => {
    const noise = { level: 'info', text: 'started' };
    expect(new DialectHarness().receive(noise)[0]).toBe(noise);
  });
});

describe('E: result without id', () => {
  it('answers the only pending request', () => {
    const talk = new DialectHarness();
    const id = talk.request('session/new');
    expect(talk.receive({ result: { sessionId: 's1' } })).toEqual([answer(id, { sessionId: 's1' })]);
    expect(talk.rules).toContain('E: result without id');
  });

  it('answers every pending request of an agent that never sends ids', () => {
    const talk = new DialectHarness();
    talk.request('initialize');
    talk.receive({ result: { protocolVersion: 1 } });
    const id = talk.request('session/set_mode');
    expect(talk.receive({ result: {} })).toEqual([answer(id, {})]);
  });

  it('also applies to errors', () => {
    const talk = new DialectHarness();
    const id = talk.request('session/new');
    expect(talk.receive({ error: { code: -32000, message: 'log in' } })).toEqual([
      refusal(id, -32000, 'log in'),
    ]);
  });

  it.each([0, 2])('is not matched when %i requests are pending', (count) => {
    const talk = new DialectHarness();
    for (let asked = 0; asked < count; asked++) talk.request('session/new');
    const message = { jsonrpc: '2.0', result: {} };
    expect(talk.receive(message)[0]).toBe(message);
  });

  it('is not matched for an agent that sends ids', () => {
    const talk = new DialectHarness();
    talk.result('initialize', { protocolVersion: 1 });
    talk.request('session/prompt', { sessionId: 's1' });
    const message = { jsonrpc: '2.0', result: {} };
    expect(talk.receive(message)[0]).toBe(message);
  });
});

describe('A,E: response to session/cancel', () => {
  it.each([{ jsonrpc: '2.0', result: {} }, answer(null, null)])('is dropped: %j', (message) => {
    const talk = new DialectHarness();
    talk.result('initialize', { protocolVersion: 1 });
    talk.request('session/prompt', { sessionId: 's1' });
    talk.dialects.outbound(notification('session/cancel', { sessionId: 's1' }));
    expect(talk.receive(message)).toEqual([]);
    expect(talk.rules).toEqual(['A,E: response to session/cancel']);
  });
});

describe('Dialects envelope', () => {
  it('D: keeps an error with id null', () => {
    const talk = new DialectHarness();
    talk.request('initialize');
    const message = refusal(null, -32700);
    expect(talk.receive(message)[0]).toBe(message);
  });

  it.each(['$/cancelRequest', '$/cancel_request'])('keeps %s', (method) => {
    const message = notification(method, { requestId: 1 });
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });

  it('E: keeps shutdown, which is answered with "method not found"', () => {
    const message = request(1, 'shutdown', {});
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });

  it('splits a batch into its messages', () => {
    const talk = new DialectHarness();
    const plain = update(chunk('a'));
    const heard = talk.receive([plain, bare(update(chunk('b'))), 5, [plain]]);
    expect(heard).toEqual([plain, update(chunk('b')), 5, [plain]]);
    expect(heard[0]).toBe(plain);
    expect(talk.rules).toEqual(['any: batch', 'B,E: no jsonrpc']);
  });
});

it('Dialects forgets a request after its response', () => {
  const talk = new DialectHarness();
  const id = talk.request('session/prompt', { sessionId: 's1' });
  expect(talk.receive(answer(id, null))).toEqual([answer(id, { stopReason: 'end_turn' })]);
  expect(talk.receive(answer(id, null))).toEqual([answer(id, null)]);
});

it('Dialects forgets the oldest of very many requests', () => {
  const talk = new DialectHarness();
  const first = talk.request('session/prompt', { sessionId: 's1' });
  const ids = Array.from({ length: 1_000 }, () => talk.request('session/prompt', { sessionId: 's1' }));
  expect(talk.receive(answer(first, null))).toEqual([answer(first, null)]);
  expect(talk.receive(answer(ids[0], null))).toEqual([answer(ids[0], { stopReason: 'end_turn' })]);
});

it('Dialects reports each rule once', () => {
  const talk = new DialectHarness();
  for (let round = 0; round < 3; round++) talk.receive(bare(update(chunk('hi'))));
  expect(talk.rules).toEqual(['B,E: no jsonrpc']);
});
