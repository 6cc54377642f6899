import { describe, expect, it } from 'vitest';
import { anUpdate, PipedConnection } from '../../../support/agents/piped-connection.ts';
import { Deferred, settle } from '../../../support/doubles/deferred.ts';
import { waitFor } from '../../../support/wait.ts';

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const updates = (from: number, to: number) => numbers(from, to).map((number) => anUpdate(number));

describe('backpressure', () => {
  it('pauses reading while many requests wait, resumes when they are served, and loses none', async () => {
    const piped = new PipedConnection({ handlers: { echo: (params) => params } });
    let pauses = 0;
    piped.input.on('pause', () => (pauses += 1));
    const requests = numbers(0, 5_000).map((id) => ({ id, method: 'echo', params: {} }));
    for (let start = 0; start < requests.length; start += 500)
      piped.send(...requests.slice(start, start + 500));
    await settle(2);
    expect(piped.input.isPaused()).toBe(true);
    await waitFor(() => piped.answers.length === 5_000);
    expect(piped.answers.map(({ id }) => id)).toEqual(numbers(0, 5_000));
    expect({ isPaused: piped.input.isPaused(), hasPaused: pauses > 0 }).toEqual({
      isPaused: false,
      hasPaused: true,
    });
  });

  it('does not pause reading for updates alone', async () => {
    const piped = new PipedConnection();
    piped.send(...updates(0, 5_000));
    await waitFor(() => piped.updates.length === 5_000);
    await settle(2);
    expect(piped.input.isPaused()).toBe(false);
  });

  it('begins no more reads than fit into the limit while the agent takes no answers', async () => {
    let begun = 0;
    const allowed = new Deferred<void>();
    const read = async () => {
      begun += 1;
      await allowed.promise;
      return { text: 'x'.repeat(1024 * 1024) };
    };
    const piped = new PipedConnection({ handlers: { read: (_, __, queueRead) => queueRead(read) } });
    piped.output.pause();
    piped.send(...numbers(0, 60).map((id) => ({ id, method: 'read', params: {} })));
    await settle(200);
    expect(begun).toBe(16);
    allowed.resolve();
    await waitFor(() => begun >= 32);
    await settle(200);
    expect(begun, '32 MB and 16 reads that had begun').toBeLessThan(52);
    piped.output.resume();
    await waitFor(() => piped.answers.length === 60);
  });
});
