import { printedTime, sql } from '../../storage/analytics/sql.ts'
import type { LookUpDeps } from '../runs/index.ts'
import { whereTurns } from './turns.ts'

/** Starts of threads of a project by id, those of their first traces; threads without a trace are left out. */
export async function findThreads(
  { analytics }: Pick<LookUpDeps, 'analytics'>,
  tenantId: string,
  projectId: string,
  threadIds: readonly string[],
): Promise<Map<string, string>> {
  if (threadIds.length === 0) return new Map()
  const rows = await analytics.query<{ thread_id: string; first_start: string }>(sql`
    select thread_id, min(start_time) as first_start
    from runs final
    where ${whereTurns(tenantId, { projectId, threadIds })}
    group by thread_id`)
  return new Map(rows.map((row) => [row.thread_id, printedTime(row.first_start)]))
}
