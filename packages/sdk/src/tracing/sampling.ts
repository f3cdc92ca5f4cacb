import type { BaseRun } from '../schemas.ts'
import { textBytes } from './text-bytes.ts'
import { xxh3 } from './xxh3.ts'

/**
 * Whether a trace is recorded under the sampling rate. Depends on the trace id only, so that every process and every
 * update of a trace decides the same way without shared state. The public clients use the same rule.
 */
export function isSampled(traceId: string | undefined, rate: number | undefined): boolean {
  if (rate === undefined || rate >= 1 || !traceId) return true
  return rate > 0 && fraction(traceId.toLowerCase()) < rate
}

/** Returns the trace id of a run, as far as its own fields contain it. */
export function traceIdOf(run: BaseRun): string | undefined {
  return run.trace_id ?? run.dotted_order?.split('.', 1)[0]?.slice(-36) ?? run.id
}

/** @throws Error when the rate is not between 0 and 1 */
export function checkSamplingRate(rate: number | undefined): number | undefined {
  if (rate === undefined || (rate >= 0 && rate <= 1)) return rate
  throw new Error(`LANGSMITH_TRACING_SAMPLING_RATE must be between 0 and 1 if set. Got: ${rate}`)
}

/** Uniform in [0, 1). Servers reject ids that are not UUIDs, so these count as sampled. */
function fraction(id: string): number {
  const bytes = textBytes(id)
  return bytes.length < 33 || bytes.length > 64 ? 0 : Number(xxh3(bytes) % 1_000_000n) / 1_000_000
}
