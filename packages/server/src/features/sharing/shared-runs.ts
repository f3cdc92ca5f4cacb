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
import { presentRun, type RunView, type RunViewDeps, readRunTree, readRunViews, whereRuns } from '../runs/index.ts'

/** What a token opens: one run and everything below it, in the workspace that shared it. */
export interface OpenShare {
  readonly tenantId: string
  readonly root: SharedRoot
  readonly token: string
}

interface SharedRoot {
  readonly id: string
  readonly trace_id: string
  readonly session_id: string
  readonly dotted_order: string
}

/**
 * Opens what a public reader holds a token for. The run is looked up anew each time: where it stands in its trace may
 * have changed since it was shared, and a run that was deleted is closed.
 *
 * @throws ApiError NOT_FOUND, in the same words whether the token never was, was revoked, or outlived its run
 */
export async function openShare(deps: Pick<Deps, 'analytics' | 'relational'>, token: string): Promise<OpenShare> {
  const share = await findRunShare(deps.relational.db, token)
  if (share === undefined) throw new ApiError('NOT_FOUND', 'Share token not found')
  const root = await findRun(deps, share.tenant_id, share.run_id)
  if (root === undefined) throw new ApiError('NOT_FOUND', 'Share token not found')
  return { tenantId: share.tenant_id, root, token: share.share_token }
}

/** Where a run stands, or `undefined`. */
export async function findRun(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  runId: string,
): Promise<SharedRoot | undefined> {
  const [row] = await analytics.query<SharedRoot>(sql`
    select id, trace_id, session_id, dotted_order
    from runs final
    where ${whereRuns(tenantId, RunConditions.parse({ id: [runId] }))}`)
  return row
}

/** Holds for the runs that a share opens, among those of its trace. */
export function isOpened({ root }: OpenShare): Fragment {
  // Below the root of a trace lies all of it, also runs whose own path has not been completed.
  if (root.id === root.trace_id) return sql`trace_id = ${uuid(root.trace_id)}`
  return sql`trace_id = ${uuid(root.trace_id)}
      and (id = ${uuid(root.id)} or startsWith(dotted_order, ${text(`${root.dotted_order}.`)}))`
}

/** A select of the ids of all runs that a share opens. */
export function idsOpened(share: OpenShare): Fragment {
  const ofTrace = whereRuns(share.tenantId, RunConditions.parse({ trace: share.root.trace_id }))
  return sql`select id from runs final where ${ofTrace} and ${isOpened(share)}`
}

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
function publicFields(selected: readonly string[]): Set<string> {
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

/** All runs that a share opens, without payloads, the shared one on top. */
export function readSharedTree(deps: Pick<Deps, 'analytics'>, share: OpenShare): Promise<RawJson> {
  const { tenantId, root } = share
  return readRunTree(deps, {
    traceId: root.trace_id,
    where: sql`tenant_id = ${uuid(tenantId)} and ${isOpened(share)}`,
    publicRoot: root.id,
  })
}
