import { parseTime, parseUuid, type RunQuery, type RunSort } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { decodeCursor, encodeCursor } from '../../http/cursor.ts'
import { microsBetween } from '../../storage/analytics/durations.ts'
import {
  type Bound,
  type Fragment,
  literal,
  printedTime,
  sql,
  time,
  times,
  uint,
  uuid,
  uuids,
} from '../../storage/analytics/sql.ts'
import { columns, nullable, type RowOf, text } from '../../storage/rows.ts'
import { loadRunViews, type RunViewDeps } from './load-views.ts'
import type { RunViewPage } from './read-page.ts'
import { type RunRow, toColumns, toSelectList } from './run-row.ts'
import { fromRuns, hasOnlyWindow, isRootQuery, wantsAllRoots } from './stats/matched-runs.ts'
import { whereUsageWindow } from './stats/own-usage.ts'
import { selectUsageAbove } from './usage-rows.ts'
import { whereRuns } from './where.ts'

/** A figure by which runs are sorted. It is null for runs that do not have it. */
type RunFigure = Exclude<RunSort, 'start_time'>

/** A query of runs sorted by a figure. */
export type SortedQuery = RunQuery & { readonly sort_by: RunFigure }

export function isSortedByFigure(query: RunQuery): query is SortedQuery {
  return Boolean(query.sort_by) && query.sort_by !== 'start_time'
}

/** The type of a figure, and the text of its values in cursors. */
interface FigureType {
  readonly bind: (value: string) => Bound
  readonly pattern: RegExp
}

const INTEGER: FigureType = { bind: (value) => ({ type: 'Int64', value }), pattern: /^-?\d{1,18}$/ }
const MONEY: FigureType = {
  bind: (value) => ({ type: 'Decimal(38, 18)', value }),
  pattern: /^-?\d{1,20}(\.\d{1,18})?$/,
}

const FIGURE_TYPES: Readonly<Record<RunFigure, FigureType>> = {
  latency: INTEGER,
  first_token: INTEGER,
  total_tokens: INTEGER,
  total_cost: MONEY,
}

/** The end of the figures that are times since the start of the run. The others are sums over everything below the run. */
const ENDS: { readonly [Name in RunFigure]?: string } = { latency: 'end_time', first_token: 'first_token_time' }

const SORT_KEY = columns({ session_id: text, start_time: text, id: text, version: text, figure: nullable(text) })

type SortKey = RowOf<typeof SORT_KEY>

/** The last key of a page. */
interface SortCursor {
  readonly figure: string | null
  /** In the contract's printed form. */
  readonly startTime: string
  readonly id: string
}

/** What a page contains. */
interface Selection {
  readonly query: SortedQuery
  readonly after: SortCursor | undefined
  /** Absent: all runs. */
  readonly limit: number | undefined
}

/**
 * A page of runs sorted by a figure, or a whole trace. The engine sorts keys with their figures; then the rows of the page
 * are read. The next page continues after the last figure, start and id, so runs that arrive in between neither repeat nor
 * hide others.
 *
 * @throws ApiError INVALID_REQUEST on a foreign cursor, such as one of another figure
 */
export async function readSortedRuns(
  deps: RunViewDeps,
  tenantId: string,
  query: SortedQuery,
  fields: ReadonlySet<string>,
): Promise<RunViewPage> {
  const isWhole = Boolean(query.trace) && !query.id?.length
  const after = query.cursor && !isWhole ? parseSortCursor(query.cursor, query.sort_by) : undefined
  const found = await findRows(deps, tenantId, { query, after, limit: isWhole ? undefined : query.limit + 1 }, fields)
  const shown = isWhole ? found : found.slice(0, query.limit)
  const last = found.length > shown.length ? shown.at(-1) : undefined
  const rows = shown.map(({ row }) => row)
  return { views: await loadRunViews(deps, tenantId, rows, fields), next: last && printSortCursor(query, last.key) }
}

interface FoundRow {
  readonly key: SortKey
  readonly row: RunRow
}

/**
 * The rows of a page in order. Times are sorted without `final` at first: the engine then sorts a million runs without
 * looking for their newest versions, and only those of the page are compared with their newest version.
 */
async function findRows(
  deps: Pick<Deps, 'analytics'>,
  tenantId: string,
  selection: Selection,
  fields: ReadonlySet<string>,
): Promise<readonly FoundRow[]> {
  const { query, limit } = selection
  if (ENDS[query.sort_by] !== undefined && !wantsAllRoots(query)) {
    const from = sql`from runs where ${whereRuns(tenantId, query)}`
    const keys = await selectKeys(deps, selectByTime(query.sort_by, from), selection)
    const found = await readRowsAt(deps, tenantId, keys, fields)
    const current = found.filter(({ key, row }) => key.version === row.version)
    // Fewer rows mean that superseded versions filled the page, or that there are no more.
    if (limit === undefined || keys.length < limit || current.length === limit) return current
  }
  const from = fromRuns(tenantId, query)
  const matched =
    ENDS[query.sort_by] === undefined ? selectByTotal(tenantId, query, from) : selectByTime(query.sort_by, from)
  return readRowsAt(deps, tenantId, await selectKeys(deps, matched, selection), fields)
}

