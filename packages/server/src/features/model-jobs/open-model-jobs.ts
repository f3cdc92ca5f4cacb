import { ApiError, type PlaygroundLimits, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Job, Jobs } from '../../jobs/open-jobs.ts'
import { DIED_TWICE } from '../../jobs/process-deaths.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { JobKind, ModelJobRow } from '../../storage/relational/tables/model-jobs.ts'
import { type JobPart, pauseJob, resumeJob, stopJob } from './change-job.ts'
import { getKind, type JobKindDefinition } from './job-kind.ts'
import { type JobDeps, runJob } from './run-job.ts'
import {
  deleteJobsBefore,
  insertJob,
  type JobReference,
  type ListedJob,
  type NewJob,
  pauseWithReason,
  selectForsaken,
  selectJob,
  selectListedJob,
} from './store.ts'

export type ModelJobDeps = Pick<Deps, 'relational' | 'log' | 'clock' | 'ids'> & { readonly jobs: Jobs }

/** Jobs of a process at once; further ones wait, and the workspaces take turns. */
const JOBS_AT_ONCE = 8
/** The longest turn that the queue allows; a longer job continues in another one. */
const TURN_SECONDS = 23 * 3600
/** How often jobs of dead processes are looked for. The one process of an embedded store finds its own when it starts. */
const LOOK_SECONDS = { pglite: 600, postgres: 30 }
const DAY_SECONDS = 86_400
const KEPT_DAYS = 90

/** Jobs that call models again and again: limits, pauses and restarts are the same for all kinds. */
export interface ModelJobs {
  /** Call it for each kind before jobs start. */
  define(kind: JobKind, definition: JobKindDefinition): void
  /**
   * Stores a job and begins it.
   *
   * @param prepare  makes the job, in the transaction that stores it
   */
  start(prepare: (tx: Database) => Promise<NewJob>): Promise<ListedJob>
  /** @throws ApiError NOT_FOUND */
  read(key: JobReference): Promise<ModelJobRow>
  /** Like `read`, without rows and messages. @throws ApiError NOT_FOUND */
  readListed(key: JobReference): Promise<ListedJob>
  /** Begins no more calls; those under way end. @throws ApiError NOT_FOUND, CONFLICT */
  pause(key: JobReference): Promise<ListedJob>
  /** Continues a job, if given with other limits. @throws ApiError NOT_FOUND, CONFLICT */
  resume(key: JobReference, limits: PlaygroundLimits | null | undefined): Promise<ListedJob>
  /** Cancels the calls under way; answers that have arrived are still recorded. @throws ApiError NOT_FOUND, CONFLICT */
  stop(key: JobReference): Promise<ListedJob>
}

export function openModelJobs(given: ModelJobDeps): ModelJobs {
  const { db } = given.relational
  const kinds = new Map<JobKind, JobKindDefinition>()
  const running = new Map<string, () => void>()
  const work = defineWork({ ...given, kinds, running, holder: given.ids() })
  const deps = { ...given, kinds, running, work }
  const find = <Found>(key: JobReference, found: Found | undefined): Found => {
    if (found === undefined) throw new ApiError('NOT_FOUND', getKind(kinds, key.kind).notFound)
    return found
  }
  return {
    define: (kind, definition) => void kinds.set(kind, definition),
    async start(prepare) {
      const key = await given.relational.transaction(async (tx) => {
        const job = await prepare(tx)
        await insertJob(tx, job)
        await work.send({ jobId: job.id, tenantId: job.tenant_id }, { tx })
        return { kind: job.kind, tenantId: job.tenant_id, id: job.id }
      })
      work.begin()
      return find(key, await selectListedJob(db, key))
    },
    read: async (key) => find(key, await selectJob(db, key)),
    readListed: async (key) => find(key, await selectListedJob(db, key)),
    pause: (key) => pauseJob(deps, key),
    resume: (key, limits) => resumeJob(deps, key, limits),
    stop: (key) => stopJob(deps, key),
  }
}

/** The background work: a job is done by one process; jobs of dead processes are taken over. */
function defineWork(deps: ModelJobDeps & JobDeps): Job<JobPart> {
  const { jobs, relational, clock } = deps
  const work: Job<JobPart> = jobs.define<JobPart>(
    'playground-job',
    async (part, run) => {
      if (await runJob(deps, part, run)) await work.send(part)
    },
    {
      retryLimit: 20,
      retryDelaySeconds: 2,
      hasSteadyRetries: true,
      expireInSeconds: TURN_SECONDS,
      atOnce: JOBS_AT_ONCE,
      fairBy: 'tenantId',
      subject: 'jobId',
      giveUp: ({ jobId: id, tenantId }) =>
        pauseWithReason(relational.db, { tenantId, id }, `${DIED_TWICE} Resume it to try again.`),
    },
  )
  jobs.define(
    'playground-jobs-continue',
    async () => {
      for (const { id, tenant_id } of await selectForsaken(relational)) {
        await work.send({ jobId: id, tenantId: tenant_id }, { isUnique: true })
      }
    },
    { everySeconds: LOOK_SECONDS[relational.engine] },
  )
  jobs.define(
    'playground-jobs-forget',
    () => deleteJobsBefore(relational.db, timeOfEpochMs(clock() - KEPT_DAYS * DAY_SECONDS * 1000)),
    { everySeconds: DAY_SECONDS },
  )
  return work
}
