import { ApiError, contract } from '@touchstone/contract'
import { type App, type Caller, serve } from '../../../http/serve.ts'
import { type ChangeDeps, NOT_FOUND, pauseJob, resumeJob, stopJob } from '../change-job.ts'
import { type JobReference, type ListedJob, selectJobs, selectListedJob } from '../store.ts'
import { presentJudgingDetail, presentJudgings } from './present-judging.ts'
import { estimateJudging, type StartJudgingDeps, startJudging } from './start-judging.ts'

export type JudgingDeps = StartJudgingDeps & ChangeDeps

/** Jobs that judge experiments; `runJob` does them like those of the playground. */
export function judgingRoutes(app: App, deps: JudgingDeps): void {
  const { evaluatorJobs } = contract
  const { db } = deps.relational
  const presentOne = async (job: ListedJob) => {
    const [presented] = await presentJudgings(deps, job.tenant_id, [job])
    return presented
  }

  serve(app, evaluatorJobs.estimate, ({ caller, body }) => estimateJudging(deps, caller.tenantId, body))

  serve(app, evaluatorJobs.create, async ({ caller, body }) => presentOne(await startJudging(deps, caller, body)))

  serve(app, evaluatorJobs.list, async ({ caller, query }) => {
    const { rows, total } = await selectJobs(db, caller.tenantId, 'judging', query)
    return { jobs: await presentJudgings(deps, caller.tenantId, rows), total }
  })

  serve(app, evaluatorJobs.read, async ({ caller, params }) => {
    const job = await selectListedJob(db, toReference(caller, params))
    if (job === undefined) throw new ApiError('NOT_FOUND', NOT_FOUND.judging)
    return presentJudgingDetail(deps, job)
  })

  serve(app, evaluatorJobs.pause, async ({ caller, params }) =>
    presentOne(await pauseJob(deps, toReference(caller, params))),
  )

  serve(app, evaluatorJobs.resume, async ({ caller, params, body }) =>
    presentOne(await resumeJob(deps, toReference(caller, params), body.limits)),
  )

  serve(app, evaluatorJobs.stop, async ({ caller, params }) =>
    presentOne(await stopJob(deps, toReference(caller, params))),
  )
}

function toReference({ tenantId }: Caller, { job_id: id }: { readonly job_id: string }): JobReference {
  return { kind: 'judging', tenantId, id }
}
