import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { RawJson } from '../../../http/raw-json.ts'
import { addRawMembers } from '../../../json/write-object.ts'
import { type Fragment, literal, sql, uuid } from '../../../storage/analytics/sql.ts'

/** Runs of a trace to be drawn: conditions on `trace_runs`, which name the workspace, and whether a project is told. */
export interface TreeSource {
  readonly traceId: string
  readonly where: Fragment
  /** The run that a public reader sees on top: its parent is not told, nor is any project. */
  readonly publicRoot?: string
}

/**
 * All runs of a trace without payloads, in the order of the tree.
 *
 * @throws ApiError NOT_FOUND when no run of the trace has arrived
 */
export function readTraceTree(deps: Pick<Deps, 'analytics'>, tenantId: string, traceId: string): Promise<RawJson> {
  return readTree(deps, { traceId, where: sql`tenant_id = ${uuid(tenantId)} and trace_id = ${uuid(traceId)}` })
}

/**
 * The engine prints the rows and they are passed on as text: at 50,000 runs the time goes into making objects of rows
 * and text of objects.
 *
 * @throws ApiError NOT_FOUND when there are none
 */
export async function readTree(
  { analytics }: Pick<Deps, 'analytics'>,
  { traceId, where, publicRoot }: TreeSource,
): Promise<RawJson> {
  const from = sql`from trace_runs final where ${where}`
  const parent =
    publicRoot === undefined
      ? sql`parent_run_id`
      : sql`if(id = ${uuid(publicRoot)}, null, trace_runs.parent_run_id) as parent_run_id`
  const [heads, rows] = await Promise.all([
    analytics.query<{ version: string; session_id: string }>(sql`
      select max(version) as version, argMin(session_id, (parent_run_id is not null, start_time)) as session_id
      ${from}
      having count() > 0`),
    analytics.queryTexts(sql`
      select id, ${parent}, name, run_type, status,
        ${printed('start_time')}, ${printed('end_time')}, ${printed('first_token_time')},
        dotted_order, ${publicRoot === undefined ? sql`session_id,` : sql``}
        nullIf(error_preview, '') as error_preview, nullIf(toString(model), '') as model, tags,
        ${number('prompt_tokens')}, ${number('completion_tokens')}, ${number('total_tokens')},
        toString(total_cost) as total_cost, inputs_bytes, outputs_bytes
      ${from}
      order by trace_runs.dotted_order, trace_runs.start_time, id`),
  ])
  const head = heads[0]
  if (head === undefined) throw new ApiError('NOT_FOUND', 'Trace not found')
  const { session_id, version } = head
  const about = { trace_id: traceId, ...(publicRoot === undefined && { session_id }), total: rows.length, version }
  return new RawJson(addRawMembers(about, { runs: `[${rows.join(',')}]` }))
}

/** A time column as the contract prints times. */
function printed(column: string): Fragment {
  return literal(`formatDateTime(trace_runs.${column}, '%Y-%m-%dT%H:%i:%S.%fZ') as ${column}`)
}

/** A count as a JSON number; 64-bit integers leave the engine quoted. */
function number(column: string): Fragment {
  return literal(`cast(trace_runs.${column} as Nullable(Float64)) as ${column}`)
}
