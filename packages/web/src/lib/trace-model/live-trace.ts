import type { Trace } from './trace.ts'

/** After this long without an end, a run is taken for one whose end was lost. */
export const NO_END_MICROS = 10 * 60_000_000

/** The trace as it stands at a moment: running runs reach to it, and those that are overdue are known to be lost. */
export function traceAt(trace: Trace, nowMs: number): Trace {
  if (trace.pending === 0) return trace
  const elapsed = Number(BigInt(Math.round(nowMs)) * 1_000n - trace.startMicros)
  const lostBefore = elapsed - NO_END_MICROS
  // When nothing was heard for as long, nothing is running any more.
  const isGrowing = elapsed > trace.lastKnown && trace.lastKnown >= lostBefore
  return { ...trace, lostBefore, duration: isGrowing ? elapsed : trace.lastKnown }
}
