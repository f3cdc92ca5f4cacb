import { ApiError, ERRORS, FilterError, timeOfEpochMs } from '@touchstone/contract'
import type { Logger } from 'pino'
import { currentRequest } from '../../http/serve.ts'
import type { JobRun } from '../../jobs/open-jobs.ts'
import { recordDeletion } from '../../storage/record-deletion.ts'
import type { JobRow } from '../../storage/relational/tables/lifecycle.ts'
import { isFullDisk, isLostConnection } from '../../storage/unavailable-store.ts'
import { addItems } from '../annotation-queues/index.ts'
import { type Action, type ActionDeps, assertTarget, readNextRuns } from './action.ts'
import { addToDataset, undoAddToDataset } from './dataset-examples.ts'
import { exportRuns } from './export-runs.ts'
import { repriceRuns, restoreCosts } from './repricing/index.ts'
import { type JobPart, readJobRequest, stopJob } from './start-job.ts'
import { insertFailures, selectJob, updateOpenJob } from './store.ts'

/** Jobs run alternately: after this time the next job continues. */
const MAX_TURN_MS = 15_000

export type WorkDeps = ActionDeps & { readonly log: Logger }

/**
 * Processes a job page by page and stores the progress after each page.
 *
 * @returns whether pages are left
 */
export async function workOnJob(deps: WorkDeps, { jobId, tenantId }: JobPart, run: JobRun): Promise<boolean> {
  const { db } = deps.relational
  const before = await selectJob(db, tenantId, jobId)
  const now = () => timeOfEpochMs(deps.clock())
  const change = { status: 'running' as const, started_at: before?.started_at ?? now() }
  let job = before && (await updateOpenJob(db, jobId, change))
  const turnEnds = performance.now() + MAX_TURN_MS
  try {
    while (job !== undefined) {
      run.signal.throwIfAborted()
      const hasMore = await processNextPage(deps, job, now)
      if (!hasMore) return false
      if (performance.now() > turnEnds) return true
      job = await selectOpen(deps, job)
    }
    return false
  } catch (error) {
    if (run.signal.aborted || !(isRefused(error) || run.isLastTry)) throw error
    // A store may be away for longer than all tries take: the next job goes on.
    if (isFullDisk(error) || isLostConnection(error)) return true
    deps.log.error({ err: error, job: jobId }, 'a bulk job failed')
    const message = error instanceof ApiError || error instanceof FilterError ? error.message : 'The server failed.'
    await stopJob(deps, jobId, { status: 'failed', error: message })
    return false
  }
}

/** Whether an error is an answer, as to an invalid request or a deleted target: the next try would fail too. */
function isRefused(error: unknown): boolean {
  return error instanceof FilterError || (error instanceof ApiError && !ERRORS[error.code].retry)
}

/** @returns whether pages are left */
async function processNextPage(deps: WorkDeps, job: JobRow, now: () => string): Promise<boolean> {
  const request = readJobRequest(job)
  // A job reads with the rights of the caller who started it.
  const caller = request.reader && { ...request.reader, tenantId: job.tenant_id }
  const work = () => ACTIONS[job.action](deps, job, request)
  const { done, failures, next, bytes, note } = await currentRequest.run({ caller }, work)
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

/** Adds the next runs to a queue; runs that are already in it stay where they are. */
const addToQueue: Action = async (deps, job, request) => {
  const { views, next } = await readNextRuns(deps, job, request, QUEUE_PAGE)
  await addItems(
    deps,
    job.tenant_id,
    assertTarget(request.queueId),
    views.map(({ row }) => ({ runId: row.id })),
  )
  return { done: views.length, failures: [], next }
}

const DELETE_PAGE = 500

/** Deletes the whole traces of the next runs. Later pages do not contain them again. */
const deleteTraces: Action = async (deps, job, request) => {
  const { views, next } = await readNextRuns(deps, job, request, DELETE_PAGE)
  const trace_ids = [...new Set(views.map(({ row }) => row.trace_id))]
  // With the id of the job, each page adds to the same record.
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
  // A page that was deleted just before the process died was not counted, and the next try does not find it. At the end no
  // trace of the job is left.
  return { done: next === undefined ? job.total - job.done : trace_ids.length, failures: [], next }
}

const ACTIONS: Record<JobRow['action'], Action> = {
  add_to_dataset: addToDataset,
  add_to_queue: addToQueue,
  delete: deleteTraces,
  export: exportRuns,
  undo: undoAddToDataset,
  reprice: repriceRuns,
  restore_costs: restoreCosts,
}
