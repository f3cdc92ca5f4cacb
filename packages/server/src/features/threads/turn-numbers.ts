import { sql, uuids } from '../../storage/analytics/sql.ts'
import type { LookUpDeps } from '../runs/index.ts'
import { whereTurns } from './turns.ts'

/** Places of traces in their whole thread, from 1, by start time and then by id; by trace id. */
export async function readTurnNumbers(
  { analytics }: LookUpDeps,
  tenantId: string,
  projectId: string,
  threadId: string,
  traceIds: readonly string[],
): Promise<Map<string, number>> {
  if (traceIds.length === 0) return new Map()
  const rows = await analytics.query<{ trace_id: string; turn: string }>(sql`
    select trace_id, turn
    from (
      select trace_id, row_number() over (order by start_time, trace_id) as turn
      from runs final
      where ${whereTurns(tenantId, { projectId, threadIds: [threadId] })}
    )
    where trace_id in ${uuids(traceIds)}`)
  return new Map(rows.map((row) => [row.trace_id, Number(row.turn)]))
}
