import { RUN_FIELDS_DEFAULT, type RunQuery } from '@touchstone/contract'
import { RawJson } from '../../http/raw-json.ts'
import { printedTime } from '../../storage/analytics/sql.ts'
import { parseCursor, printCursor } from './cursor.ts'
import { refuseFilters } from './filter/index.ts'
import { type LookUpDeps, lookUp } from './look-up.ts'
import { presentRun } from './present.ts'
import { readPage } from './read-page.ts'
import { columnsFor } from './run-row.ts'
import { whereOf } from './where.ts'

/**
 * A page of runs, newest first unless asked otherwise. A query by trace answers the whole trace at once: clients build
 * the tree from it and break when a parent is missing.
 *
 * @throws ApiError INVALID_REQUEST on a foreign cursor, NOT_IMPLEMENTED on a filter
 */
export async function queryRuns(deps: LookUpDeps, tenantId: string, query: RunQuery): Promise<RawJson> {
  refuseFilters(query)
  const fields = new Set<string>(query.select ?? RUN_FIELDS_DEFAULT)
  const whole = Boolean(query.trace) && !query.id?.length
  const cursor = query.cursor && !whole ? parseCursor(query.cursor) : undefined
  const rows = await readPage(deps, columnsFor(fields), whereOf(tenantId, query, cursor), query, whole)

  const page = whole ? rows : rows.slice(0, query.limit)
  const last = page.at(-1)
  const more = !whole && rows.length > page.length && !query.skip_pagination
  const next = more && last ? printCursor({ startTime: printedTime(last.start_time), id: last.id }) : null
  const views = await lookUp(deps, tenantId, page, fields)
  const texts = views.map((view) => presentRun(view, fields))
  const cursors = JSON.stringify({ next, prev: null })
  return new RawJson(`{"runs":[${texts.join(',')}],"cursors":${cursors},"search_cursors":null,"parsed_query":null}`)
}
