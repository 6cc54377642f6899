import { describe, expect, it } from 'vitest';
import { ChunkJoiner } from '../../../src/acp/chunk-joiner.ts';
import type { AgentEvent } from '../../../src/session/events.ts';

const chunk = (text: string, more: object = {}): AgentEvent => ({
  kind: 'chunk',
  role: 'agent',
  text,
  ...more,
});
const notice: AgentEvent = { kind: 'notice', severity: 'info', title: 'hear' };

/** What is delivered of events that arrive in one read. */
async function deliveredOf(...events: [sessionId: string, event: AgentEvent][]): Promise<unknown[]> {
  const delivered: unknown[] = [];
  const joiner = new ChunkJoiner((sessionId, event) => delivered.push([sessionId, event]));
  for (const [sessionId, event] of events) joiner.take(sessionId, event);
  await Promise.resolve();
  return delivered;
}

describe('chunks that arrive together', () => {
  it('become one event', async () => {
    expect(await deliveredOf(['a', chunk('one ')], ['a', chunk('two ')], ['a', chunk('three')])).toEqual([
      ['a', chunk('one two three')],
    ]);
  });

  it.each([
    ['of another session', 'b', chunk('two')],
    ['of another role', 'a', chunk('two', { role: 'thought' })],
    ['of another message', 'a', chunk('two', { messageId: 'm' })],
    ['that are no chunks', 'a', notice],
  ])('stay apart from those %s, in order', async (_, sessionId, event) => {
    const events: [string, AgentEvent][] = [
      ['a', chunk('one')],
      [sessionId, event],
      ['a', chunk('three')],
    ];
    expect(await deliveredOf(...events)).toEqual(events);
  });

  it('are delivered before anything that waits for a turn of the event loop', async () => {
    const order: string[] = [];
    const joiner = new ChunkJoiner(() => order.push('chunk'));
    setImmediate(() => order.push('response'));
    joiner.take('a', chunk('one'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(['chunk', 'response']);
  });
});
