import { contract, type RunDeletion } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../http/caller.ts'
import { type App, serve } from '../../http/serve.ts'
import { recordDeletion } from '../sweep/index.ts'
import { deleteRuns } from './delete-runs.ts'

type RouteDeps = Pick<Deps, 'analytics' | 'relational' | 'clock' | 'ids'>

export function runDeletionRoutes(app: App, deps: RouteDeps): void {
  const { runDeletions } = contract
  serve(app, runDeletions.delete, ({ body, caller }) => deleteAndRecord(deps, caller, body))
  serve(app, runDeletions.deleteTraces, ({ body, caller }) => deleteAndRecord(deps, caller, body))
}

async function deleteAndRecord(deps: RouteDeps, { tenantId, actorName }: Caller, wanted: RunDeletion) {
  const about = { tenantId, kind: 'traces', subject: nameOf(wanted), requestedBy: actorName } as const
  return recordDeletion(deps, about, async (record) => {
    const deleted = await deleteRuns(deps, tenantId, wanted, record)
    return {
      message: deleted === 0 ? 'Nothing matched' : 'Runs deleted',
      deleted_runs: deleted,
      deletion_id: deleted === 0 ? null : record.id,
    }
  })
}

/** Values of metadata may be what was to be forgotten, so only its keys are kept. */
function nameOf({ trace_ids, metadata }: RunDeletion): string {
  if (metadata) return `Traces with metadata ${Object.keys(metadata).join(', ')}`
  return trace_ids?.length === 1 ? `Trace ${trace_ids[0]}` : `${trace_ids?.length ?? 0} traces`
}
