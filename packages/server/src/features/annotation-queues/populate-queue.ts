import { ApiError, type QueuePopulation, RunConditions } from '@touchstone/contract'
import { printedTime, sql, uint } from '../../storage/analytics/sql.ts'
import { columns, each, nullable, type RowOf, text } from '../../storage/rows.ts'
import { selectProjectsById } from '../projects/index.ts'
import { whereRuns } from '../runs/index.ts'
import { type AddDeps, insertItems } from './add-items.ts'
import { getQueue } from './store.ts'

const ROOT_ROW = columns({
  ...each(['id', 'session_id', 'trace_id', 'start_time'], text),
  reference_example_id: nullable(text),
})
type RootRow = RowOf<typeof ROOT_ROW>

/** All runs are added in one transaction. */
const MAX_RUNS = 100_000

export type Population = Pick<QueuePopulation, 'session_ids'> & Partial<QueuePopulation>

/**
 * Adds the root runs of projects, oldest first. In a pairwise queue, the runs of an example follow each other.
 *
 * @returns the number of new items
 * @throws ApiError NOT_FOUND for an unknown queue or project, INVALID_REQUEST for too many runs,
 *   FilterError on a filter that cannot be read
 */
export async function populateQueue(
  deps: AddDeps,
  tenantId: string,
  queueId: string,
  wanted: Population,
): Promise<number> {
  const queue = await getQueue(deps.relational.db, tenantId, queueId)
  await assertProjectsExist(deps, tenantId, wanted.session_ids)
  const { session_ids: session, filter, trace_filter, tree_filter, start_time, end_time } = wanted
  const bounds = { filter, trace_filter, tree_filter, start_time, end_time }
  const conditions = RunConditions.parse({ session, is_root: true, ...bounds })
  const rows = await deps.analytics.query(
    sql`
      select id, session_id, trace_id, start_time, reference_example_id
      from runs final
      where ${whereRuns(tenantId, conditions)}
      order by start_time, id
      limit ${uint(MAX_RUNS + 1)}`,
    ROOT_ROW,
  )
  if (rows.length > MAX_RUNS) {
    throw new ApiError(
      'INVALID_REQUEST',
      `At most ${MAX_RUNS} runs can be added at once. Use a filter to select fewer.`,
    )
  }
  const inOrder = queue.queue_type === 'pairwise' ? sortIntoPairs(rows, session) : rows
  const found = inOrder.map((row) => ({
    runId: row.id,
    traceId: row.trace_id,
    threadId: null,
    projectId: row.session_id,
    startTime: printedTime(row.start_time),
    sourceProposedExampleId: null,
  }))
  return (await insertItems(deps, tenantId, queueId, found)).length
}

/** @throws ApiError NOT_FOUND */
export async function assertProjectsExist(
  deps: Pick<AddDeps, 'relational'>,
  tenantId: string,
  projectIds: readonly string[],
): Promise<void> {
  const known = await selectProjectsById(deps, tenantId, projectIds)
  const unknown = projectIds.find((id) => !known.has(id))
  if (unknown !== undefined) throw new ApiError('NOT_FOUND', `Session not found: ${unknown}`)
}

/**
 * Groups the runs of each example: the first repetitions of both sessions, then the second ones. What has no partner follows;
 * runs without an example come last.
 */
function sortIntoPairs(rows: readonly RootRow[], sessionIds: readonly string[]): RootRow[] {
  const examples = new Map<string, RootRow[]>()
  for (const row of rows) {
    const key = row.reference_example_id ?? ''
    const others = examples.get(key)
    if (others === undefined) examples.set(key, [row])
    else others.push(row)
  }
  const alone = examples.get('') ?? []
  examples.delete('')
  return [...[...examples.values()].flatMap((runs) => interleave(runs, sessionIds)), ...alone]
}

function interleave(runs: readonly RootRow[], sessionIds: readonly string[]): RootRow[] {
  const bySession = sessionIds.map((id) => runs.filter((run) => run.session_id === id))
  const rounds = Math.max(...bySession.map(({ length }) => length))
  return Array.from({ length: rounds }, (_, round) => bySession.flatMap((ofSession) => ofSession[round] ?? [])).flat()
}
