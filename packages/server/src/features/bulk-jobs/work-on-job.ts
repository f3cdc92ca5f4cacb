import { ApiError, FilterError, timeOfEpochMs } from '@touchstone/contract'
import type { Logger } from 'pino'
import type { JobRun } from '../../jobs/index.ts'
import type { JobRow } from '../../storage/relational/tables/bulk-jobs.ts'
import type { Action, ActionDeps } from './actions/action.ts'
import { addToDataset } from './actions/add-to-dataset.ts'
import { addToQueue } from './actions/add-to-queue.ts'
import { deleteTraces } from './actions/delete-traces.ts'
import { exportRuns } from './actions/export-runs.ts'
import { undo } from './actions/undo.ts'
import type { Part } from './start-job.ts'
import { insertFailures, selectJob, updateOpenJob } from './store.ts'
import { readWish } from './wish.ts'

const ACTIONS: Record<JobRow['action'], Action> = {
  add_to_dataset: addToDataset,
  add_to_queue: addToQueue,
  delete: deleteTraces,
  export: exportRuns,
  undo,
}

/** Jobs take turns: after this long the next one comes. */
const TURN_MS = 15_000

export type WorkDeps = ActionDeps & { readonly log: Logger }

/**
 * Works on a job, page by page, each noted before the next.
 *
 * @returns whether there is more to do
 */
export async function workOnJob(deps: WorkDeps, { jobId, tenantId }: Part, run: JobRun): Promise<boolean> {
  const { db } = deps.relational
  const before = await selectJob(db, tenantId, jobId)
  const now = () => timeOfEpochMs(deps.clock())
  const change = { status: 'running' as const, started_at: before?.started_at ?? now() }
  let job = before && (await updateOpenJob(db, jobId, change))
  const turnEnds = deps.clock() + TURN_MS
  try {
    while (job !== undefined) {
      run.signal.throwIfAborted()
      const goesOn = await treatPage(deps, job, now)
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
async function treatPage(deps: WorkDeps, job: JobRow, now: () => string): Promise<boolean> {
  const { done, failures, next, bytes, note } = await ACTIONS[job.action](deps, job, readWish(job))
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
