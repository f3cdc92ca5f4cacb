import type { RunQuery } from '@touchstone/contract'
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
import type { RunRow } from './run-row.ts'

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
  if (whole) return select(deps, columns, where, query, literal(''))
  const limit = sql`limit ${uint(query.limit + 1)}`
  if (isOfOneProject(query)) {
    const found = isSelective(query) ? await readFound(deps, tenantId, columns, where, query) : undefined
    if (found !== undefined) return found
    const reach = await findReach(deps, where, query)
    const rows = reach ? await select(deps, columns, sql`${where} and ${reach}`, query, limit) : []
    // Fewer can only mean that many rows of the stretch were superseded, or that they are all there is.
    if (rows.length > query.limit) return rows
  }
  return select(deps, columns, where, query, limit)
}

function select<Row = RunRow>(
  deps: ReadDeps,
  columns: Fragment,
  where: Fragment,
  query: PageQuery,
  limit: Fragment,
): Promise<Row[]> {
  const direction = directionOf(query)
  return deps.analytics.query<Row>(sql`
    select ${columns}
    from runs final
    where ${where}
    order by start_time ${direction}, id ${direction}
    ${limit}`)
}

/** Only there the order of the page is the order of the key. */
function isOfOneProject(query: PageQuery): boolean {
  return query.session?.length === 1 && !query.id?.length && !query.trace && !query.parent_run
}

function isSelective(query: PageQuery): boolean {
  return Boolean(query.filter || query.query || query.trace_filter || query.tree_filter)
}

/** Where a version of a run stands in its project. */
type Spot = Pick<RunRow, 'start_time' | 'id'> & { readonly version: string }

/**
 * The runs that the first step found, as far as the version that was found is the newest of its run.
 *
 * @returns `undefined` when superseded versions took places of the page, so that others have to be looked for
 */
async function readFound(
  deps: ReadDeps,
  tenantId: string,
  columns: Fragment,
  where: Fragment,
  query: PageQuery,
): Promise<RunRow[] | undefined> {
  const wanted = query.limit + 1
  const spots = await findSpots(deps, where, query, wanted)
  if (spots.length === 0) return []
  const versions = new Set(spots.map(({ id, version }) => `${id} ${version}`))
  const starts = times(spots.map((spot) => printedTime(spot.start_time)))
  const isThere = sql`tenant_id = ${uuid(tenantId)} and session_id = ${uuid(query.session![0]!)}
      and (start_time, id) in arrayZip(${starts}, ${uuids(spots.map((spot) => spot.id))})`
  const rows = await select<RunRow & Spot>(deps, sql`${columns}, version`, isThere, query, literal(''))
  const current = rows.filter(({ id, version }) => versions.has(`${id} ${version}`))
  return current.length === wanted || spots.length < wanted ? current : undefined
}

/** Spots of the first matching rows in order, superseded ones among them. */
function findSpots({ analytics }: ReadDeps, where: Fragment, query: PageQuery, limit: number): Promise<Spot[]> {
  const direction = directionOf(query)
  return analytics.query<Spot>(sql`
    select start_time, id, version
    from runs
    where ${where}
    order by start_time ${direction}, id ${direction}
    limit ${uint(limit)}`)
}

async function findReach({ analytics }: ReadDeps, where: Fragment, query: PageQuery): Promise<Fragment | undefined> {
  const direction = directionOf(query)
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

const directionOf = (query: PageQuery) => literal(query.order === 'asc' ? 'asc' : 'desc')
