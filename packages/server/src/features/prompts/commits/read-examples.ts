import { RunConditions } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { addRawMembers } from '../../../json/write-object.ts'
import { printedTime, sql } from '../../../storage/analytics/sql.ts'
import { whereRuns } from '../../runs/index.ts'

/** Runs that a commit names as examples, as texts of JSON, in the order named; runs that are gone are left out. */
export async function readExamples(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await analytics.query<Row>(sql`
    select id, session_id, start_time, inputs, outputs
    from runs final
    where ${whereRuns(tenantId, RunConditions.parse({ id: [...ids] }))}`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id)).flatMap((row) => (row === undefined ? [] : [present(row)]))
}

interface Row {
  readonly id: string
  readonly session_id: string
  readonly start_time: string
  /** JSON text, or nothing. */
  readonly inputs: string
  readonly outputs: string
}

function present({ id, session_id, start_time, inputs, outputs }: Row): string {
  return addRawMembers({ id, session_id, start_time: printedTime(start_time) }, { inputs, outputs })
}
