import { floatAt } from './columns.ts'
/** Points in time as two columns, so that microseconds stay exact whatever the year. */
export interface Instants {
  /** Seconds since 1970; `NaN` where there is no time. */
  seconds: Float64Array
  micros: Float64Array
}

/** Reads times in the form the API sends: `2025-07-10T04:42:19.024000Z`. */
export function readInstants<Item>(items: readonly Item[], timeOf: (item: Item) => string | null): Instants {
  const seconds = new Float64Array(items.length).fill(Number.NaN)
  const micros = new Float64Array(items.length)
  // Neighbours mostly share their second, and Date.parse is the dearest call here.
  let lastText = ''
  let lastSeconds = Number.NaN
  for (let i = 0; i < items.length; i++) {
    const time = timeOf(items[i]!)
    if (!time) continue
    const text = time.slice(0, 19)
    if (text !== lastText) {
      lastText = text
      lastSeconds = Date.parse(`${text}Z`) / 1000
    }
    seconds[i] = lastSeconds
    micros[i] = time.charCodeAt(19) === 46 ? Number.parseInt(time.slice(20, 26).padEnd(6, '0'), 10) : 0
  }
  return { seconds, micros }
}

/** Microseconds of each instant since `base`. */
export function toOffsets(base: { seconds: number; micros: number }, instants: Instants): Float64Array {
  return instants.seconds.map(
    (second, i) => (second - base.seconds) * 1e6 + (floatAt(instants.micros, i) - base.micros),
  )
}

export function findEarliest(instants: Instants): { seconds: number; micros: number } {
  let best = { seconds: Number.NaN, micros: 0 }
  for (let i = 0; i < instants.seconds.length; i++) {
    const seconds = floatAt(instants.seconds, i)
    const micros = floatAt(instants.micros, i)
    if (Number.isNaN(seconds)) continue
    if (Number.isNaN(best.seconds) || seconds < best.seconds || (seconds === best.seconds && micros < best.micros))
      best = { seconds, micros }
  }
  return Number.isNaN(best.seconds) ? { seconds: 0, micros: 0 } : best
}

/** A moment of a trace as ISO 8601 in UTC, to the millisecond. */
export function timeAt(startMicros: bigint, offset: number): string {
  return new Date(Number((startMicros + BigInt(Math.round(offset))) / 1000n)).toISOString()
}
