import type { Deps } from '../../deps.ts'
import type { Job, Jobs } from '../../jobs/index.ts'
import { recordDeletion } from '../../storage/removals/index.ts'
import { type ExpireDeps, expireTraces, toRetentionBound } from './expired-traces.ts'
import { type ProjectWithRetention, selectProjectsWithRetention } from './store.ts'

export type RetentionDeps = ExpireDeps & Pick<Deps, 'log' | 'ids'> & { readonly jobs: Jobs }

type OneProject = Pick<ProjectWithRetention, 'tenantId' | 'projectId'>

export interface RetentionJobs {
  /** Begins to remove what a workspace, or one project of it, keeps no longer. */
  readonly begin: (tenantId: string, projectId?: string) => Promise<void>
}

const HOUR_SECONDS = 3600
/** A job does this much and sends itself the rest: one large project does not hold up the others. */
const BUDGET_MS = 60_000

/** Defines the work of retention: every hour, and when a retention was set. A job reads what holds when it runs. */
export function defineRetentionJobs(deps: RetentionDeps): RetentionJobs {
  const { jobs, log } = deps
  const { db } = deps.relational

  const expire: Job<OneProject> = jobs.define<OneProject>('retention-project', async (wanted, { signal }) => {
    const { tenantId, projectId } = wanted
    const held = (await selectProjectsWithRetention(db, tenantId)).find((one) => one.projectId === projectId)
    const before = toRetentionBound(deps, held?.days ?? 0)
    if (before === null) return // deleted, or kept for ever by now
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