/** Sort keys of the runs of a `from` clause with its conditions, by a time since their start. */
function selectByTime(figure: RunFigure, from: Fragment): Fragment {
  const micros = literal(microsBetween('start_time', ENDS[figure] ?? 'end_time'))
  return sql`select session_id, start_time, id, version, ${micros} as figure ${from}`
}

/**
 * Sort keys with sums over the run and everything below it: the totals that are shown for the runs, except that usage which a
 * trace has in another project is shown for its root but not counted here (decision 0066).
 */
function selectByTotal(tenantId: string, query: SortedQuery, from: Fragment): Fragment {
  // A run without tokens has a total of 0, like a run that reported 0.
  const figure = literal(query.sort_by === 'total_tokens' ? 'nullIf(total, 0)' : 'total')
  return sql`
      select session_id, start_time, run_id as id, version, ${figure} as figure
      from (select session_id, start_time, id as run_id, version ${from}) as matched
      left join (${selectTotals(tenantId, query)}) as totals using (run_id)`
}

/** `run_id` and `total`. */
function selectTotals(tenantId: string, query: SortedQuery): Fragment {
  const column = query.sort_by
  const onlyRoots = isRootQuery(query)
  // With ids, the other conditions are ignored.
  const wanted = query.id?.length ? { ...query, session: null, start_time: null } : query
  const window = whereUsageWindow(tenantId, wanted)
  const scope = onlyRoots ? window : whereUsage(tenantId, wanted)
  return sql`
        select above as run_id, sum(${literal(column)}) as total
        from (${selectUsageAbove({ tenantId, column, scope, window, onlyRoots })})
        group by run_id`
}

/** The traces of a query. With conditions on runs, only those traces are read that have a matching run. */
function whereUsage(tenantId: string, query: SortedQuery): Fragment {
  const window = whereUsageWindow(tenantId, query)
  if (hasOnlyWindow(query)) return window
  return sql`${window} and trace_id in (select trace_id from runs where ${whereRuns(tenantId, query)})`
}

/** The first keys of the runs after the cursor, or all. */
function selectKeys(
  { analytics }: Pick<Deps, 'analytics'>,
  matched: Fragment,
  { query, after, limit }: Selection,
): Promise<SortKey[]> {
  return analytics.query(
    sql`
    select session_id, start_time, id, version, figure
    from (${matched}) as runs_with_figures
    where ${after === undefined ? literal('true') : isAfter(query, after)}
    order by figure ${literal(query.order === 'asc' ? 'asc' : 'desc')} nulls last, start_time desc, id desc
    ${limit === undefined ? literal('') : sql`limit ${uint(limit)}`}`,
    SORT_KEY,
  )
}

function isAfter({ sort_by, order }: SortedQuery, { figure, startTime, id }: SortCursor): Fragment {
  const isOlder = sql`(start_time, id) < (${time(startTime)}, ${uuid(id)})`
  if (figure === null) return sql`figure is null and ${isOlder}`
  const last = FIGURE_TYPES[sort_by].bind(figure)
  const isBeyond = order === 'asc' ? sql`figure > ${last}` : sql`figure < ${last}`
  return sql`(${isBeyond} or figure is null or (figure = ${last} and ${isOlder}))`
}

/** The newest versions of the rows at the keys, in their order. Rows that were deleted since are left out. */
async function readRowsAt(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  keys: readonly SortKey[],
  fields: ReadonlySet<string>,
): Promise<FoundRow[]> {
  if (keys.length === 0) return []
  const selected = toColumns(fields)
  const projects = uuids(keys.map(({ session_id }) => session_id))
  const starts = times(keys.map(({ start_time }) => printedTime(start_time)))
  const rows = await analytics.query(
    sql`
    select ${toSelectList(selected)}
    from runs final
    where tenant_id = ${uuid(tenantId)}
      and (session_id, start_time, id) in arrayZip(${projects}, ${starts}, ${uuids(keys.map(({ id }) => id))})`,
    columns(selected),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return keys.flatMap((key) => {
    const row = byId.get(key.id)
    return row === undefined ? [] : [{ key, row }]
  })
}

function printSortCursor({ sort_by }: SortedQuery, { figure, start_time, id }: SortKey): string {
  return encodeCursor([sort_by, figure, printedTime(start_time), id])
}

function parseSortCursor(cursor: string, sortBy: RunFigure): SortCursor {
  return decodeCursor(cursor, ([by, figure, start, run]) => {
    const startTime = parseTime(start)
    const id = parseUuid(run)
    const isFigure = figure === null || (typeof figure === 'string' && FIGURE_TYPES[sortBy].pattern.test(figure))
    return by === sortBy && isFigure && startTime !== undefined && id !== undefined
      ? { figure, startTime, id }
      : undefined
  })
}
