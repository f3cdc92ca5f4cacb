/**
 * How often tests of concurrency run in a row; what only loses a race now and then needs many.
 * `TOUCHSTONE_CONCURRENCY_ROUNDS`, 1 unless it is set. Vitest counts what comes after the first: `repeats: rounds - 1`.
 */
export const rounds = Number(process.env.TOUCHSTONE_CONCURRENCY_ROUNDS ?? 1)
