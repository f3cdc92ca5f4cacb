import type { RetentionEstimate } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { sql, time, uuid, uuids } from '../../storage/analytics/sql.ts'
import { removesBefore } from './removes-before.ts'
import { sparedTraces } from './spared-traces.ts'

type EstimateDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'>

/** What a retention of so many days would remove from projects if it held now. */
export async function estimate(
  deps: EstimateDeps,
  tenantId: string,
  projectIds: readonly string[],
  days: number,
): Promise<RetentionEstimate> {
  const before = removesBefore(deps, days)
  const sum = { trace_count: 0, run_count: 0, kept_trace_count: 0 }
  if (before !== null) {
    for (const projectId of projectIds) {
      const counts = await countExpired(deps, tenantId, projectId, before)
      sum.trace_count += counts.traces
      sum.run_count += counts.runs
      sum.kept_trace_count += counts.kept
    }
  }
  return { days, removes_before: before, ...sum, project_count: projectIds.length }
}

async function countExpired(deps: EstimateDeps, tenantId: string, projectId: string, before: string) {
  const spared = uuids(await sparedTraces(deps, tenantId, projectId))
  const [row] = await deps.analytics.query<{ traces: string; runs: string; kept: string }>(sql`
    select countIf(not is_spared) as traces, sumIf(n, not is_spared) as runs, countIf(is_spared) as kept
    from (
      select trace_id in ${spared} as is_spared, count() as n
      from runs final
      where tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)}
      group by trace_id
      having max(start_time) < ${time(before)}
    )`)
  return { traces: Number(row?.traces ?? 0), runs: Number(row?.runs ?? 0), kept: Number(row?.kept ?? 0) }
}
