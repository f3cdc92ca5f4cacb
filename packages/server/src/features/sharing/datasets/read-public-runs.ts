import {
  ApiError,
  PublicExperimentRun,
  type PublicExperimentRunQuery,
  RUN_FIELDS_ALWAYS,
  RUN_FIELDS_DEFAULT,
  RunConditions,
  type RunStats,
  type RunStatsQuery,
} from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type Fragment, join, sql, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { parseCursor, presentRun, type RunViewDeps, readRunViews, whereRuns } from '../../runs/index.ts'
import { readStats } from '../../runs/stats/index.ts'
import { type OpenDataset, openAmong } from './dataset-share.ts'

/** Fields of a run that a public reader may ask for. */
const PUBLIC = new Set<string>(Object.keys(PublicExperimentRun.shape))
const ALWAYS = RUN_FIELDS_ALWAYS.filter((field) => PUBLIC.has(field))
const PAYLOADS = new Set<string>(['inputs', 'outputs', 'events', 'serialized'])

/** A page of the runs of shared experiments, newest first unless asked otherwise, as JSON text. */
export async function queryPublicRuns(
  deps: RunViewDeps,
  share: OpenDataset,
  query: PublicExperimentRunQuery,
): Promise<string> {
  const session = await openAmong(deps, share, query.session)
  const { texts, next } = session.length === 0 ? NOTHING : await readPublic(deps, share, { ...query, session })
  const cursors = JSON.stringify({ next: (!query.skip_pagination && next) || null, prev: null })
  return `{"runs":[${texts.join(',')}],"cursors":${cursors},"search_cursors":null,"parsed_query":null}`
}

const NOTHING = { texts: [], next: undefined }

async function readPublic(
  deps: RunViewDeps,
  { tenantId, token }: OpenDataset,
  query: PublicExperimentRunQuery & { readonly session: string[] },
) {
  const fields = publicFields(query.select ?? RUN_FIELDS_DEFAULT)
  const isTrace = Boolean(query.trace) && !query.id?.length
  const cursor = query.cursor && !isTrace ? parseCursor(query.cursor) : undefined
  const page = isTrace ? { all: query.order ?? ('desc' as const) } : query
  const { views, next } = await readRunViews(
    deps,
    tenantId,
    within(query.session, whereRuns(tenantId, query, cursor)),
    fields,
    page,
    { kind: 'dataset', token },
  )
  return { texts: views.map((view) => presentRun(view, fields, ALWAYS)), next }
}

/**
 * One run of a shared experiment.
 *
 * @throws ApiError NOT_FOUND, also for runs that are not shared
 */
export async function readPublicRun(
  deps: RunViewDeps,
  share: OpenDataset,
  runId: string,
  { withoutPayloads }: { readonly withoutPayloads: boolean | undefined },
): Promise<string> {
  const session = await openAmong(deps, share, undefined)
  const fields = publicFields([...PUBLIC].filter((field) => !withoutPayloads || !PAYLOADS.has(field)))
  const where = within(session, whereRuns(share.tenantId, RunConditions.parse({ id: [runId] })))
  const link = { kind: 'dataset', token: share.token } as const
  const { views } =
    session.length === 0 ? { views: [] } : await readRunViews(deps, share.tenantId, where, fields, { all: 'asc' }, link)
  const [view] = views
  if (view === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
  return presentRun(view, fields, ALWAYS)
}

/** Said once more than the query says it: given ids, a query looks at nothing else. */
function within(session: readonly string[], where: Fragment): Fragment {
  return join([where, sql`session_id in ${uuids(session)}`])
}

function publicFields(selected: readonly string[]): Set<string> {
  return new Set(selected.filter((field) => PUBLIC.has(field)))
}

/** Has no runs: figures of nothing still have their form. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000'

/** Figures over the runs of shared experiments, whatever else the query names. */
export async function readPublicStats(
  deps: Pick<Deps, 'relational' | 'analytics'>,
  share: OpenDataset,
  asked: Omit<RunStatsQuery, 'trace_filter' | 'tree_filter'>,
): Promise<RunStats | Record<string, RunStats>> {
  const session = await openAmong(deps, share, asked.session)
  const query = { ...asked, session: session.length > 0 ? session : [NO_PROJECT], reference_dataset_id: undefined }
  if (!asked.id?.length) return readStats(deps, share.tenantId, query)
  // Given ids, a query looks at nothing else: they must be open themselves.
  const id = await openRuns(deps, share, session, asked.id)
  return readStats(deps, share.tenantId, id.length > 0 ? { ...query, id } : { session: [NO_PROJECT] })
}

async function openRuns(
  { analytics }: Pick<Deps, 'analytics'>,
  { tenantId }: OpenDataset,
  session: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  if (session.length === 0) return []
  const rows = await analytics.query<{ id: string }>(sql`
    select id
    from run_keys final
    where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)} and session_id in ${uuids(session)}`)
  return rows.map((row) => row.id)
}
