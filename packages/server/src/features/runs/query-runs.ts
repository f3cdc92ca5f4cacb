import {
  ApiError,
  RUN_FIELDS_DEFAULT,
  RUN_VALUE_CHARS,
  Run,
  RunConditions,
  type RunQuery,
  type RunValue,
  type RunValuePath,
  type RunValues,
  type RunValuesQuery,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { RawJson } from '../../http/serve.ts'
import { type Fragment, join, literal, sql, text, uint, uuid } from '../../storage/analytics/sql.ts'
import { columns, list, type RowOf, text as string } from '../../storage/rows.ts'
import { loadRunViews, type RunViewDeps } from './load-views.ts'
import { presentRun } from './present.ts'
import { parseCursor, type RunViewPage, readRunViews } from './read-page.ts'
import { toColumns, toSelectList } from './run-row.ts'
import { isSortedByFigure, readSortedRuns } from './sorted-page.ts'
import { whereRunIds, whereRuns } from './where.ts'

/**
 * A page of runs, newest first by default, or sorted by a figure. A query by trace returns the whole trace at once: clients
 * build the tree from it and break when a parent is missing.
 *
 * @throws ApiError INVALID_REQUEST on a foreign cursor, FilterError on a filter that cannot be read
 */
export async function queryRuns(deps: RunViewDeps, tenantId: string, query: RunQuery): Promise<RawJson> {
  const fields = toFields(query.select ?? RUN_FIELDS_DEFAULT)
  const { views, next } = isSortedByFigure(query)
    ? await readSortedRuns(deps, tenantId, query, fields)
    : await readRunsByTime(deps, tenantId, query, fields)
  const texts = views.map((view) => presentRun(view, fields))
  const cursors = JSON.stringify({ next: (!query.skip_pagination && next) || null, prev: null })
  return new RawJson(`{"runs":[${texts.join(',')}],"cursors":${cursors},"search_cursors":null,"parsed_query":null}`)
}

function readRunsByTime(
  deps: RunViewDeps,
  tenantId: string,
  query: RunQuery,
  fields: ReadonlySet<string>,
): Promise<RunViewPage> {
  const whole = Boolean(query.trace) && !query.id?.length
  const cursor = query.cursor && !whole ? parseCursor(query.cursor) : undefined
  const page = whole ? { all: query.order ?? 'desc' } : query
  return readRunViews(deps, tenantId, whereRuns(tenantId, query, cursor), fields, page)
}

/**
 * The selected fields, with attachments and the details of each selected total. Published clients show these fields but
 * do not select them.
 */
function toFields(selected: readonly string[]): Set<string> {
  const fields = new Set([...selected, 's3_urls'])
  for (const [total, details] of Object.entries(DETAIL_FIELDS)) if (fields.has(total)) fields.add(details)
  return fields
}

const DETAIL_FIELDS = {
  prompt_tokens: 'prompt_token_details',
  completion_tokens: 'completion_token_details',
  prompt_cost: 'prompt_cost_details',
  completion_cost: 'completion_cost_details',
}

const PAYLOAD_FIELDS = ['inputs', 'outputs', 'events', 'serialized']
/** Deprecated fields that require the whole trace; only returned when selected. */
const ONLY_SELECTED_FIELDS = ['child_run_ids', 'direct_child_run_ids']

/**
 * One run with all its fields except the lists of its child runs.
 *
 * @throws ApiError NOT_FOUND
 */
export async function readRun(
  deps: RunViewDeps,
  tenantId: string,
  id: string,
  options: { readonly withoutPayloads?: boolean | undefined; readonly withoutSerialized?: boolean | undefined } = {},
): Promise<RawJson> {
  const fields = new Set(Object.keys(Run.shape))
  for (const field of ONLY_SELECTED_FIELDS) fields.delete(field)
  if (options.withoutPayloads) for (const field of PAYLOAD_FIELDS) fields.delete(field)
  if (options.withoutSerialized) fields.delete('serialized')
  const selected = toColumns(fields)
  const rows = await deps.analytics.query(
    sql`
    select ${toSelectList(selected)}
    from runs final
    where ${whereRuns(tenantId, RunConditions.parse({ id: [id] }))}
    order by start_time desc
    limit 1`,
    columns(selected),
  )
  const [view] = await loadRunViews(deps, tenantId, rows, fields)
  if (view === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
  return new RawJson(presentRun(view, fields))
}

const RUN_PAYLOADS = columns({ id: string, inputs: string, outputs: string, extra: string })

/** Payloads of a run as JSON text; `extra` contains the tools that its model could call. */
export type RunPayloads = RowOf<typeof RUN_PAYLOADS>

/** Payloads of runs by id; unknown ids are left out. */
export async function readRunPayloads(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, RunPayloads>> {
  if (ids.length === 0) return new Map()
  const rows = await analytics.query(
    sql`
    select id, inputs, outputs, extra
    from runs final
    where ${whereRuns(tenantId, RunConditions.parse({ id: [...ids] }))}`,
    RUN_PAYLOADS,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The engine truncates values to this length: enough for the sent characters if all of them are escaped. */
const RAW_CHARS = RUN_VALUE_CHARS * 6 + 2

/** Reads single values of payloads without sending the payloads. */
export async function readValues(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  { id, paths }: RunValuesQuery,
): Promise<RunValues> {
  if (paths.length === 0) return { runs: id.map((one) => ({ id: one, values: [] })) }
  const rows = await analytics.query(
    sql`
    select id, [${join(paths.map(extractRaw), ', ')}] as found
    from runs final
    where tenant_id = ${uuid(tenantId)} and ${whereRunIds(tenantId, id)}`,
    columns({ id: string, found: list(string) }),
  )
  return { runs: rows.map((row) => ({ id: row.id, values: row.found.map(readRaw) })) }
}

/** SQL of the JSON text at a path, '' when the path does not exist. */
function extractRaw([payload, ...steps]: RunValuePath): Fragment {
  const whole = literal(payload)
  // The engine counts from 1.
  const keys = steps.map((step) => (typeof step === 'number' ? sql`${uint(step + 1)}` : sql`${text(step)}`))
  const found = keys.length === 0 ? whole : sql`JSONExtractRaw(${whole}, ${join(keys, ', ')})`
  return sql`substringUTF8(${found}, 1, ${uint(RAW_CHARS + 1)})`
}

function readRaw(raw: string): RunValue | null {
  if (raw === '' || raw === 'null') return null
  const isWhole = raw.length <= RAW_CHARS
  const whole = raw.startsWith('"') ? parseString(raw, isWhole) : raw
  const is_cut = !isWhole || whole.length > RUN_VALUE_CHARS
  return { text: is_cut ? whole.slice(0, RUN_VALUE_CHARS).toWellFormed() : whole, is_cut }
}

/** Parses a JSON string; for a truncated one, its beginning. */
function parseString(raw: string, isWhole: boolean): string {
  // The cut may be inside an escape sequence, which has at most six characters.
  const ends = isWhole ? [raw] : Array.from({ length: 7 }, (_, less) => `${raw.slice(0, raw.length - less)}"`)
  for (const candidate of ends) {
    try {
      return JSON.parse(candidate) as string
    } catch {}
  }
  return raw
}
