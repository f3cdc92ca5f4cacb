import {
  ApiError,
  collectTraceRuns,
  contract,
  encodeTraceRuns,
  microsOf,
  RUN_STATUSES,
  RUN_TYPES,
  sortTree,
  type TraceRunRow,
  type TreeNode,
} from '@touchstone/contract'
import { addRawMembers } from '@touchstone/formats/write-object'
import type { Deps } from '../../deps.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import { type Fragment, literal, sql, uuid } from '../../storage/analytics/sql.ts'
import { columns, each, list, nullable, number, oneOf, text } from '../../storage/rows.ts'
import { TimeSlices } from '../../time-slices.ts'
import { bySiblingOrder } from './sibling-order.ts'

export function traceRoutes(app: App, deps: Pick<Deps, 'analytics'>): void {
  for (const route of [contract.traces.runs, contract.traces.runsAtOldPath]) {
    serve(app, route, ({ params, caller }) => readRunTree(deps, toSource(caller.tenantId, params.trace_id)))
  }
  serve(app, contract.traces.runColumns, ({ params, caller }) =>
    readRunColumns(deps, toSource(caller.tenantId, params.trace_id)),
  )
}

/** The runs of a trace: conditions on `trace_runs` that include the workspace. */
export interface RunTreeSource {
  readonly traceId: string
  readonly where: Fragment
  /** Root of a shared view; its parent and all projects are omitted. */
  readonly publicRoot?: string
}

function toSource(tenantId: string, traceId: string): RunTreeSource {
  return { traceId, where: sql`tenant_id = ${uuid(tenantId)} and trace_id = ${uuid(traceId)}` }
}

/**
 * All runs of a trace without payloads, in tree order. The engine prints the rows as JSON, which is passed on as text:
 * with 50,000 runs, parsing and printing rows would take most of the time.
 *
 * @throws ApiError NOT_FOUND when no run of the trace has arrived
 */
export async function readRunTree({ analytics }: Pick<Deps, 'analytics'>, source: RunTreeSource): Promise<RawJson> {
  const [head, rows] = await Promise.all([
    readHead(analytics, source),
    analytics.queryTexts(sql`
      select ${selectFacts(source)}, ${printed('start_time')}, ${printed('end_time')}, ${printed('first_token_time')},
        dotted_order${source.publicRoot === undefined ? sql`, session_id` : sql``}
      ${inSiblingOrder(source)}`),
  ])
  const texts = sortTree(rows.map(readNode)).map(({ text }) => text)
  return new RawJson(addRawMembers({ ...head, total: texts.length }, { runs: `[${texts.join(',')}]` }))
}

/**
 * The same runs in the same order, as columns.
 *
 * @throws ApiError NOT_FOUND when no run of the trace has arrived
 */
export async function readRunColumns({ analytics }: Pick<Deps, 'analytics'>, source: RunTreeSource): Promise<RawJson> {
  const [head, lines] = await Promise.all([
    readHead(analytics, source),
    analytics.queryTexts(sql`
      select ${selectFacts(source)}, ${counted('start_time', 'start')}, ${counted('end_time', 'end')},
        ${counted('first_token_time', 'first_token')}
      ${inSiblingOrder(source)}`),
  ])
  const slices = new TimeSlices()
  const rows: TraceRunRow[] = []
  for (let from = 0; from < lines.length; from += BATCH) {
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    for (const row of JSON.parse(`[${lines.slice(from, from + BATCH).join(',')}]`)) rows.push(RUN_ROW(row))
  }
  await slices.yieldToEventLoop()
  const sorted = sortTree(rows)
  await slices.yieldToEventLoop()
  const runs = collectTraceRuns(sorted, microsOf(COUNTED_FROM))
  await slices.yieldToEventLoop()
  const encoded = encodeTraceRuns(runs)
  await slices.yieldToEventLoop()
  return new RawJson(JSON.stringify({ ...head, total: runs.size, runs: encoded }))
}

/** Rows that are parsed at once: a call per row takes twice as long. */
const BATCH = 500

/** The members of an answer beside `total` and `runs`. */
async function readHead(analytics: Deps['analytics'], { traceId, where, publicRoot }: RunTreeSource) {
  const [head] = await analytics.query(
    sql`
    select max(version) as version, argMin(session_id, (parent_run_id is not null, start_time)) as session_id
    from trace_runs final
    where ${where}
    having count() > 0`,
    columns({ version: text, session_id: text }),
  )
  if (head === undefined) throw new ApiError('NOT_FOUND', 'Trace not found')
  const { session_id, version } = head
  return { trace_id: traceId, ...(publicRoot === undefined && { session_id }), version }
}

/** The columns of a run that have the same form in rows and in columns. */
function selectFacts({ publicRoot }: RunTreeSource): Fragment {
  const parent =
    publicRoot === undefined
      ? sql`parent_run_id`
      : sql`if(id = ${uuid(publicRoot)}, null, trace_runs.parent_run_id) as parent_run_id`
  return sql`id, ${parent}, name, run_type, status,
        nullIf(error_preview, '') as error_preview, nullIf(toString(model), '') as model, tags,
        ${float('prompt_tokens')}, ${float('completion_tokens')}, ${float('total_tokens')},
        toString(total_cost) as total_cost, toString(reported_cost) as reported_cost, ${float('unpriced_fees')}, inputs_bytes, outputs_bytes`
}

const RUN_ROW = columns({
  ...each(['id', 'name'], text),
  ...each(['parent_run_id', 'error_preview', 'model', 'total_cost', 'reported_cost'], nullable(text)),
  run_type: oneOf(...RUN_TYPES),
  status: oneOf(...RUN_STATUSES),
  tags: list(text),
  start: number,
  ...each(
    ['end', 'first_token', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'unpriced_fees'],
    nullable(number),
  ),
  ...each(['inputs_bytes', 'outputs_bytes'], number),
})

function inSiblingOrder({ where }: RunTreeSource): Fragment {
  return sql`
      from trace_runs final
      where ${where}
      order by ${bySiblingOrder('trace_runs', 'asc')}`
}

/** Id and parent of a row as the engine prints it; they are the first columns. */
const PRINTED_NODE = /^\{"id":"([^"]+)","parent_run_id":(?:"([^"]+)"|null)/

function readNode(text: string): TreeNode & { readonly text: string } {
  const [, id, parent_run_id] = PRINTED_NODE.exec(text) ?? []
  if (id === undefined) throw new Error('a row of a run tree does not begin with its id')
  return { id, parent_run_id, text }
}

/** A time column as the contract prints times. */
function printed(column: string): Fragment {
  return literal(`formatDateTime(trace_runs.${column}, '%Y-%m-%dT%H:%i:%S.%fZ') as ${column}`)
}

/** Microseconds of all times of the engine (1900 to 2299) since this time are exact as JSON numbers. */
const COUNTED_FROM = '2100-01-01T00:00:00.000000Z'

/** A time column as microseconds since `COUNTED_FROM`. */
function counted(column: string, name: string): Fragment {
  const micros = `toUnixTimestamp64Micro(trace_runs.${column}) - ${microsOf(COUNTED_FROM)}`
  return literal(`cast(${micros} as Nullable(Float64)) as ${name}`)
}

/** A count as a JSON number; the engine prints 64-bit integers as strings. */
function float(column: string): Fragment {
  return literal(`cast(trace_runs.${column} as Nullable(Float64)) as ${column}`)
}
