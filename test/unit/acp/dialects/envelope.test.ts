import { describe, expect, it } from 'vitest';
import { answer, chunk, notification, refusal, request, Talk, update } from './talk.ts';

const bare = (message: object) =>
  Object.fromEntries(Object.entries(message).filter(([key]) => key !== 'jsonrpc'));

describe('6.1 B,E: no jsonrpc', () => {
  it.each<[string, object]>([
    ['a notification', update(chunk('hi'))],
    ['a request', request(7, 'fs/read_text_file', { sessionId: 's1', path: '/a' })],
    ['an error', refusal(1, -32603)],
  ])('%s', (_, message) => {
    const talk = new Talk();
    expect(talk.hear(bare(message))).toEqual([message]);
    expect(talk.rules).toEqual(['B,E: no jsonrpc']);
  });

  it('leaves alone what is no message at all', () => {
    const noise = { level: 'info', text: 'started' };
    expect(new Talk().hear(noise)[0]).toBe(noise);
  });
});

describe('6.1 E: result without id', () => {
  it('belongs to the only request that waits', () => {
    const talk = new Talk();
    const id = talk.ask('session/new');
    expect(talk.hear({ result: { sessionId: 's1' } })).toEqual([answer(id, { sessionId: 's1' })]);
    expect(talk.rules).toContain('E: result without id');
  });

  it('belongs to it time after time, for an agent that never names one', () => {
    const talk = new Talk();
    talk.ask('initialize');
    talk.hear({ result: { protocolVersion: 1 } });
    const id = talk.ask('session/set_mode');
    expect(talk.hear({ result: {} })).toEqual([answer(id, {})]);
  });

  it('fits an error as well', () => {
    const talk = new Talk();
    const id = talk.ask('session/new');
    expect(talk.hear({ error: { code: -32000, message: 'log in' } })).toEqual([
      refusal(id, -32000, 'log in'),
    ]);
  });

  it.each([0, 2])('cannot be matched when %i wait', (count) => {
    const talk = new Talk();
    for (let asked = 0; asked < count; asked++) talk.ask('session/new');
    const message = { jsonrpc: '2.0', result: {} };
    expect(talk.hear(message)[0]).toBe(message);
  });

  it('is no answer to a request of an agent that names what it answers', () => {
    const talk = new Talk();
    talk.result('initialize', { protocolVersion: 1 });
    talk.ask('session/prompt', { sessionId: 's1' });
    const message = { jsonrpc: '2.0', result: {} };
    expect(talk.hear(message)[0]).toBe(message);
  });
});

describe('6.1 A,E: response to session/cancel', () => {
  it.each([{ jsonrpc: '2.0', result: {} }, answer(null, null)])('is dropped: %j', (message) => {
    const talk = new Talk();
    talk.result('initialize', { protocolVersion: 1 });
    talk.ask('session/prompt', { sessionId: 's1' });
    talk.dialects.outbound(notification('session/cancel', { sessionId: 's1' }));
    expect(talk.hear(message)).toEqual([]);
    expect(talk.rules).toEqual(['A,E: response to session/cancel']);
  });
});

describe('6.1 the rest', () => {
  it('D: an error whose id is null stays', () => {
    const talk = new Talk();
    talk.ask('initialize');
    const message = refusal(null, -32700);
    expect(talk.hear(message)[0]).toBe(message);
  });

  it.each(['$/cancelRequest', '$/cancel_request'])('%s stays', (method) => {
    const message = notification(method, { requestId: 1 });
    expect(new Talk().hear(message)[0]).toBe(message);
  });

  it('E: shutdown stays, to be answered "method not found"', () => {
    const message = request(1, 'shutdown', {});
    expect(new Talk().hear(message)[0]).toBe(message);
  });

  it('splits a batch, each message on its own', () => {
    const talk = new Talk();
    const plain = update(chunk('a'));
    const heard = talk.hear([plain, bare(update(chunk('b'))), 5, [plain]]);
    expect(heard).toEqual([plain, update(chunk('b')), 5, [plain]]);
    expect(heard[0]).toBe(plain);
    expect(talk.rules).toEqual(['any: batch', 'B,E: no jsonrpc']);
  });
});

it('forgets a request with its answer', () => {
  const talk = new Talk();
  const id = talk.ask('session/prompt', { sessionId: 's1' });
  expect(talk.hear(answer(id, null))).toEqual([answer(id, { stopReason: 'end_turn' })]);
  expect(talk.hear(answer(id, null))).toEqual([answer(id, null)]);
});

it('forgets the oldest of very many requests', () => {
  const talk = new Talk();
  const first = talk.ask('session/prompt', { sessionId: 's1' });
  const ids = Array.from({ length: 1_000 }, () => talk.ask('session/prompt', { sessionId: 's1' }));
  expect(talk.hear(answer(first, null))).toEqual([answer(first, null)]);
  expect(talk.hear(answer(ids[0], null))).toEqual([answer(ids[0], { stopReason: 'end_turn' })]);
});

it('tells each kind of rewrite once', () => {
  const talk = new Talk();
  for (let round = 0; round < 3; round++) talk.hear(bare(update(chunk('hi'))));
  expect(talk.rules).toEqual(['B,E: no jsonrpc']);
});
