/** How often each implementation is measured in turn; `--rounds` sets it. A machine with an unsteady clock needs more. */
export const rounds = Number(process.env.ACP_BENCH_ROUNDS ?? 5);
