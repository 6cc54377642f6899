import { describe, expect, it } from 'vitest';
import { anUpdate, PipedConnection } from '../../../support/agents/piped-connection.ts';
import { settle } from '../../../support/doubles/deferred.ts';
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
});
