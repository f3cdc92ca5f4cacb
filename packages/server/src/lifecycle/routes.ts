import { ApiError, contract, type RunDeletion } from '@touchstone/contract'
import type { Deps } from '../deps.ts'
import { type App, type Caller, serve } from '../http/serve.ts'
import type { Jobs } from '../jobs/open-jobs.ts'
import { recordDeletion } from '../storage/record-deletion.ts'
import { deleteProjects } from './delete-projects.ts'
import { countDeletion, type DeleteDeps, deleteRuns } from './delete-runs.ts'
import { getDeletion, listDeletions } from './deletion-records.ts'
import { retentionRoutes } from './retention/routes.ts'
import { defineSweepJob, type SweepDeps } from './sweep/sweep-job.ts'
import { type DeleteWorkspaceDeps, deleteWorkspace } from './workspaces/delete-workspace.ts'
import { definePurgeJob, type PurgeDeps } from './workspaces/purge-workspace.ts'

type LifecycleDeps = Omit<DeleteWorkspaceDeps, 'purge'> &
  PurgeDeps &
  SweepDeps &
  Pick<Deps, 'caches'> & {
    readonly jobs: Jobs
    /** Writes receipts of ingest that still wait in memory, so that they can be deleted. */
    readonly flushReceipts: () => Promise<void>
  }

/** Deletions that affect several features, their records, and retention; defines the jobs behind them. */
export function lifecycleRoutes(app: App, deps: LifecycleDeps): void {
  const { projects, runDeletions, workspaces, deletions } = contract
  const { db } = deps.relational
  const purge = definePurgeJob(deps)
  defineSweepJob(deps)

  serve(app, projects.delete, ({ caller, params }) =>
    deleteProjects(deps, caller.tenantId, [params.session_id], caller.actorName),
  )

  serve(app, projects.deleteMany, ({ caller, query }) => {
    if (!query.session_ids?.length) throw new ApiError('INVALID_REQUEST', 'Name projects by session_ids.')
    return deleteProjects(deps, caller.tenantId, query.session_ids, caller.actorName)
  })

  serve(app, runDeletions.delete, ({ body, caller }) => deleteAndRecord(deps, caller, body))
  serve(app, runDeletions.deleteTraces, ({ body, caller }) => deleteAndRecord(deps, caller, body))

  serve(app, workspaces.delete, async ({ caller, params }) => {
    await deps.flushReceipts()
    const deletionId = await deleteWorkspace({ ...deps, purge }, caller, params.id)
    return getDeletion(db, { ...caller, tenantId: params.id }, deletionId)
  })

  serve(app, deletions.list, ({ caller, query }) => listDeletions(db, caller, query))
  serve(app, deletions.read, ({ caller, params }) => getDeletion(db, caller, params.deletion_id))

  retentionRoutes(app, deps)
}

async function deleteAndRecord(
  deps: DeleteDeps & Pick<LifecycleDeps, 'clock' | 'ids'>,
  { tenantId, actorName }: Caller,
  request: RunDeletion,
) {
  const about = { tenantId, kind: 'traces', subject: describeDeletion(request), requestedBy: actorName } as const
  if (request.dry_run) {
    const found = await countDeletion(deps, tenantId, request)
    return { message: 'Nothing was deleted', deleted_runs: 0, deletion_id: null, found }
  }
  return recordDeletion(deps, about, async (record) => {
    const deleted = await deleteRuns(deps, tenantId, request, record)
    return {
      message: deleted === 0 ? 'Nothing matched' : 'Runs deleted',
      deleted_runs: deleted,
      deletion_id: deleted === 0 ? null : record.id,
    }
  })
}

/** The values of metadata may be the data to delete, so the record keeps only the keys. */
function describeDeletion({ trace_ids, metadata }: RunDeletion): string {
  if (metadata) return `Traces with metadata ${Object.keys(metadata).join(', ')}`
  return trace_ids?.length === 1 ? `Trace ${trace_ids[0]}` : `${trace_ids?.length ?? 0} traces`
}
