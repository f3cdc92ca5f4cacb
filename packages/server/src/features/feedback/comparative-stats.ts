import type { ComparativeStat } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { sql, uuid, uuids } from '../../storage/analytics/sql.ts'
import { NO_RUN } from './feedback-row.ts'

/** What comparisons came to: comparison → key → experiment → figures. Those without feedback are absent. */
export async function comparativeStats(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  comparisonIds: readonly string[],
): Promise<Map<string, Map<string, Map<string, ComparativeStat>>>> {
  const found = new Map<string, Map<string, Map<string, ComparativeStat>>>()
  if (comparisonIds.length === 0) return found
  const tenant = uuid(tenantId)
  const given = sql`
      select assumeNotNull(comparative_experiment_id) as comparison, run_id, key, session_id, score
      from run_feedback final
      where tenant_id = ${tenant} and comparative_experiment_id in ${uuids(comparisonIds)}`
  // What was given before its run arrived knows at most its project; the rest is known by the run.
  const rows = await analytics.query<{
    comparison: string
    key: string
    session: string
    n: string
    average: number | null
  }>(sql`
    select comparison, key, assumeNotNull(ifNull(feedback.session_id, run.session_id)) as session,
      count() as n, avg(score) as average
    from (${given}) as feedback
    left join (
      select id, toNullable(session_id) as session_id from run_keys final
      where tenant_id = ${tenant} and id in (select run_id from (${given}) where run_id != ${uuid(NO_RUN)})
    ) as run on run.id = feedback.run_id
    where ifNull(feedback.session_id, run.session_id) is not null
    group by comparison, key, session
    order by key, session`)
  for (const { comparison, key, session, n, average } of rows) {
    const keys = found.get(comparison) ?? new Map<string, Map<string, ComparativeStat>>()
    const sides = keys.get(key) ?? new Map<string, ComparativeStat>()
    sides.set(session, { n: Number(n), avg: average })
    keys.set(key, sides)
    found.set(comparison, keys)
  }
  return found
}
