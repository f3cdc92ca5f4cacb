import {
  ApiError,
  PUBLIC_FILTER_LIMITS,
  PUBLIC_RUN_FIELDS,
  PUBLIC_RUN_FILTERS,
  type PublicRunQuery,
  parseFilter,
  RUN_FIELDS_ALWAYS,
  RUN_FIELDS_DEFAULT,
  RunConditions,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { RawJson } from '../../http/serve.ts'
import { type Fragment, join, sql, text, uuid, uuids } from '../../storage/analytics/sql.ts'
import { findRunShare } from '../../storage/relational/public-links.ts'
import { columns, each, type RowOf, text as string } from '../../storage/rows.ts'
import {
  presentRun,
  type RunTreeSource,
  type RunView,
  type RunViewDeps,
  readRunColumns,
  readRunTree,
  readRunViews,
  whereRuns,
} from '../runs/index.ts'

/** The run that a token gives access to, with all runs below it. */
export interface OpenShare {
  readonly tenantId: string
  readonly root: SharedRoot
  readonly token: string
}

const SHARED_ROOT = columns(each(['id', 'trace_id', 'session_id', 'dotted_order'], string))
type SharedRoot = RowOf<typeof SHARED_ROOT>

/**
 * Finds the run of a share token. The run is read each time, because its position in the trace may have changed since
 * it was
 * shared, and it may have been deleted.
 *
 * @throws ApiError NOT_FOUND with the same message for an unknown token, a revoked token and a deleted run
 */
export async function openShare(deps: Pick<Deps, 'analytics' | 'relational'>, token: string): Promise<OpenShare> {
  const share = await findRunShare(deps.relational.db, token)
  if (share === undefined) throw new ApiError('NOT_FOUND', 'Share token not found')
  const root = await findRun(deps, share.tenant_id, share.run_id)
  if (root === undefined) throw new ApiError('NOT_FOUND', 'Share token not found')
  return { tenantId: share.tenant_id, root, token: share.share_token }
}

/** Position of a run in its trace; undefined for an unknown run. */
export async function findRun(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runId: string,
): Promise<SharedRoot | undefined> {
  const [row] = await analytics.query(
    sql`
      select id, trace_id, session_id, dotted_order
      from runs final
      where ${whereRuns(tenantId, RunConditions.parse({ id: [runId] }))}`,
    SHARED_ROOT,
  )
  return row
}

/** Condition on the runs of a share. */
export function matchesShare({ root }: OpenShare): Fragment {
  // The root of a trace includes all its runs, also those without a complete path.
  if (root.id === root.trace_id) return sql`trace_id = ${uuid(root.trace_id)}`
  return sql`trace_id = ${uuid(root.trace_id)}
      and (id = ${uuid(root.id)} or startsWith(dotted_order, ${text(`${root.dotted_order}.`)}))`
}

/** Selects the ids of all runs of a share. */
export function selectSharedRunIds(share: OpenShare): Fragment {
  const ofTrace = whereRuns(share.tenantId, RunConditions.parse({ trace: share.root.trace_id }))
  return sql`select id from runs final where ${ofTrace} and ${matchesShare(share)}`
}

/** Fields of a run that a public reader may request. */
const PUBLIC = new Set<string>(PUBLIC_RUN_FIELDS)
const ALWAYS = RUN_FIELDS_ALWAYS.filter((field) => PUBLIC.has(field))

/** JSON texts of the runs of a share, by default oldest first. */
export async function readSharedRuns(
  deps: RunViewDeps,
  share: OpenShare,
  query: NonNullable<PublicRunQuery>,
): Promise<string[]> {
  const fields = publicFields(query.select ?? RUN_FIELDS_DEFAULT)
  const views = await readSharedViews(deps, share, query, fields)
  return views.map((view) => presentRun(view, fields, ALWAYS))
}

/** The selected fields that are public. */
function publicFields(selected: readonly string[]): Set<string> {
  return new Set(selected.filter((field) => PUBLIC.has(field)))
}

/** Rows of the runs of a share, with related data that the fields need. */
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
    matchesShare(share),
    ...(ids?.length ? [sql`id in ${uuids(ids)}`] : []),
  ])
  const page = { all: order ?? 'asc' } as const
  return (await readRunViews(deps, tenantId, where, fields, page, { kind: 'run', token })).views
}

/** All runs of a share without payloads, starting with the shared run. */
export function readSharedTree(deps: Pick<Deps, 'analytics'>, share: OpenShare): Promise<RawJson> {
  return readRunTree(deps, toSource(share))
}

/** The same as columns. */
export function readSharedColumns(deps: Pick<Deps, 'analytics'>, share: OpenShare): Promise<RawJson> {
  return readRunColumns(deps, toSource(share))
}

function toSource(share: OpenShare): RunTreeSource {
  const { tenantId, root } = share
  const where = sql`tenant_id = ${uuid(tenantId)} and ${matchesShare(share)}`
  return { traceId: root.trace_id, where, publicRoot: root.id }
}
