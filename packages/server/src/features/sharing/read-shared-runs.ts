import {
  PUBLIC_FILTER_LIMITS,
  PUBLIC_RUN_FIELDS,
  PUBLIC_RUN_FILTERS,
  type PublicRunQuery,
  parseFilter,
  RUN_FIELDS_ALWAYS,
  RUN_FIELDS_DEFAULT,
  RunConditions,
} from '@touchstone/contract'
import { join, sql, uuids } from '../../storage/analytics/sql.ts'
import { presentRun, type RunView, type RunViewDeps, readRunViews, whereRuns } from '../runs/index.ts'
import { isOpened, type OpenShare } from './open-share.ts'

/** Fields of a run that a public reader may ask for. */
const PUBLIC = new Set<string>(PUBLIC_RUN_FIELDS)
const ALWAYS = RUN_FIELDS_ALWAYS.filter((field) => PUBLIC.has(field))

/** JSON texts of the runs that a share opens, oldest first unless asked otherwise. */
export async function readSharedRuns(
  deps: RunViewDeps,
  share: OpenShare,
  query: NonNullable<PublicRunQuery>,
): Promise<string[]> {
  const fields = publicFields(query.select ?? RUN_FIELDS_DEFAULT)
  const views = await readSharedViews(deps, share, query, fields)
  return views.map((view) => presentRun(view, fields, ALWAYS))
}

/** The selected fields without those that the public does not see. */
export function publicFields(selected: readonly string[]): Set<string> {
  return new Set(selected.filter((field) => PUBLIC.has(field)))
}

/** Rows of the runs that a share opens, with what the fields need beside them. */
export async function readSharedViews(
  deps: RunViewDeps,
  share: OpenShare,
  query: NonNullable<PublicRunQuery>,
  fields: ReadonlySet<string>,
): Promise<readonly RunView[]> {
  const { tenantId, root, token } = share
  for (const text of [query.filter, query.search_filter]) {
    parseFilter(text ?? '', PUBLIC_RUN_FILTERS, PUBLIC_FILTER_LIMITS)
  }
  const { id: ids, select: _, order, ...conditions } = query
  const where = join([
    whereRuns(tenantId, RunConditions.parse({ ...conditions, trace: root.trace_id })),
    isOpened(share),
    ...(ids?.length ? [sql`id in ${uuids(ids)}`] : []),
  ])
  const page = { all: order ?? 'asc' } as const
  return (await readRunViews(deps, tenantId, where, fields, page, { kind: 'run', token })).views
}
