/**
 * How much the journeys have to get through: a tenth by default, so that they run with every change;
 * `npm run journeys -- --full` takes all that the interface promises to bear.
 */
const isFull = process.env.TOUCHSTONE_JOURNEYS === 'full'

export const SCALE = {
  isFull,
  /** Runs of the project `big`. */
  runs: isFull ? 1_000_000 : 100_000,
  /** Traces that carry the tag of a journey which adds and deletes them all. */
  tagged: isFull ? 12_402 : 1_202,
  /** Runs of a single trace. */
  traces: isFull ? [10_000, 50_000] : [10_000],
}
