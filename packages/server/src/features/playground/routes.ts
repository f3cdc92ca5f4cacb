import { contract } from '@touchstone/contract'
import { type App, type Caller, serve } from '../../http/serve.ts'
import { type JobReference, type ListedJob, selectJobs } from '../model-jobs/index.ts'
import { createDraft, deleteDraft, listDrafts, readDraft, updateDraft } from './drafts.ts'
import { type EstimateDeps, estimateJob } from './estimate.ts'
import { presentJobDetail, presentJobs } from './present-job.ts'
import { type StartDeps, startJob } from './start-job.ts'
import { type StreamDeps, streamRuns } from './stream-runs.ts'
import { variantJobs } from './variant-jobs.ts'
import type { VariantsTaskDeps } from './variants-task.ts'

export type PlaygroundDeps = StartDeps & StreamDeps & EstimateDeps & VariantsTaskDeps

export function playgroundRoutes(app: App, deps: PlaygroundDeps): void {
  const { playground, playgroundJobs } = contract
  const { modelJobs, relational } = deps
  modelJobs.define('variants', variantJobs(deps))
  const presentOne = async (job: ListedJob) => {
    const [presented] = await presentJobs(deps, job.tenant_id, [job])
    return presented
  }

  serve(app, playground.run, ({ caller, body, reply }) => streamRuns(deps, caller, body, reply))

  serve(app, playgroundJobs.estimate, ({ caller, body }) => estimateJob(deps, caller.tenantId, body))

  serve(app, playgroundJobs.create, async ({ caller, body }) => presentOne(await startJob(deps, caller, body)))

  serve(app, playgroundJobs.list, async ({ caller, query }) => {
    const { rows, total } = await selectJobs(relational.db, caller.tenantId, 'variants', query)
    return { jobs: await presentJobs(deps, caller.tenantId, rows), total }
  })

  serve(app, playgroundJobs.read, async ({ caller, params }) =>
    presentJobDetail(deps, await modelJobs.read(toReference(caller, params))),
  )

  serve(app, playgroundJobs.pause, async ({ caller, params }) =>
    presentOne(await modelJobs.pause(toReference(caller, params))),
  )

  serve(app, playgroundJobs.resume, async ({ caller, params, body }) =>
    presentOne(await modelJobs.resume(toReference(caller, params), body.limits)),
  )

  serve(app, playgroundJobs.stop, async ({ caller, params }) =>
    presentOne(await modelJobs.stop(toReference(caller, params))),
  )

  draftRoutes(app, deps)
}

function toReference({ tenantId }: Caller, { job_id: id }: { readonly job_id: string }): JobReference {
  return { kind: 'variants', tenantId, id }
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
