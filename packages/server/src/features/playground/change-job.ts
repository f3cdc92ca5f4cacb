import { ApiError, type PlaygroundJobState, type PlaygroundLimits, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Job } from '../../jobs/open-jobs.ts'
import { withTransaction } from '../../storage/relational/port.ts'
import type { JobKind } from '../../storage/relational/tables/playground.ts'
import { forgetProjects, updateProjectByRequest } from '../projects/index.ts'
import { readSummary } from './job-request.ts'
import type { JobPart } from './start-job.ts'
import { changeState, endLease, type JobReference, type Lease, type ListedJob, selectListedJob } from './store.ts'

export type ChangeDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'> & {
  readonly work: Job<JobPart>
  /** Jobs that this process works on, with what tells them of a new state. */
  readonly running: ReadonlyMap<string, () => void>
}

/** Begins no more calls; those under way end. @throws ApiError NOT_FOUND, CONFLICT */
export async function pauseJob(deps: ChangeDeps, key: JobReference): Promise<ListedJob> {
  const job = await change(deps, key, ['RUNNING'], { state: 'PAUSED' })
  deps.running.get(key.id)?.()
  return job
}

/**
 * Cancels the calls under way. Answers that have arrived are still recorded, also those that a killed process left behind.
 *
 * @throws ApiError NOT_FOUND, CONFLICT
 */
export async function stopJob(deps: ChangeDeps, key: JobReference): Promise<ListedJob> {
  const ended_at = timeOfEpochMs(deps.clock())
  const job = await withExperiments(deps, async (inside) => {
    const stopped = await change(inside, key, ['RUNNING', 'PAUSED'], { state: 'STOPPED', reason: null, ended_at })
    if (!deps.running.has(key.id)) {
      await deps.work.send({ jobId: key.id, tenantId: key.tenantId }, { tx: inside.relational.db })
    }
    return stopped
  })
  deps.running.get(key.id)?.()
  deps.work.begin()
  return job
}

/** Continues a job, if given with other limits. @throws ApiError NOT_FOUND, CONFLICT */
export async function resumeJob(
  deps: ChangeDeps,
  key: JobReference,
  limits: PlaygroundLimits | null | undefined,
): Promise<ListedJob> {
  const resumed = await deps.relational.transaction(async (tx) => {
    const job = await change({ relational: { db: tx } }, key, ['PAUSED', 'STOPPED', 'ERROR'], {
      state: 'RUNNING',
      reason: null,
      ended_at: null,
      ...(limits != null && { max_cost_usd: limits.max_cost_usd ?? null, max_seconds: limits.max_seconds ?? null }),
    })
    await deps.work.send({ jobId: key.id, tenantId: key.tenantId }, { tx, isFresh: true })
    return job
  })
  deps.work.begin()
  return resumed
}

export const NOT_FOUND: Readonly<Record<JobKind, string>> = {
  variants: 'Playground job not found',
  judging: 'Evaluator job not found',
}

async function change(
  { relational }: { readonly relational: Pick<Deps['relational'], 'db'> },
  key: JobReference,
  from: readonly PlaygroundJobState[],
  to: Partial<ListedJob>,
): Promise<ListedJob> {
  const job = await changeState(relational.db, key, from, to)
  if (job !== undefined) return job
  const current = await selectListedJob(relational.db, key)
  if (current === undefined) throw new ApiError('NOT_FOUND', NOT_FOUND[key.kind])
  throw new ApiError('CONFLICT', `The job is ${current.state}; this is possible while it is ${from.join(', ')}.`)
}

type EndDeps = Pick<Deps, 'relational' | 'clock' | 'ids' | 'caches'>

/** Gives a job back. If this ends it, its experiments end in the same transaction. @returns the job when this ended it */
export function leaveJob(deps: EndDeps, ...[lease, activeMs, end]: Leaving): Promise<ListedJob | undefined> {
  return withExperiments(deps, ({ relational }) => endLease(relational.db, lease, activeMs, end))
}

type Leaving = [lease: Lease, activeMs: number, end: Parameters<typeof endLease>[3]]

/** Ends a job and its experiments, or neither: a process may be killed between the two. */
async function withExperiments<Ended extends ListedJob | undefined>(
  deps: EndDeps,
  endJob: (inside: EndDeps) => Promise<Ended>,
): Promise<Ended> {
  const ended = await deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const job = await endJob(inside)
    if (job !== undefined) await endExperiments(inside, job)
    return job
  })
  // Inside, a request may have read the experiments as they were before.
  if (ended !== undefined) forgetProjects(deps)
  return ended
}

/** Sets the end of the experiments that a job made; deleted ones are left out. */
async function endExperiments(deps: EndDeps, job: ListedJob): Promise<void> {
  if (job.kind !== 'variants') return
  const body = { end_time: timeOfEpochMs(deps.clock()) }
  for (const { experiment_id } of readSummary(job).variants) {
    await updateProjectByRequest(deps, job.tenant_id, experiment_id, { body, extraText: undefined }).catch(
      (error: unknown) => {
        if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
      },
    )
  }
}
