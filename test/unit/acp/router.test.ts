import { expect, it } from 'vitest';
import { Router } from '../../../src/acp/router.ts';
import type { SessionSink } from '../../../src/ports.ts';
import type { AgentEvent } from '../../../src/session/events.ts';
import { aChunk } from '../../support/builders.ts';

class SinkDouble implements SessionSink {
  readonly events: AgentEvent[] = [];
  report(event: AgentEvent): void {
    this.events.push(event);
  }
  ask(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

it('brings reports to the session they are about', () => {
  const router = new Router();
  const [one, other] = [new SinkDouble(), new SinkDouble()];
  router.attach('one', one);
  router.attach('other', other);
  router.route('one', aChunk('1'));
  router.route('other', aChunk('2'));
  expect([one.events, other.events]).toEqual([[aChunk('1')], [aChunk('2')]]);
});

it('keeps reports that come before their session is known, in order', () => {
  const router = new Router();
  const sink = new SinkDouble();
  for (const text of ['1', '2']) router.route('s', aChunk(text));
  router.route('never', aChunk('lost'));
  router.attach('s', sink);
  router.route('s', aChunk('3'));
  expect(sink.events).toEqual([aChunk('1'), aChunk('2'), aChunk('3')]);
});

it('keeps no more of them than memory can bear, and makes room when they are taken', () => {
  const router = new Router();
  const [one, other] = [new SinkDouble(), new SinkDouble()];
  for (let count = 0; count < 10_005; count += 1) router.route('one', aChunk('x'));
  router.attach('one', one);
  router.route('other', aChunk('y'));
  router.attach('other', other);
  expect([one.events.length, other.events.length]).toEqual([10_000, 1]);
});
