import { describe, expect, it } from 'vitest';
import { ChunkJoiner } from '../../../../src/acp/handlers/chunk-joiner.ts';
import type { AgentEvent } from '../../../../src/model/session-events.ts';

const chunk = (text: string, more: object = {}): AgentEvent => ({
  kind: 'chunk',
  role: 'agent',
  text,
  ...more,
});
const notice: AgentEvent = { kind: 'notice', severity: 'info', title: 'hear' };

/** The events that are delivered for events of one read. */
async function deliveredOf(...events: [sessionId: string, event: AgentEvent][]): Promise<unknown[]> {
  const delivered: unknown[] = [];
  const joiner = new ChunkJoiner((sessionId, event) => delivered.push([sessionId, event]));
  for (const [sessionId, event] of events) joiner.add(sessionId, event);
  await Promise.resolve();
  return delivered;
}

describe('ChunkJoiner', () => {
  it('joins chunks of one read', async () => {
    expect(await deliveredOf(['a', chunk('one ')], ['a', chunk('two ')], ['a', chunk('three')])).toEqual([
      ['a', chunk('one two three')],
    ]);
  });

  it.each([
    ['for another session', 'b', chunk('two')],
    ['of another role', 'a', chunk('two', { role: 'thought' })],
    ['of another message', 'a', chunk('two', { messageId: 'm' })],
    ['that is not a chunk', 'a', notice],
  ])('does not join across an event %s and keeps the order', async (_, sessionId, event) => {
    const events: [string, AgentEvent][] = [
      ['a', chunk('one')],
      [sessionId, event],
      ['a', chunk('three')],
    ];
    expect(await deliveredOf(...events)).toEqual(events);
  });

  it('delivers before the next turn of the event loop', async () => {
    const order: string[] = [];
    const joiner = new ChunkJoiner(() => order.push('chunk'));
    setImmediate(() => order.push('response'));
    joiner.add('a', chunk('one'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(['chunk', 'response']);
  });
});
