import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { TrafficLog } from '../../../../src/acp/connection/traffic-log.ts';
import { noteOriginals } from '../../../../src/acp/transports/joined-chunks.ts';
import { PipedConnection } from '../../../support/agents/piped-connection.ts';
import { waitFor } from '../../../support/wait.ts';

function aLog(...messages: readonly unknown[]): TrafficLog {
  let now = 0;
  const log = new TrafficLog(() => ++now);
  for (const message of messages) log.add(message, false);
  return log;
}

function many(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({ method: 'm', params: { index } }));
}

function nested(depth: number): unknown {
  return JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`);
}

describe('TrafficLog', () => {
  it('keeps messages unchanged, with time and direction', () => {
    const message = { method: 'm' };
    const log = new TrafficLog(() => 5);
    log.add(message, true);
    const [entry] = log.since(0);
    expect(entry).toMatchObject({ number: 0, at: 5, isOutgoing: true, isShortened: false });
    expect(entry?.message).toBe(message);
  });

  it('keeps the last 2,000 messages', () => {
    const log = aLog(...many(7_001));
    const kept = log.since(0);
    expect([log.oldest, kept.length]).toEqual([5_001, 2_000]);
    expect([kept[0]?.number, kept.at(-1)?.number]).toEqual([5_001, 7_000]);
    expect(log.since(6_999).map(({ number }) => number)).toEqual([6_999, 7_000]);
    expect(log.since(6_000, 2).map(({ number }) => number)).toEqual([6_000, 6_001]);
    expect(log.since(9_000)).toEqual([]);
  });

  it('keeps fewer messages when they are large', () => {
    const log = aLog(...Array.from({ length: 1_000 }, () => ({ text: 'x'.repeat(60_000) })));
    const bytes = JSON.stringify(log.since(0)).length;
    expect(bytes).toBeGreaterThan(10 * 1024 * 1024);
    expect(bytes).toBeLessThan(17 * 1024 * 1024);
  });

  it.each<[string, unknown]>([
    ['a long string', { content: { text: 'x'.repeat(10_000_000) } }],
    ['many strings', { list: Array.from({ length: 10_000 }, () => 'x'.repeat(100)) }],
    ['many fields', Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index]))],
    ['deep nesting', nested(50_000)],
  ])('truncates a huge message: %s', (_, params) => {
    const log = aLog({ jsonrpc: '2.0', params, id: 7, method: 'm' });
    const [entry] = log.since(0);
    expect(entry).toMatchObject({ isShortened: true, message: { jsonrpc: '2.0', id: 7, method: 'm' } });
    expect(entry?.size).toBeGreaterThanOrEqual(64 * 1024);
    expect(JSON.stringify(entry?.message).length).toBeLessThan(150_000);
  });

  it('marks how much of a string is missing and never splits a character', () => {
    const [entry] = aLog({ params: { text: `x${'😀'.repeat(50_000)}` } }).since(0);
    const { text } = (entry!.message as { params: { text: string } }).params;
    expect(text).toMatch(/… \(\d+ characters left out\)$/);
    expect(text.isWellFormed()).toBe(true);
  });

  it('reports messages to watchers until they are disposed', () => {
    const log = aLog({ method: 'before' });
    const told: unknown[] = [];
    const watching = log.watch({ onEntry: ({ number }) => told.push(number), onEnd: () => told.push('end') });
    log.add({ method: 'm' }, true);
    log.close();
    log.close();
    watching.dispose();
    log.add({ method: 'm' }, true);
    expect(told).toEqual([1, 'end']);
    expect(log.isOver).toBe(true);
  });
});

describe('messages that arrive together and become one', () => {
  const aChunk = (text: string) => {
    const content = { type: 'text', text };
    const params = { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content } };
    return { jsonrpc: '2.0', method: 'session/update', params };
  };
  const chunks = (count: number) => Array.from({ length: count }, (_, index) => aChunk(`${index} `));

  async function received(count: number, log = new TrafficLog(() => 7), needsSingleChunks = false) {
    const options = { onMessage: log.add, needsSingleChunks: () => needsSingleChunks };
    const piped = new PipedConnection(options);
    piped.send({ method: 'first' }, ...chunks(count));
    await waitFor(() => piped.updates.length > 0 && log.since(count, 1).length === 1);
    return { log, updates: piped.updates };
  }

  it('are kept as they were sent', async () => {
    const { log, updates } = await received(20);
    expect(updates).toHaveLength(1);
    expect(log.since(1).map(({ message }) => message)).toEqual(chunks(20));
    expect(log.since(5, 2)).toMatchObject([
      { number: 5, at: 7, isOutgoing: false, isShortened: false },
      { number: 6 },
    ]);
  });

  it('are reported to watchers one by one', async () => {
    const log = new TrafficLog();
    const told: unknown[] = [];
    log.watch({ onEntry: ({ number, message }) => told.push([number, message]), onEnd: () => undefined });
    await received(20, log);
    expect(told.slice(1)).toEqual(chunks(20).map((message, index) => [index + 1, message]));
  });

  it('are dropped one by one when there are too many', async () => {
    const { log } = await received(300);
    for (let index = 0; index < 1_990; index += 1) log.add({ method: 'm' }, true);
    expect(log.oldest).toBe(291);
    expect(log.since(0).map(({ number }) => number)).toEqual(
      Array.from({ length: 2_000 }, (_, at) => at + 291),
    );
    for (let index = 0; index < 10; index += 1) log.add({ method: 'm' }, true);
    expect([log.oldest, log.since(0).length]).toEqual([301, 2_000]);
  });

  it('are separate updates for an agent whose chunks mean something', async () => {
    const { updates } = await received(20, undefined, true);
    expect(updates).toEqual(chunks(20).map(({ params }) => params));
  });
});

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;

describe('large messages', () => {
  it('are not kept in memory whole', () => {
    const log = new TrafficLog(() => 0);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 200; index += 1)
      log.add({ params: { text: Buffer.alloc(256 * 1024, `${index}`).toString('latin1') } }, false);
    collectGarbage();
    expect(log.since(0)).toHaveLength(200);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('messages of an answer that came at full speed', () => {
  it('are not kept in memory when newer ones have taken their place', () => {
    const log = new TrafficLog(() => 0);
    const add = (index: number) => {
      const message = { jsonrpc: '2.0' };
      const lines = Buffer.alloc(64 * 1024, `${index}`).toString('latin1');
      noteOriginals(message, { lines, count: 400 });
      log.add(message, false);
    };
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 1_000; index += 1) add(index);
    collectGarbage();
    expect(log.oldest).toBe(398_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 1024 * 1024);
  });
});

describe('Connection', () => {
  it('reports messages of both directions as they are on the wire, without dialect rewrites', async () => {
    const log = new TrafficLog(() => 0);
    const piped = new PipedConnection({ onMessage: log.add });
    const answered = piped.connection.request('session/new', { cwd: '/' });
    piped.send('{"id":0,"result":{"session_id":"s"}}');
    await answered;
    piped.send({ method: '$/cancel_request', params: { requestId: 9 } });
    piped.send({ id: 4, method: 'nobody/knows' });
    await piped.answer(4);
    expect(log.since(0).map(({ isOutgoing, message }) => [isOutgoing, message])).toEqual([
      [true, { jsonrpc: '2.0', id: 0, method: 'session/new', params: { cwd: '/' } }],
      [false, { id: 0, result: { session_id: 's' } }],
      [false, { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 9 } }],
      [false, { jsonrpc: '2.0', id: 4, method: 'nobody/knows' }],
      [true, expect.objectContaining({ id: 4, error: expect.objectContaining({ code: -32601 }) })],
    ]);
  });
});
