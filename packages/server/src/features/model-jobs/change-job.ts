import { ApiError, type PlaygroundJobState, type PlaygroundLimits, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Job } from '../../jobs/open-jobs.ts'
import { type Database, type Relational, withTransaction } from '../../storage/relational/port.ts'
import { getKind, type JobKinds } from './job-kind.ts'
import { changeState, endLease, type JobReference, type Lease, type ListedJob, selectListedJob } from './store.ts'

/** Names a job to the background work. */
export interface JobPart {
  readonly jobId: string
  readonly tenantId: string
}

export type ChangeDeps = Pick<Deps, 'relational' | 'clock'> & {
  readonly kinds: JobKinds
  readonly work: Job<JobPart>
  /** Jobs that this process works on, with what tells them of a new state. */
  readonly running: ReadonlyMap<string, () => void>
}

/** Begins no more calls; those under way end. @throws ApiError NOT_FOUND, CONFLICT */
export async function pauseJob(deps: ChangeDeps, key: JobReference): Promise<ListedJob> {
  const job = await change(deps.kinds, deps.relational.db, key, ['RUNNING'], { state: 'PAUSED' })
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
  const job = await endWhole(deps, async (inside) => {
    const stopped = await change(deps.kinds, inside.db, key, ['RUNNING', 'PAUSED'], {
      state: 'STOPPED',
      reason: null,
      ended_at,
    })
    if (!deps.running.has(key.id)) {
      await deps.work.send({ jobId: key.id, tenantId: key.tenantId }, { tx: inside.db })
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
    const job = await change(deps.kinds, tx, key, ['PAUSED', 'STOPPED', 'ERROR'], {
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

async function change(
  kinds: JobKinds,
  db: Database,
  key: JobReference,
  from: readonly PlaygroundJobState[],
  to: Partial<ListedJob>,
): Promise<ListedJob> {
  const job = await changeState(db, key, from, to)
  if (job !== undefined) return job
  const current = await selectListedJob(db, key)
  if (current === undefined) throw new ApiError('NOT_FOUND', getKind(kinds, key.kind).notFound)
  throw new ApiError('CONFLICT', `The job is ${current.state}; this is possible while it is ${from.join(', ')}.`)
}

type EndDeps = Pick<Deps, 'relational'> & { readonly kinds: JobKinds }

/** Gives a job back. If this ends it, what ends with it does too. @returns the job when this ended it */
export function leaveJob(deps: EndDeps, ...[lease, activeMs, end]: Leaving): Promise<ListedJob | undefined> {
  return endWhole(deps, ({ db }) => endLease(db, lease, activeMs, end))
}

type Leaving = [lease: Lease, activeMs: number, end: Parameters<typeof endLease>[3]]

/** Ends a job and what ends with it, or neither. */
async function endWhole<Ended extends ListedJob | undefined>(
  { relational, kinds }: EndDeps,
  endJob: (inside: Relational) => Promise<Ended>,
): Promise<Ended> {
  const ended = await relational.transaction(async (tx) => {
    const inside = withTransaction(relational, tx)
    const job = await endJob(inside)
    if (job !== undefined) await getKind(kinds, job.kind).endWith?.(inside, job)
    return job
  })
  // Inside, a request may have read what ends with the job as it was before.
  if (ended !== undefined) getKind(kinds, ended.kind).onEnded?.()
  return ended
}
