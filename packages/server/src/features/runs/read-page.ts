import { parseTime, parseUuid, type RunQuery } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { decodeCursor, encodeCursor } from '../../http/cursor.ts'
import {
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
import { columns, type RowDecoder, type RowOf, text } from '../../storage/rows.ts'
import type { Share } from '../attachments/index.ts'
import { loadRunViews, type RunViewDeps } from './load-views.ts'
import type { RunView } from './present.ts'
import { type RunColumns, type RunRow, toColumns, toSelectList } from './run-row.ts'
import { bySiblingOrder, sortTies } from './sibling-order.ts'

type ReadDeps = Pick<Deps, 'analytics'>

/** Determines the order of a page and how it is read; `where` has the conditions. */
export type PageQuery = Pick<RunQuery, 'limit'> & Partial<RunQuery>

/**
 * Rows of one page and one more, in order; for a whole trace, all rows.
 *
 * With `final` the engine reads the whole project before it sorts. Without it, the engine reads in key order and stops
 * early, but also returns superseded rows. So a first query runs without `final`. If most runs match, the first query
 * finds the time bound of the page, and a query with `final` reads that range: 17 ms instead of 49 ms for the newest 50
 * of 2 million runs. If a filter matches few runs, the first query finds their keys, and `final` reads those.
 */
export async function readPage(
  deps: ReadDeps,
  tenantId: string,
  selected: RunColumns,
  where: Fragment,
  query: PageQuery,
  whole: boolean,
): Promise<RunRow[]> {
  const list = toSelectList(selected)
  const decode = columns(selected)
  if (whole) return selectTrace(deps, list, decode, where, query)
  const limit = sql`limit ${uint(query.limit + 1)}`
  if (isInOneProject(query)) {
    const found = isSelective(query) ? await readByKeys(deps, tenantId, selected, where, query) : undefined
    if (found !== undefined) return found
    const reach = await findPageBound(deps, where, query)
    const rows = reach ? await selectRows(deps, list, decode, sql`${where} and ${reach}`, query, limit) : []
    // Fewer rows mean that many rows of the range were superseded, or that there are no more.
    if (rows.length > query.limit) return rows
  }
  return selectRows(deps, list, decode, where, query, limit)
}

/** All matching runs, in the order of siblings. */
function selectTrace<Row>(
  deps: ReadDeps,
  list: Fragment,
  row: RowDecoder<Row>,
  where: Fragment,
  { order }: PageQuery,
): Promise<Row[]> {
  return deps.analytics.query(
    sql`
    select ${list}
    from runs final
    where ${where}
    order by ${bySiblingOrder('runs', order === 'asc' ? 'asc' : 'desc')}`,
    row,
  )
}

function selectRows<Row>(
  deps: ReadDeps,
  list: Fragment,
  row: RowDecoder<Row>,
  where: Fragment,
  query: PageQuery,
  limit: Fragment,
): Promise<Row[]> {
  const direction = toDirection(query)
  return deps.analytics.query(
    sql`
    select ${list}
    from runs final
    where ${where}
    order by start_time ${direction}, id ${direction}
    ${limit}`,
    row,
  )
}

/** Only within one project is the order of the page the order of the sort key. */
function isInOneProject(query: PageQuery): boolean {
  return query.session?.length === 1 && !query.id?.length && !query.trace && !query.parent_run
}

function isSelective(query: PageQuery): boolean {
  return Boolean(query.filter || query.query || query.trace_filter || query.tree_filter)
}

/** Sort key of one version of a run within its project. */
const ROW_KEY = columns({ start_time: text, id: text, version: text })

type RowKey = RowOf<typeof ROW_KEY>

/**
 * The runs that the first query found, without superseded versions.
 *
 * @returns `undefined` when superseded versions filled the page, so that more rows have to be read
 */
async function readByKeys(
  deps: ReadDeps,
  tenantId: string,
  selected: RunColumns,
  where: Fragment,
  query: PageQuery,
): Promise<RunRow[] | undefined> {
  const [projectId] = query.session ?? []
  if (projectId === undefined) return undefined
  const wanted = query.limit + 1
  const rowKeys = await selectRowKeys(deps, where, query, wanted)
  if (rowKeys.length === 0) return []
  const versions = new Set(rowKeys.map(({ id, version }) => `${id} ${version}`))
  const starts = times(rowKeys.map((rowKey) => printedTime(rowKey.start_time)))
  const atKeys = sql`tenant_id = ${uuid(tenantId)} and session_id = ${uuid(projectId)}
      and (start_time, id) in arrayZip(${starts}, ${uuids(rowKeys.map((rowKey) => rowKey.id))})`
  const rows = await selectRows(deps, toSelectList(selected), columns(selected), atKeys, query, literal(''))
  const current = rows.filter(({ id, version }) => versions.has(`${id} ${version}`))
  return current.length === wanted || rowKeys.length < wanted ? current : undefined
}

/** Keys of the first matching rows in order, including superseded versions. */
function selectRowKeys({ analytics }: ReadDeps, where: Fragment, query: PageQuery, limit: number): Promise<RowKey[]> {
  const direction = toDirection(query)
  return analytics.query(
    sql`
    select start_time, id, version
    from runs
    where ${where}
    order by start_time ${direction}, id ${direction}
    limit ${uint(limit)}`,
    ROW_KEY,
  )
}

async function findPageBound(
  { analytics }: ReadDeps,
  where: Fragment,
  query: PageQuery,
): Promise<Fragment | undefined> {
  const direction = toDirection(query)
  // Most runs are written twice: at their start and at their end.
  const rowsOfPage = 2 * (query.limit + 1)
  const [edge] = await analytics.query(
    sql`
    select start_time
    from runs
    where ${where}
    order by start_time ${direction}, id ${direction}
    limit 1 offset ${uint(rowsOfPage)}`,
    columns({ start_time: text }),
  )
  if (edge === undefined) return undefined
  const at = time(printedTime(edge.start_time))
  return query.order === 'asc' ? sql`start_time <= ${at}` : sql`start_time >= ${at}`
}

const toDirection = (query: PageQuery) => literal(query.order === 'asc' ? 'asc' : 'desc')

/** The last key of a page. The next page starts after it, even if runs arrived in between. */
export interface RunCursor {
  /** In the contract's printed form. */
  readonly startTime: string
  readonly id: string
}

function printCursor({ startTime, id }: RunCursor): string {
  return encodeCursor([startTime, id])
}

/** @throws ApiError INVALID_REQUEST when the text is not a cursor of this server */
export function parseCursor(text: string): RunCursor {
  return decodeCursor(text, ([start, run]) => {
    const startTime = parseTime(start)
    const id = parseUuid(run)
    return startTime !== undefined && id !== undefined ? { startTime, id } : undefined
  })
}

export interface RunViewPage {
  readonly views: readonly RunView[]
  /** Cursor of the page after this one; absent on the last. */
  readonly next: string | undefined
}

/**
 * The runs that satisfy the conditions, in order, with the data for the selected fields: one page or all.
 *
 * @param share  the public link through which the runs are read; attachment URLs expire with it
 */
export async function readRunViews(
  deps: RunViewDeps,
  tenantId: string,
  where: Fragment,
  fields: ReadonlySet<string>,
  page: PageQuery | { readonly all: 'asc' | 'desc' },
  share?: Share,
): Promise<RunViewPage> {
  if ('all' in page) {
    const rows = await readPage(deps, tenantId, toColumns(fields), where, { order: page.all, limit: 0 }, true)
    return { views: await loadRunViews(deps, tenantId, rows, fields, share), next: undefined }
  }
  const rows = await readPage(deps, tenantId, toColumns(fields), where, page, false)
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  const more = rows.length > shown.length && last !== undefined
  const next = more ? printCursor({ startTime: printedTime(last.start_time), id: last.id }) : undefined
  const ordered = sortTies(shown, page.order === 'asc' ? 'asc' : 'desc')
  return { views: await loadRunViews(deps, tenantId, ordered, fields, share), next }
}
