import { microsOf, type ProjectActivity, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { sql, time, uint, uuid } from '../../../storage/analytics/sql.ts'

interface Row {
  readonly session_id: string
  readonly bucket: string
  readonly n: string
}

/**
 * Traces of every project in equal parts of the time from then until now.
 *
 * @param since    in the contract's printed form; a moment that is still to come leaves nothing to count
 * @param buckets  into how many parts
 */
export async function readActivity(
  { analytics, clock }: Pick<Deps, 'analytics' | 'clock'>,
  tenantId: string,
  since: string,
  buckets: number,
): Promise<ProjectActivity> {
  const now = clock()
  const spanMicros = Math.max(now * 1000 - Number(microsOf(since)), buckets)
  const width = Math.ceil(spanMicros / buckets)
  const rows = await analytics.query<Row>(sql`
    select session_id, intDiv(dateDiff('microsecond', ${time(since)}, start_time), ${uint(width)}) as bucket, count() as n
    from project_roots final
    where tenant_id = ${uuid(tenantId)} and start_time >= ${time(since)} and start_time < ${time(timeOfEpochMs(now))}
    group by session_id, bucket`)
  const counts = new Map<string, number[]>()
  for (const { session_id, bucket, n } of rows) {
    const ofProject = counts.get(session_id) ?? Array.from({ length: buckets }, () => 0)
    counts.set(session_id, ofProject)
    ofProject[Math.min(Number(bucket), buckets - 1)]! += Number(n)
  }
  const projects = Array.from(counts, ([session_id, trace_counts]) => ({ session_id, trace_counts }))
  return { since, bucket_seconds: width / 1_000_000, projects }
}
