import type { RunHistogram, RunHistogramQuery } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { sql } from '../../../storage/analytics/sql.ts'
import { bucketStart, chooseBucket, printSeconds } from './buckets.ts'
import { sourceOf } from './matched-runs.ts'

const OUTCOMES = ['success', 'error', 'pending', 'interrupted'] as const

/** Runs over time by outcome; a bucket without runs is left out. */
export async function readHistogram(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  query: RunHistogramQuery,
): Promise<RunHistogram> {
  const bucket = await chooseBucket(deps, tenantId, query)
  const rows = await deps.analytics.query<{ at: string } & Record<(typeof OUTCOMES)[number], string>>(sql`
    select ${bucketStart('began', bucket, query.time_zone)} as at,
      countIf(outcome = 'success') as success,
      countIf(outcome = 'error') as error,
      countIf(outcome = 'pending') as pending,
      countIf(outcome = 'interrupted') as interrupted
    from (select start_time as began, status as outcome ${sourceOf(tenantId, query)})
    group by at
    order by at`)
  return {
    bucket,
    time_zone: query.time_zone,
    buckets: rows.map((row) => ({
      time: printSeconds(row.at),
      success: Number(row.success),
      error: Number(row.error),
      pending: Number(row.pending),
      interrupted: Number(row.interrupted),
    })),
  }
}
