/** Whether this is `npm run test:full`. */
export const isFull = process.env.TOUCHSTONE_JOURNEYS === 'full'

/** A size or a choice of a test: the first with each change, the second in `npm run test:full`. */
export const inFull = <Choice>(otherwise: Choice, full: Choice): Choice => (isFull ? full : otherwise)

/**
 * Amount of data for the journeys: a tenth by default, so that they run with every change. `npm run journeys -- --full`
 * uses the full amounts that the UI supports.
 */
export const SCALE = {
  isFull,
  /** Whether journeys have large data: `npm run journeys` and `npm run test:full`. */
  isLarge: Boolean(process.env.TOUCHSTONE_JOURNEYS),
  /** Runs of the project `big`. */
  runs: isFull ? 1_000_000 : 100_000,
  /** Traces with the tag of the journey that adds and deletes them. */
  tagged: isFull ? 12_402 : 1_202,
  /** Runs of a single trace. */
  traces: isFull ? [10_000, 50_000] : [10_000],
  /** Examples of the largest dataset. */
  examples: isFull ? 100_000 : 5_000,
  /** The largest comparison. */
  comparison: isFull
    ? { examples: 2_000, experiments: 5, repetitions: 3 }
    : { examples: 250, experiments: 3, repetitions: 2 },
}
