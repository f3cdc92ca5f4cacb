import { ApiError, parseTime, parseUuid, type RunQuery } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
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
import type { Share } from '../attachments/index.ts'
import { loadRunViews, type RunViewDeps } from './load-views.ts'
import type { RunView } from './present.ts'
import { type RunRow, toColumns } from './run-row.ts'

type ReadDeps = Pick<Deps, 'analytics'>

/** What decides the order of a page and how to reach it; the conditions themselves are in `where`. */
export type PageQuery = Pick<RunQuery, 'limit'> & Partial<RunQuery>

/**
 * Rows of one page and one more, in order; of a whole trace, all rows.
 *
 * Under `final` the engine reads all of a project before it sorts. Without it, it reads in the order of the key and
 * stops early, but sees superseded rows too. So it is asked that way first. Where most runs match, that tells how far a
 * page can reach, and `final` reads that stretch: 17 ms against 49 ms for the newest 50 of 2 million runs. Where a filter
 * leaves few, it tells which they are, and `final` reads those.
 */
export async function readPage(
  deps: ReadDeps,
  tenantId: string,
  columns: Fragment,
  where: Fragment,
  query: PageQuery,
  whole: boolean,
): Promise<RunRow[]> {
  if (whole) return selectRows(deps, columns, where, query, literal(''))
  const limit = sql`limit ${uint(query.limit + 1)}`
  if (isInOneProject(query)) {
    const found = isSelective(query) ? await readByKeys(deps, tenantId, columns, where, query) : undefined
    if (found !== undefined) return found
    const reach = await findPageBound(deps, where, query)
    const rows = reach ? await selectRows(deps, columns, sql`${where} and ${reach}`, query, limit) : []
    // Fewer can only mean that many rows of the stretch were superseded, or that they are all there is.
    if (rows.length > query.limit) return rows
  }
  return selectRows(deps, columns, where, query, limit)
}

function selectRows<Row = RunRow>(
  deps: ReadDeps,
  columns: Fragment,
  where: Fragment,
  query: PageQuery,
  limit: Fragment,
): Promise<Row[]> {
  const direction = toDirection(query)
  return deps.analytics.query<Row>(sql`
    select ${columns}
    from runs final
    where ${where}
    order by start_time ${direction}, id ${direction}
    ${limit}`)
}

/** Only there the order of the page is the order of the key. */
function isInOneProject(query: PageQuery): boolean {
  return query.session?.length === 1 && !query.id?.length && !query.trace && !query.parent_run
}

function isSelective(query: PageQuery): boolean {
  return Boolean(query.filter || query.query || query.trace_filter || query.tree_filter)
}

/** Where a version of a run stands in its project. */
type RowKey = Pick<RunRow, 'start_time' | 'id'> & { readonly version: string }

/**
 * The runs that the first step found, as far as the version that was found is the newest of its run.
 *
 * @returns `undefined` when superseded versions took places of the page, so that others have to be looked for
 */
async function readByKeys(
  deps: ReadDeps,
  tenantId: string,
  columns: Fragment,
  where: Fragment,
  query: PageQuery,
): Promise<RunRow[] | undefined> {
  const wanted = query.limit + 1
  const spots = await selectRowKeys(deps, where, query, wanted)
  if (spots.length === 0) return []
  const versions = new Set(spots.map(({ id, version }) => `${id} ${version}`))
  const starts = times(spots.map((spot) => printedTime(spot.start_time)))
  const isThere = sql`tenant_id = ${uuid(tenantId)} and session_id = ${uuid(query.session![0]!)}
      and (start_time, id) in arrayZip(${starts}, ${uuids(spots.map((spot) => spot.id))})`
  const rows = await selectRows<RunRow & RowKey>(deps, sql`${columns}, version`, isThere, query, literal(''))
  const current = rows.filter(({ id, version }) => versions.has(`${id} ${version}`))
  return current.length === wanted || spots.length < wanted ? current : undefined
}

/** Spots of the first matching rows in order, superseded ones among them. */
function selectRowKeys({ analytics }: ReadDeps, where: Fragment, query: PageQuery, limit: number): Promise<RowKey[]> {
  const direction = toDirection(query)
  return analytics.query<RowKey>(sql`
    select start_time, id, version
    from runs
    where ${where}
    order by start_time ${direction}, id ${direction}
    limit ${uint(limit)}`)
}

async function findPageBound(
  { analytics }: ReadDeps,
  where: Fragment,
  query: PageQuery,
): Promise<Fragment | undefined> {
  const direction = toDirection(query)
  // A run is mostly written twice, at its start and at its end.
  const rowsOfPage = 2 * (query.limit + 1)
  const [edge] = await analytics.query<{ start_time: string }>(sql`
    select start_time
    from runs
    where ${where}
    order by start_time ${direction}, id ${direction}
    limit 1 offset ${uint(rowsOfPage)}`)
  if (edge === undefined) return undefined
  const at = time(printedTime(edge.start_time))
  return query.order === 'asc' ? sql`start_time <= ${at}` : sql`start_time >= ${at}`
}

const toDirection = (query: PageQuery) => literal(query.order === 'asc' ? 'asc' : 'desc')

/** Where a page ended: the next one starts after this key, however many runs arrived meanwhile. */
export interface RunCursor {
  /** In the contract's printed form. */
  readonly startTime: string
  readonly id: string
}

export function printCursor(cursor: RunCursor): string {
  return Buffer.from(JSON.stringify([cursor.startTime, cursor.id])).toString('base64url')
}

/** @throws ApiError INVALID_REQUEST when the text is not a cursor of ours */
export function parseCursor(text: string): RunCursor {
  try {
    const [start, run] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[]
    const startTime = parseTime(start)
    const id = parseUuid(run)
    if (startTime !== undefined && id !== undefined) return { startTime, id }
  } catch {
    // Not ours: told below, like every other text that is no cursor.
  }
  throw new ApiError('INVALID_REQUEST', 'cursor is not one that this server gave out; start again without it')
}

export interface RunViewPage {
  readonly views: readonly RunView[]
  /** Cursor of the page after this one; absent on the last. */
  readonly next: string | undefined
}

/**
 * The runs that meet conditions, in order, with what their selected fields need: a page of them, or all.
 *
 * @param share  the public link through which they are read; URLs of attachments end with it
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
  return { views: await loadRunViews(deps, tenantId, shown, fields, share), next }
}
