import { ApiError, FilterError, timeOfEpochMs } from '@touchstone/contract'
import type { Logger } from 'pino'
import type { JobRun } from '../../jobs/index.ts'
import type { JobRow } from '../../storage/relational/tables/bulk-jobs.ts'
import { recordDeletion } from '../../storage/removals/index.ts'
import { addItems } from '../annotation-queues/index.ts'
import { type Action, type ActionDeps, readNextRuns } from './actions/action.ts'
import { addToDataset, undoAddToDataset } from './actions/dataset-examples.ts'
import { exportRuns } from './actions/export-runs.ts'
import { readJobRequest } from './job-request.ts'
import type { JobPart } from './start-job.ts'
import { insertFailures, selectJob, updateOpenJob } from './store.ts'

/** Jobs take turns: after this long the next one comes. */
const MAX_TURN_MS = 15_000

export type WorkDeps = ActionDeps & { readonly log: Logger }

/**
 * Works on a job, page by page, each noted before the next.
 *
 * @returns whether there is more to do
 */
export async function workOnJob(deps: WorkDeps, { jobId, tenantId }: JobPart, run: JobRun): Promise<boolean> {
  const { db } = deps.relational
  const before = await selectJob(db, tenantId, jobId)
  const now = () => timeOfEpochMs(deps.clock())
  const change = { status: 'running' as const, started_at: before?.started_at ?? now() }
  let job = before && (await updateOpenJob(db, jobId, change))
  const turnEnds = deps.clock() + MAX_TURN_MS
  try {
    while (job !== undefined) {
      run.signal.throwIfAborted()
      const goesOn = await processNextPage(deps, job, now)
      if (!goesOn) return false
      if (deps.clock() > turnEnds) return true
      job = await selectOpen(deps, job)
    }
    return false
  } catch (error) {
    // What the caller got wrong, or what is gone by now, is the same next time.
    const isFinal = error instanceof ApiError || error instanceof FilterError || run.isLastTry
    if (!isFinal || run.signal.aborted) throw error
    deps.log.error({ err: error, job: jobId }, 'a bulk job failed')
    const says = error instanceof ApiError || error instanceof FilterError ? error.message : 'The server failed.'
    await updateOpenJob(db, jobId, { status: 'failed', error: says, ended_at: now() })
    return false
  }
}

/** @returns whether there is more to do */
async function processNextPage(deps: WorkDeps, job: JobRow, now: () => string): Promise<boolean> {
  const { done, failures, next, bytes, note } = await ACTIONS[job.action](deps, job, readJobRequest(job))
  return deps.relational.transaction(async (tx) => {
    await note?.(tx)
    await insertFailures(tx, job.id, failures)
    const noted = await updateOpenJob(tx, job.id, {
      done: job.done + done,
      failed: job.failed + failures.length,
      cursor: next ?? job.cursor,
      ...(bytes !== undefined && { bytes }),
      ...(next === undefined && { status: 'done' as const, ended_at: now() }),
    })
    return next !== undefined && noted !== undefined
  })
}

async function selectOpen({ relational }: WorkDeps, { tenant_id, id }: JobRow): Promise<JobRow | undefined> {
  const job = await selectJob(relational.db, tenant_id, id)
  return job?.status === 'running' ? job : undefined
}

const QUEUE_PAGE = 500

/** Lets the next runs wait in a queue; those that do already stay where they are. */
const addToQueue: Action = async (deps, job, wish) => {
  const { views, next } = await readNextRuns(deps, job, wish, QUEUE_PAGE)
  await addItems(
    deps,
    job.tenant_id,
    wish.queueId!,
    views.map(({ row }) => ({ runId: row.id })),
  )
  return { done: views.length, failures: [], next }
}

const DELETE_PAGE = 500

/** Deletes the traces of the next runs, whole. Later pages do not see them again, so each is counted once. */
const deleteTraces: Action = async (deps, job, wish) => {
  const { views, next } = await readNextRuns(deps, job, wish, DELETE_PAGE)
  const trace_ids = [...new Set(views.map(({ row }) => row.trace_id))]
  // Under the id of the job: each page adds to the same record.
  const about = {
    id: job.id,
    tenantId: job.tenant_id,
    kind: 'traces',
    subject: `${job.total} traces of a query`,
    requestedBy: job.created_by_name ?? undefined,
  } as const
  if (trace_ids.length > 0) {
    await recordDeletion(deps, about, (record) => deps.deleteRuns(job.tenant_id, { trace_ids }, record))
  }
  return { done: trace_ids.length, failures: [], next }
}

const ACTIONS: Record<JobRow['action'], Action> = {
  add_to_dataset: addToDataset,
  add_to_queue: addToQueue,
  delete: deleteTraces,
  export: exportRuns,
  undo: undoAddToDataset,
}
