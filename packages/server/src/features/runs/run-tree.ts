import { ApiError, contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import { addRawMembers } from '../../json/write-object.ts'
import { type Fragment, literal, sql, uuid } from '../../storage/analytics/sql.ts'
import { columns, text } from '../../storage/rows.ts'

export function traceRoutes(app: App, deps: Pick<Deps, 'analytics'>): void {
  for (const route of [contract.traces.runs, contract.traces.runsAtOldPath]) {
    serve(app, route, ({ params, caller }) => readTraceTree(deps, caller.tenantId, params.trace_id))
  }
}

/** The runs of a trace: conditions on `trace_runs` that include the workspace. */
export interface RunTreeSource {
  readonly traceId: string
  readonly where: Fragment
  /** Root of a shared view; its parent and all projects are omitted. */
  readonly publicRoot?: string
}

/**
 * All runs of a trace without payloads, in tree order.
 *
 * @throws ApiError NOT_FOUND when no run of the trace has arrived
 */
export function readTraceTree(deps: Pick<Deps, 'analytics'>, tenantId: string, traceId: string): Promise<RawJson> {
  return readRunTree(deps, { traceId, where: sql`tenant_id = ${uuid(tenantId)} and trace_id = ${uuid(traceId)}` })
}

/**
 * The engine prints the rows as JSON, which is passed on as text: with 50,000 runs, parsing and printing rows would take
 * most of the time.
 *
 * @throws ApiError NOT_FOUND when there are no runs
 */
export async function readRunTree(
  { analytics }: Pick<Deps, 'analytics'>,
  { traceId, where, publicRoot }: RunTreeSource,
): Promise<RawJson> {
  const from = sql`from trace_runs final where ${where}`
  const parent =
    publicRoot === undefined
      ? sql`parent_run_id`
      : sql`if(id = ${uuid(publicRoot)}, null, trace_runs.parent_run_id) as parent_run_id`
  const [heads, rows] = await Promise.all([
    analytics.query(
      sql`
      select max(version) as version, argMin(session_id, (parent_run_id is not null, start_time)) as session_id
      ${from}
      having count() > 0`,
      columns({ version: text, session_id: text }),
    ),
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

/** A count as a JSON number; the engine prints 64-bit integers as strings. */
function number(column: string): Fragment {
  return literal(`cast(trace_runs.${column} as Nullable(Float64)) as ${column}`)
}
