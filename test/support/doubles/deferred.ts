/** A promise that the test settles. */
export class Deferred<T> {
  resolve!: (value: T) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    // Avoids an unhandled rejection if the test rejects it early.
    this.promise.catch(() => undefined);
  }
}

/** Lets pending promises and immediates run. */
export async function settle(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
