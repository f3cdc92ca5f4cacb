import { ERROR, type Trace } from './trace.ts'

export type Direction = 1 | -1

/** The next or previous failed run in drawing order, going round; undefined when none failed. */
export function nextError(trace: Trace, from: number, direction: Direction): number | undefined {
  return walkRound(trace.size, from, direction, (row) => trace.status[row] === ERROR)
}

/** The failed run with nothing failed below it: where the trouble began. */
export function deepestError(trace: Trace): number | undefined {
  return walkRound(trace.size, -1, 1, (row) => trace.status[row] === ERROR && trace.subtreeErrors[row] === 1)
}

/** The next or previous run of the list a filter matched, going round. */
export function nextMatch(state: Uint8Array, match: number, from: number, direction: Direction): number | undefined {
  return walkRound(state.length, from, direction, (row) => state[row] === match)
}

/**
 * The run one step down or up the list; a fold on the way is a stop of its own. Stays put at either end.
 *
 * @param position  index in `rows` of what is selected, or -1
 */
export function step(rows: Int32Array, position: number, by: number): number {
  return Math.min(Math.max(position + by, 0), rows.length - 1)
}

function walkRound(size: number, from: number, direction: Direction, accepts: (row: number) => boolean) {
  for (let offset = 1; offset <= size; offset++) {
    const row = (((from + direction * offset) % size) + size) % size
    if (accepts(row)) return row
  }
  return undefined
}
