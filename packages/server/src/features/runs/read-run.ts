import { ApiError, Run, RunConditions } from '@touchstone/contract'
import { RawJson } from '../../http/raw-json.ts'
import { sql } from '../../storage/analytics/sql.ts'
import { type LookUpDeps, lookUp } from './look-up.ts'
import { presentRun } from './present.ts'
import { columnsFor, type RunRow } from './run-row.ts'
import { whereOf } from './where.ts'

const PAYLOADS = ['inputs', 'outputs', 'events', 'serialized']
/** Deprecated, and a look at the whole trace: a query that selects them gets them. */
const ON_REQUEST = ['child_run_ids', 'direct_child_run_ids']

/**
 * One run with all its fields but those that stand for other runs.
 *
 * @throws ApiError NOT_FOUND
 */
export async function readRun(
  deps: LookUpDeps,
  tenantId: string,
  id: string,
  options: { readonly withoutPayloads?: boolean | undefined; readonly withoutSerialized?: boolean | undefined } = {},
): Promise<RawJson> {
  const fields = new Set(Object.keys(Run.shape))
  for (const field of ON_REQUEST) fields.delete(field)
  if (options.withoutPayloads) for (const field of PAYLOADS) fields.delete(field)
  if (options.withoutSerialized) fields.delete('serialized')
  const rows = await deps.analytics.query<RunRow>(sql`
    select ${columnsFor(fields)}
    from runs final
    where ${whereOf(tenantId, RunConditions.parse({ id: [id] }))}`)
  const [view] = await lookUp(deps, tenantId, rows, fields)
  if (view === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
  return new RawJson(presentRun(view, fields))
}
