import {
  ApiError,
  type ExperimentCells,
  type ExperimentCellsQuery,
  type ExperimentRunsQuery,
  type ExperimentSearchQuery,
  type ExperimentStatistics,
  ExperimentStatisticsQuery,
  type FeedbackDeltas,
  ProjectListQuery,
  PublicExperimentRun,
  type PublicExperimentRunQuery,
  type PublicStatisticsQuery,
  RUN_FIELDS_ALWAYS,
  RUN_FIELDS_DEFAULT,
  RunConditions,
  type RunDeltasQuery,
  type RunStats,
  type RunStatsQuery,
} from '@touchstone/contract'
import { getMemberText, splitElements, splitMembers } from '@touchstone/formats/cut-json'
import { printObject } from '@touchstone/formats/write-object'
import type { Deps } from '../../../deps.ts'
import { type Fragment, join, sql, uuid, uuids } from '../../../storage/analytics/sql.ts'
import { findDatasetShare } from '../../../storage/relational/public-links.ts'
import { ID_ROW } from '../../../storage/rows.ts'
import { cutDeltas, readCells, readDeltas, readRunsPage, searchExperiments } from '../../experiments/index.ts'
import { compareExperiments } from '../../experiments/statistics/index.ts'
import { type ListedProject, listProjects, type StatsDeps } from '../../projects/index.ts'
import { parseCursor, presentRun, type RunViewDeps, readRunViews, whereRuns } from '../../runs/index.ts'
import { readStats } from '../../runs/stats/index.ts'
import {
  type OpenDataset,
  openDatasetShare,
  selectRequestedExperimentIds,
  selectSharedExperimentIds,
} from './dataset-share.ts'

/** Fields of a run that a public reader may request. */
const PUBLIC = new Set<string>(Object.keys(PublicExperimentRun.shape))
const ALWAYS = RUN_FIELDS_ALWAYS.filter((field) => PUBLIC.has(field))
const PAYLOADS = new Set<string>(['inputs', 'outputs', 'events', 'serialized'])

/** A page of the runs of shared experiments as JSON text, by default newest first. */
export async function queryPublicRuns(
  deps: RunViewDeps,
  share: OpenDataset,
  query: PublicExperimentRunQuery,
): Promise<string> {
  const session = await selectRequestedExperimentIds(deps, share, query.session)
  const { texts, next } = session.length === 0 ? EMPTY_PAGE : await readPublic(deps, share, { ...query, session })
  const cursors = JSON.stringify({ next: (!query.skip_pagination && next) || null, prev: null })
  return `{"runs":[${texts.join(',')}],"cursors":${cursors},"search_cursors":null,"parsed_query":null}`
}

const EMPTY_PAGE = { texts: [], next: undefined }

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
    limitToSessions(query.session, whereRuns(tenantId, query, cursor)),
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
  const session = await selectRequestedExperimentIds(deps, share, undefined)
  const fields = publicFields([...PUBLIC].filter((field) => !withoutPayloads || !PAYLOADS.has(field)))
  const where = limitToSessions(session, whereRuns(share.tenantId, RunConditions.parse({ id: [runId] })))
  const link = { kind: 'dataset', token: share.token } as const
  const { views } =
    session.length === 0 ? { views: [] } : await readRunViews(deps, share.tenantId, where, fields, { all: 'asc' }, link)
  const [view] = views
  if (view === undefined) throw new ApiError('NOT_FOUND', 'Run not found')
  return presentRun(view, fields, ALWAYS)
}

/** Adds the condition on the sessions, because a query with ids ignores its other conditions. */
function limitToSessions(session: readonly string[], where: Fragment): Fragment {
  return join([where, sql`session_id in ${uuids(session)}`])
}

function publicFields(selected: readonly string[]): Set<string> {
  return new Set(selected.filter((field) => PUBLIC.has(field)))
}

/** An id without runs, so that an empty result has the usual form. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000'

/** Statistics over the runs of shared experiments, with other projects removed from the query. */
export async function readPublicStats(
  deps: Pick<Deps, 'relational' | 'analytics'>,
  share: OpenDataset,
  asked: Omit<RunStatsQuery, 'trace_filter' | 'tree_filter'>,
): Promise<RunStats | Record<string, RunStats>> {
  const session = await selectRequestedExperimentIds(deps, share, asked.session)
  const query = { ...asked, session: session.length > 0 ? session : [NO_PROJECT], reference_dataset_id: undefined }
  if (!asked.id?.length) return readStats(deps, share.tenantId, query)
  // A query with ids ignores its other conditions, so the ids are limited to shared runs.
  const id = await selectSharedRunsAmong(deps, share, session, asked.id)
  return readStats(deps, share.tenantId, id.length > 0 ? { ...query, id } : { session: [NO_PROJECT] })
}

async function selectSharedRunsAmong(
  { analytics }: Pick<Deps, 'analytics'>,
  { tenantId }: OpenDataset,
  session: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  if (session.length === 0) return []
  const rows = await analytics.query(
    sql`
      select id
      from run_keys final
      where tenant_id = ${uuid(tenantId)} and id in ${uuids(ids)} and session_id in ${uuids(session)}`,
    ID_ROW,
  )
  return rows.map((row) => row.id)
}

/** Fields of a compared run that a public reader may see. */
const PUBLIC_FIELDS = new Set([...Object.keys(PublicExperimentRun.shape), 'feedbacks'])

/**
 * Examples with their runs in shared experiments, as JSON texts in chunks.
 *
 * @throws ApiError NOT_FOUND for a session that is not shared
 */
