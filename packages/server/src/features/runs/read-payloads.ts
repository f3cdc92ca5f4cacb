import { RunConditions } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { sql } from '../../storage/analytics/sql.ts'
import { whereOf } from './where.ts'

/** What a run was given and gave back, as JSON text; `extra` tells what its model could call. */
export interface RunPayloads {
  readonly inputs: string
  readonly outputs: string
  readonly extra: string
}

/** Payloads of runs by id; unknown ids are left out. */
export async function readRunPayloads(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, RunPayloads>> {
  if (ids.length === 0) return new Map()
  const rows = await analytics.query<RunPayloads & { id: string }>(sql`
    select id, inputs, outputs, extra
    from runs final
    where ${whereOf(tenantId, RunConditions.parse({ id: [...ids] }))}`)
  return new Map(rows.map((row) => [row.id, row]))
}
