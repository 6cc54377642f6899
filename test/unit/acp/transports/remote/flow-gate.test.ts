import { expect, it } from 'vitest';
import { FlowGate } from '../../../../../src/acp/transports/remote/http-client.ts';
import { settle } from '../../../../support/doubles/deferred.ts';

it('FlowGate delays chunks while paused and delivers all of them after resume', async () => {
  let pulled = 0;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(Uint8Array.of(pulled));
      if (pulled === 100) controller.close();
    },
  });
  const gate = new FlowGate();
  const read: number[] = [];
  gate.pause();
  const reading = (async () => {
    for await (const [byte] of gate.throttle(source) as unknown as AsyncIterable<Uint8Array>)
      read.push(byte!);
  })();
  await settle(20);
  expect(read).toEqual([]);
  expect(pulled).toBeLessThan(5);
  gate.resume();
  await reading;
  expect(read).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
});
