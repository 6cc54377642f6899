import { expect, it } from 'vitest';
import { Gate } from '../../../src/acp/transports/fetching.ts';
import { settle } from '../../support/doubles.ts';

it('holds up what is read while it is closed, and lets everything through after', async () => {
  let pulled = 0;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(Uint8Array.of(pulled));
      if (pulled === 100) controller.close();
    },
  });
  const gate = new Gate();
  const read: number[] = [];
  gate.pause();
  const reading = (async () => {
    for await (const [byte] of gate.holding(source) as unknown as AsyncIterable<Uint8Array>) read.push(byte!);
  })();
  await settle(20);
  expect(read).toEqual([]);
  expect(pulled).toBeLessThan(5);
  gate.resume();
  await reading;
  expect(read).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
});
