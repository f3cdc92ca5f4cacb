import type { BaseRun } from '../schemas.ts'
import { textBytes } from './text-bytes.ts'
import { xxh3 } from './xxh3.ts'

/**
 * Whether a trace belongs to the recorded share: decided by its id alone, so that every process and every update of a
 * trace decides alike, and nothing has to be remembered. The public clients decide in the same way.
 *
 * @see contract/clients-2026-11.md §4.3
 */
export function isSampled(traceId: string | undefined, rate: number | undefined): boolean {
  if (rate === undefined || rate >= 1 || !traceId) return true
  return rate > 0 && fraction(traceId.toLowerCase()) < rate
}

/** The trace a run belongs to, as far as it says so itself. */
export function traceIdOf(run: BaseRun): string | undefined {
  return run.trace_id ?? run.dotted_order?.split('.', 1)[0]?.slice(-36) ?? run.id
}

/** @throws when a rate is not between 0 and 1 */
export function checkSamplingRate(rate: number | undefined): number | undefined {
  if (rate === undefined || (rate >= 0 && rate <= 1)) return rate
  throw new Error(`LANGSMITH_TRACING_SAMPLING_RATE must be between 0 and 1 if set. Got: ${rate}`)
}

/** Uniform in [0, 1). What cannot be a UUID is refused by every server, so it may count as sampled here. */
function fraction(id: string): number {
  const bytes = textBytes(id)
  return bytes.length < 33 || bytes.length > 64 ? 0 : Number(xxh3(bytes) % 1_000_000n) / 1_000_000
}
