import type { Fragment } from '../../storage/analytics/sql.ts'
import { printedTime } from '../../storage/analytics/sql.ts'
import type { Share } from '../attachments/index.ts'
import { printCursor } from './cursor.ts'
import { type LookUpDeps, lookUp } from './look-up.ts'
import type { RunView } from './present.ts'
import { type PageQuery, readPage } from './read-page.ts'
import { columnsFor } from './run-row.ts'

export interface ViewPage {
  readonly views: readonly RunView[]
  /** Cursor of the page after this one; absent on the last. */
  readonly next: string | undefined
}

/**
 * The runs that meet conditions, in order, with what their selected fields need: a page of them, or all.
 *
 * @param share  the public link through which they are read; URLs of attachments end with it
 */
export async function readViews(
  deps: LookUpDeps,
  tenantId: string,
  where: Fragment,
  fields: ReadonlySet<string>,
  page: PageQuery | { readonly all: 'asc' | 'desc' },
  share?: Share,
): Promise<ViewPage> {
  if ('all' in page) {
    const rows = await readPage(deps, tenantId, columnsFor(fields), where, { order: page.all, limit: 0 }, true)
    return { views: await lookUp(deps, tenantId, rows, fields, share), next: undefined }
  }
  const rows = await readPage(deps, tenantId, columnsFor(fields), where, page, false)
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  const more = rows.length > shown.length && last !== undefined
  const next = more ? printCursor({ startTime: printedTime(last.start_time), id: last.id }) : undefined
  return { views: await lookUp(deps, tenantId, shown, fields, share), next }
}
