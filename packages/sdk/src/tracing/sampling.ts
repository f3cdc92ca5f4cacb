import { toFraction } from '@touchstone/formats/sampling'
import type { BaseRun } from '../schemas.ts'
import { encodeText } from './text-bytes.ts'

/**
 * Whether a trace is recorded under the sampling rate. Depends on the trace id only, so that every process and every
 * update of a trace decides the same way without shared state. The public clients use the same rule. Ids that are no UUIDs
 * are recorded: servers refuse them.
 */
export function isSampled(traceId: string | undefined, rate: number | undefined): boolean {
  if (rate === undefined || rate >= 1 || !traceId) return true
  return rate > 0 && toFraction(encodeText(traceId.toLowerCase())) < rate
}

/** Returns the trace id of a run, as far as its own fields contain it. */
export function getTraceId(run: BaseRun): string | undefined {
  return run.trace_id ?? run.dotted_order?.split('.', 1)[0]?.slice(-36) ?? run.id
}
