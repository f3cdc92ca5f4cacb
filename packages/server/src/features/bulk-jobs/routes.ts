import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, contract, timeOfEpochMs } from '@touchstone/contract'
import { type App, serve, serveRaw } from '../../http/serve.ts'
import type { Job, Jobs } from '../../jobs/open-jobs.ts'
import { DIED_TWICE } from '../../jobs/process-deaths.ts'
import { openExport, removeParts } from './export-file.ts'
import { readDownload } from './export-runs.ts'
import { type JobPart, type PresentDeps, presentJob, startBulk, startRepricing, stopJob, undoJob } from './start-job.ts'
import { clearFileSize, deleteJobsBefore, selectFailures, selectJob, selectJobs, selectOldExports } from './store.ts'
import { type WorkDeps, workOnJob } from './work-on-job.ts'

const DAY_SECONDS = 86_400
const FILES_KEPT_DAYS = 7
const JOBS_KEPT_DAYS = 30
const FAILURES_SHOWN = 100

export function bulkJobRoutes(app: App, deps: WorkDeps & PresentDeps & { readonly jobs: Jobs }): void {
  const { bulkJobs } = contract
  const { db } = deps.relational

  const work: Job<JobPart> = deps.jobs.define<JobPart>(
    'bulk-job',
    async (part, run) => {
      if (await workOnJob(deps, part, run)) await work.send(part)
    },
    {
      retryLimit: 5,
      expireInSeconds: 600,
      atOnce: 2,
      fairBy: 'tenantId',
      subject: 'jobId',
      giveUp: async ({ jobId }) => {
        const error = `${DIED_TWICE} Start it again to try again.`
        await stopJob(deps, jobId, { status: 'failed', error })
      },
    },
  )
  deps.jobs.define('bulk-job-forget', () => forget(deps), { everySeconds: DAY_SECONDS })
  const starting = { ...deps, work }

  serve(app, bulkJobs.start, ({ caller, body }) => startBulk(starting, caller, body))

  serve(app, contract.modelPrices.reprice, ({ caller, body }) => startRepricing(starting, caller, body))

  serve(app, bulkJobs.list, async ({ caller, query }) => {
    const { rows, total } = await selectJobs(db, caller.tenantId, query)
    return { jobs: await Promise.all(rows.map((row) => presentJob(deps, caller, row))), total }
  })

  serve(app, bulkJobs.read, async ({ caller, params }) => {
    const job = await presentJob(deps, caller, await getJob(deps, caller.tenantId, params.job_id))
    return { ...job, failures: await selectFailures(db, job.id, FAILURES_SHOWN) }
  })

  serve(app, bulkJobs.cancel, async ({ caller, params }) => {
    const { id } = await getJob(deps, caller.tenantId, params.job_id)
    await stopJob(deps, id, { status: 'cancelled' })
    return presentJob(deps, caller, await getJob(deps, caller.tenantId, id))
  })

  serve(app, bulkJobs.undo, async ({ caller, params }) =>
    presentJob(deps, caller, await undoJob(starting, caller, params.job_id)),
  )

  serveRaw(app, bulkJobs.download, async ({ params, reply }) => {
    const download = await readDownload(deps, params.token)
    const file = download && (await openExport(deps, download.jobId))
    if (download === undefined || file === undefined) {
      throw new ApiError('NOT_FOUND', 'Export not found: the link has expired, or the file was removed after a week.')
    }
    return reply
      .header('content-type', download.mimeType)
      .header('content-length', file.bytes)
      .header('content-disposition', `attachment; filename="${download.name}"`)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'private, no-store')
      .send(file.content)
  })
}

async function getJob({ relational }: Pick<WorkDeps, 'relational'>, tenantId: string, id: string) {
  const job = await selectJob(relational.db, tenantId, id)
  if (job === undefined) throw new ApiError('NOT_FOUND', 'Job not found')
  return job
}

async function forget(deps: WorkDeps): Promise<void> {
  const { db } = deps.relational
  const daysAgo = (days: number) => timeOfEpochMs(deps.clock() - days * DAY_SECONDS * 1000)
  for (const { id } of await selectOldExports(db, daysAgo(FILES_KEPT_DAYS))) {
    await removeParts(db, id)
    await clearFileSize(db, id)
  }
  await deleteJobsBefore(db, daysAgo(JOBS_KEPT_DAYS))
  // Earlier versions kept exported files here.
  await rm(join(deps.config.dataDir, 'exports'), { recursive: true, force: true })
}