export async function* readPublicExampleRuns(
  deps: RunViewDeps,
  share: OpenDataset,
  query: ExperimentRunsQuery,
): AsyncGenerator<string[]> {
  await assertShared(deps, share, Object.keys(query.filters ?? {}))
  const session_ids = await selectShared(deps, share, query.session_ids)
  const link = { kind: 'dataset', token: share.token } as const
  const shown = { ...query, session_ids }
  for await (const texts of readRunsPage(deps, share.tenantId, share.dataset.id, shown, { share: link })) {
    yield texts.map(presentPublicly)
  }
}

/** Examples on which shared experiments are better or worse than a baseline. */
export async function readPublicDeltas(
  deps: RunViewDeps,
  share: OpenDataset,
  query: RunDeltasQuery,
): Promise<FeedbackDeltas> {
  const { baseline_session_id, comparison_session_ids, filters, feedback_key } = query
  await assertShared(deps, share, [baseline_session_id, ...Object.keys(filters ?? {})])
  const shown = { ...query, comparison_session_ids: await selectShared(deps, share, comparison_session_ids) }
  for await (const { deltas } of readDeltas(deps, share.tenantId, share.dataset.id, shown, [feedback_key])) {
    return cutDeltas(deltas, query)
  }
  return {}
}

/** Runs and scores of shared experiments; the others are listed as missing. @throws ApiError NOT_FOUND when none is shared */
export async function readPublicCells(
  deps: RunViewDeps,
  share: OpenDataset,
  query: ExperimentCellsQuery,
): Promise<ExperimentCells> {
  const session_ids = await selectShared(deps, share, query.session_ids)
  const cells = await readCells(deps, share.tenantId, share.dataset.id, { ...query, session_ids })
  const shown = new Set(cells.experiments.map(({ id }) => id))
  return { ...cells, missing_session_ids: query.session_ids.filter((id) => !shown.has(id)) }
}

/** Verdicts on shared experiments. @throws ApiError NOT_FOUND for a session that is not shared */
export async function comparePublicExperiments(
  deps: RunViewDeps,
  share: OpenDataset,
  query: PublicStatisticsQuery,
): Promise<ExperimentStatistics> {
  await assertShared(deps, share, [query.baseline_session_id, ...query.comparison_session_ids])
  return compareExperiments(deps, share.tenantId, share.dataset.id, ExperimentStatisticsQuery.parse(query))
}

/** Ids of examples with a text in shared experiments. @throws ApiError NOT_FOUND when none is shared */
export async function searchPublicExperiments(
  deps: RunViewDeps,
  share: OpenDataset,
  query: ExperimentSearchQuery,
): Promise<string[]> {
  const session_ids = await selectShared(deps, share, query.session_ids)
  return searchExperiments(deps, share.tenantId, share.dataset.id, { ...query, session_ids })
}

/** The sessions that are shared, in their order. The others may have been deleted. @throws ApiError NOT_FOUND when none is */
async function selectShared(deps: RunViewDeps, share: OpenDataset, sessions: readonly string[]): Promise<string[]> {
  const shared = new Set(await selectSharedExperimentIds(deps, share))
  const found = sessions.filter((id) => shared.has(id))
  if (found.length === 0) await assertShared(deps, share, sessions)
  return found
}

/** The same message for a session that does not exist, is not shared, or belongs to another dataset. */
async function assertShared(deps: RunViewDeps, share: OpenDataset, sessions: readonly string[]): Promise<void> {
  const shared = new Set(await selectSharedExperimentIds(deps, share))
  const hidden = sessions.find((id) => !shared.has(id))
  if (hidden !== undefined) throw new ApiError('NOT_FOUND', `Session not found: ${hidden}`)
}

function presentPublicly(text: string): string {
  const example = splitMembers(text)
  example.delete('source_run_id')
  const runs = splitElements(getMemberText(example, 'runs')).map((run) => {
    return printObject(new Map([...splitMembers(run)].filter(([field]) => PUBLIC_FIELDS.has(field))))
  })
  return printObject(example.set('runs', `[${runs.join(',')}]`))
}

type ListDeps = Pick<Deps, 'relational'> & StatsDeps

/** Tokens of one bulk request. */
const MAX_TOKENS = 100

/** Experiments that are shared with a dataset. Conditions on datasets are replaced by this dataset. */
export async function listPublicSessions(
  deps: ListDeps,
  { tenantId, dataset, sharesProjects }: OpenDataset,
  query: ProjectListQuery,
): Promise<ListedProject[]> {
  if (!sharesProjects) return []
  return listProjects(deps, tenantId, { ...query, reference_dataset: [dataset.id], reference_free: undefined })
}

/** All experiments that are shared with several datasets. Invalid tokens are skipped. */
export async function listSessionsInBulk(
  deps: ListDeps,
  tokens: readonly string[] | undefined,
): Promise<ListedProject[]> {
  if (!tokens?.length) throw new ApiError('INVALID_REQUEST', 'Select datasets with share_tokens.')
  if (tokens.length > MAX_TOKENS) throw new ApiError('INVALID_REQUEST', `At most ${MAX_TOKENS} share_tokens at once.`)
  const found: ListedProject[] = []
  for (const token of new Set(tokens)) {
    if ((await findDatasetShare(deps.relational.db, token)) === undefined) continue
    const share = await openDatasetShare(deps, token)
    for (let offset = 0, more = true; more; offset += 100) {
      const page = await listPublicSessions(deps, share, ProjectListQuery.parse({ offset, limit: 100 }))
      found.push(...page)
      more = page.length === 100
    }
  }
  return found
}
