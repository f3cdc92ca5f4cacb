import { ApiError, type BulkAnswer, type BulkStart, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import type { Job } from '../../jobs/index.ts'
import type { JobRow } from '../../storage/relational/tables/bulk-jobs.ts'
import { getQueue } from '../annotation-queues/index.ts'
import { getDataset } from '../datasets/index.ts'
import { countRuns } from './count-runs.ts'
import { checkFields } from './export-fields.ts'
import { presentJob } from './present.ts'
import { countExampleIds, insertJob, markUndone, selectJob } from './store.ts'
import { readWish, type Wish, wishOf } from './wish.ts'

/** What the queue is told. */
export interface Part {
  readonly jobId: string
  readonly tenantId: string
}

export type StartDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'config'> & {
  readonly work: Job<Part>
}

/**
 * Counts what a bulk action would treat, shows some of it, and unless it is a dry run begins.
 *
 * @throws ApiError NOT_FOUND for the dataset or queue; CONFLICT when there is more to treat than the caller expects;
 *   INVALID_REQUEST, FilterError
 */
export async function startBulk(deps: StartDeps, caller: Caller, start: BulkStart): Promise<BulkAnswer> {
  const { db } = deps.relational
  const asOf = start.as_of ?? timeOfEpochMs(deps.clock())
  const wish = wishOf(start, asOf)
  checkFields(wish.select)
  if (wish.datasetId !== null) await getDataset(deps, caller.tenantId, wish.datasetId)
  if (wish.queueId !== null) await getQueue(db, caller.tenantId, wish.queueId)
  const counted = await countRuns(deps, caller.tenantId, wish.conditions, start.action === 'add_to_dataset')
  const answer = { ...counted, as_of: asOf }
  if (start.dry_run) return { ...answer, job: null }

  const total = start.action === 'delete' ? counted.traces : counted.runs
  const { expected_total: expected } = start
  if (expected != null && total > expected) {
    throw new ApiError('CONFLICT', `There are ${total} by now, not ${expected}. Look again before you go on.`)
  }
  const job = await begin(deps, caller, start.action, total, wish)
  return { ...answer, job: await presentJob(deps, job) }
}

/**
 * Takes back the examples that a job made.
 *
 * @throws ApiError NOT_FOUND, CONFLICT
 */
export async function undoJob(deps: StartDeps, caller: Caller, id: string): Promise<JobRow> {
  const { db } = deps.relational
  const job = await selectJob(db, caller.tenantId, id)
  if (job === undefined) throw new ApiError('NOT_FOUND', 'Job not found')
  if (job.action !== 'add_to_dataset' || job.ended_at === null) {
    throw new ApiError('CONFLICT', 'Only examples that a finished job has added can be taken back.')
  }
  if (!(await markUndone(db, caller.tenantId, id))) throw new ApiError('CONFLICT', 'This was taken back already.')
  return begin(deps, caller, 'undo', await countExampleIds(db, id), { ...readWish(job), undoes: id })
}

/** The job and its place in the queue exist together. */
function begin(
  { relational, ids, clock, work }: StartDeps,
  { tenantId, actorName }: Caller,
  action: JobRow['action'],
  total: number,
  wish: Wish,
): Promise<JobRow> {
  return relational.transaction(async (tx) => {
    const job = await insertJob(tx, {
      id: ids(),
      tenant_id: tenantId,
      action,
      wish: JSON.stringify(wish),
      status: 'waiting',
      total,
      created_at: timeOfEpochMs(clock()),
      created_by_name: actorName ?? null,
    })
    await work.send({ jobId: job.id, tenantId }, { tx })
    return job
  })
}
