import { contract } from '@touchstone/contract'
import { type App, type Caller, serve } from '../../../http/serve.ts'
import { type JobReference, type ListedJob, selectJobs } from '../../model-jobs/index.ts'
import { JudgingTask, type JudgingTaskDeps } from './judging-task.ts'
import { presentJudgingDetail, presentJudgings } from './present-judging.ts'
import { estimateJudging, type StartJudgingDeps, startJudging } from './start-judging.ts'

export type JudgingDeps = StartJudgingDeps & JudgingTaskDeps

/** Jobs that judge experiments. */
export function judgingRoutes(app: App, deps: JudgingDeps): void {
  const { evaluatorJobs } = contract
  const { modelJobs, relational } = deps
  modelJobs.define('judging', { notFound: 'Evaluator job not found', open: (job) => new JudgingTask(deps, job) })
  const presentOne = async (job: ListedJob) => {
    const [presented] = await presentJudgings(deps, job.tenant_id, [job])
    return presented
  }

  serve(app, evaluatorJobs.estimate, ({ caller, body }) => estimateJudging(deps, caller.tenantId, body))

  serve(app, evaluatorJobs.create, async ({ caller, body }) => presentOne(await startJudging(deps, caller, body)))

  serve(app, evaluatorJobs.list, async ({ caller, query }) => {
    const { rows, total } = await selectJobs(relational.db, caller.tenantId, 'judging', query)
    return { jobs: await presentJudgings(deps, caller.tenantId, rows), total }
  })

  serve(app, evaluatorJobs.read, async ({ caller, params }) =>
    presentJudgingDetail(deps, await modelJobs.readListed(toReference(caller, params))),
  )

  serve(app, evaluatorJobs.pause, async ({ caller, params }) =>
    presentOne(await modelJobs.pause(toReference(caller, params))),
  )

  serve(app, evaluatorJobs.resume, async ({ caller, params, body }) =>
    presentOne(await modelJobs.resume(toReference(caller, params), body.limits)),
  )

  serve(app, evaluatorJobs.stop, async ({ caller, params }) =>
    presentOne(await modelJobs.stop(toReference(caller, params))),
  )
}

function toReference({ tenantId }: Caller, { job_id: id }: { readonly job_id: string }): JobReference {
  return { kind: 'judging', tenantId, id }
}
