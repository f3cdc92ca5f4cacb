/** Whether this is `npm run test:full`. */
export const isFull = process.env.TOUCHSTONE_JOURNEYS === 'full'

/**
 * Number of times that tests of concurrency run in a row: some races occur rarely. `TOUCHSTONE_CONCURRENCY_ROUNDS`,
 * default 1. Vitest counts the runs after the first: `repeats: rounds - 1`.
 */
export const rounds = Number(process.env.TOUCHSTONE_CONCURRENCY_ROUNDS ?? 1)
