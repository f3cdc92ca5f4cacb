import type { Deps } from '../../deps.ts'
import type { Job, Jobs } from '../../jobs/open-jobs.ts'
import { recordDeletion } from '../../storage/record-deletion.ts'
import { type ExpireDeps, expireTraces, toRetentionBound } from './expired-traces.ts'
import { type ProjectWithRetention, selectProjectsWithRetention } from './store.ts'

export type RetentionDeps = ExpireDeps & Pick<Deps, 'log' | 'ids'> & { readonly jobs: Jobs }

type OneProject = Pick<ProjectWithRetention, 'tenantId' | 'projectId'>

export interface RetentionJobs {
  /** Starts to remove expired traces of a workspace, or of one of its projects. */
  readonly begin: (tenantId: string, projectId?: string) => Promise<void>
}

const HOUR_SECONDS = 3600
/** Time budget of a job. It then queues the rest, so that a large project does not delay the others. */
const BUDGET_MS = 60_000

/** Defines the retention jobs: hourly, and after a change of retention. Jobs read the current settings. */
export function defineRetentionJobs(deps: RetentionDeps): RetentionJobs {
  const { jobs, log } = deps
  const { db } = deps.relational

  const expire: Job<OneProject> = jobs.define<OneProject>('retention-project', async (wanted, { signal }) => {
    const { tenantId, projectId } = wanted
    const held = (await selectProjectsWithRetention(db, tenantId)).find((one) => one.projectId === projectId)
    const before = toRetentionBound(deps, held?.days ?? 0)
    if (before === null) return // the project was deleted, or now keeps its traces forever
    const subject = `Traces of project "${held?.projectName}" older than ${held?.days} days`
    const about = { tenantId, kind: 'retention', subject, requestedBy: undefined } as const
    const { isDone, runs } = await recordDeletion(deps, about, (record) =>
      expireTraces(deps, { tenantId, projectId, before, record, signal, budgetMs: BUDGET_MS }),
    )
    if (runs > 0) log.info({ project: projectId, runs, before }, 'runs were removed by retention')
    if (!isDone) await expire.send(wanted)
  })

  async function begin(projects: readonly OneProject[]): Promise<void> {
    for (const { tenantId, projectId } of projects) await expire.send({ tenantId, projectId })
  }

  jobs.define('retention-sweep', async () => begin(await selectProjectsWithRetention(db)), {
    everySeconds: HOUR_SECONDS,
  })

  return {
    begin: async (tenantId, projectId) => {
      const ageing = await selectProjectsWithRetention(db, tenantId)
      await begin(projectId === undefined ? ageing : ageing.filter((one) => one.projectId === projectId))
    },
  }
}
