import { ApiError, contract, timeOfEpochMs } from '@touchstone/contract'
import { type App, type Caller, serve } from '../../http/serve.ts'
import type { Job, Jobs } from '../../jobs/open-jobs.ts'
import { DIED_TWICE } from '../../jobs/process-deaths.ts'
import { type ChangeDeps, NOT_FOUND, pauseJob, resumeJob, stopJob } from './change-job.ts'
import { createDraft, deleteDraft, listDrafts, readDraft, updateDraft } from './drafts.ts'
import { type EstimateDeps, estimateJob } from './estimate.ts'
import { type JudgingDeps, judgingRoutes } from './judging/routes.ts'
import { presentJobDetail, presentJobs } from './present-job.ts'
import { type JobDeps, runJob } from './run-job.ts'
import { type JobPart, type StartDeps, startJob } from './start-job.ts'
import {
  deleteJobsBefore,
  type JobReference,
  type ListedJob,
  pauseWithReason,
  selectForsaken,
  selectJob,
  selectJobs,
} from './store.ts'
import { type StreamDeps, streamRuns } from './stream-runs.ts'

export type PlaygroundDeps = Omit<StartDeps, 'work'> &
  Omit<JobDeps, 'holder' | 'running'> &
  Omit<ChangeDeps, 'work' | 'running'> &
  StreamDeps &
  Omit<JudgingDeps, 'work' | 'running'> &
  EstimateDeps & { readonly jobs: Jobs }

/** Jobs of a process at once; further ones wait, and the workspaces take turns. */
const JOBS_AT_ONCE = 8
/** The longest turn that the queue allows; a longer job continues in another one. */
const TURN_SECONDS = 23 * 3600
/** How often jobs of dead processes are looked for. The one process of an embedded store finds its own when it starts. */
const LOOK_SECONDS = { pglite: 600, postgres: 30 }
const DAY_SECONDS = 86_400
const KEPT_DAYS = 90

export function playgroundRoutes(app: App, given: PlaygroundDeps): void {
  const { playground, playgroundJobs } = contract
  const { db } = given.relational
  const running = new Map<string, () => void>()
  const work = defineWork(given, running)
  const deps = { ...given, running, work }
  const presentOne = async (job: ListedJob) => {
    const [presented] = await presentJobs(deps, job.tenant_id, [job])
    return presented
  }

  serve(app, playground.run, ({ caller, body, reply }) => streamRuns(deps, caller, body, reply))

  serve(app, playgroundJobs.estimate, ({ caller, body }) => estimateJob(deps, caller.tenantId, body))

  serve(app, playgroundJobs.create, async ({ caller, body }) => presentOne(await startJob(deps, caller, body)))

  serve(app, playgroundJobs.list, async ({ caller, query }) => {
    const { rows, total } = await selectJobs(db, caller.tenantId, 'variants', query)
    return { jobs: await presentJobs(deps, caller.tenantId, rows), total }
  })

  serve(app, playgroundJobs.read, async ({ caller, params }) => {
    const job = await selectJob(db, toReference(caller, params))
    if (job === undefined) throw new ApiError('NOT_FOUND', NOT_FOUND.variants)
    return presentJobDetail(deps, job)
  })

  serve(app, playgroundJobs.pause, async ({ caller, params }) =>
    presentOne(await pauseJob(deps, toReference(caller, params))),
  )

  serve(app, playgroundJobs.resume, async ({ caller, params, body }) =>
    presentOne(await resumeJob(deps, toReference(caller, params), body.limits)),
  )

  serve(app, playgroundJobs.stop, async ({ caller, params }) =>
    presentOne(await stopJob(deps, toReference(caller, params))),
  )

  judgingRoutes(app, deps)
  draftRoutes(app, deps)
}

function toReference({ tenantId }: Caller, { job_id: id }: { readonly job_id: string }): JobReference {
  return { kind: 'variants', tenantId, id }
}

/** The background work: a job is done by one process; jobs of dead processes are taken over. */
function defineWork(deps: PlaygroundDeps, running: Map<string, () => void>): Job<JobPart> {
  const { jobs, relational, clock } = deps
  const jobDeps = { ...deps, holder: deps.ids(), running }
  const work: Job<JobPart> = jobs.define<JobPart>(
    'playground-job',
    async (part, run) => {
      if (await runJob(jobDeps, part, run)) await work.send(part)
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

function draftRoutes(app: App, deps: PlaygroundDeps): void {
  const { playgroundDrafts } = contract

  serve(app, playgroundDrafts.list, ({ caller, query }) => listDrafts(deps, caller.tenantId, query))

  serve(app, playgroundDrafts.create, ({ caller, body }) =>
    createDraft(deps, caller, { name: body.name, bodyText: JSON.stringify(body.body) }),
  )

  serve(app, playgroundDrafts.read, ({ caller, params }) => readDraft(deps, caller.tenantId, params.draft_id))

  serve(app, playgroundDrafts.update, ({ caller, params, body }) =>
    updateDraft(deps, caller, params.draft_id, {
      name: body.name,
      bodyText: body.body && JSON.stringify(body.body),
      expectedVersion: body.expected_version,
    }),
  )

  serve(app, playgroundDrafts.delete, ({ caller, params }) => deleteDraft(deps, caller.tenantId, params.draft_id))
}
