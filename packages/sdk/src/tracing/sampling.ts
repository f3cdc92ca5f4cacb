import type { BaseRun } from '../schemas.ts'

/**
 * Whether a trace belongs to the recorded share: decided by its id alone, so that every process and every update of a
 * trace decides alike, and nothing has to be remembered.
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

/** Uniform in [0, 1): FNV-1a over the text, its bits mixed once more because ids differ little. */
function fraction(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
