/** Set by `scripts/test --long`. */
export const isLong = process.env.ACP_TEST_LONG === '1';

/** Chooses the number of runs, or the time limit, of a property test, a random walk or a fuzzer. */
export const shortOrLong = (short: number, long: number): number => (isLong ? long : short);
