import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, serve } from '../../http/serve.ts'
import { deleteRuns } from './delete-runs.ts'

export function runDeletionRoutes(app: App, deps: Pick<Deps, 'analytics' | 'relational'>): void {
  const { runDeletions } = contract

  serve(app, runDeletions.delete, async ({ body, caller }) => receipt(await deleteRuns(deps, caller.tenantId, body)))
  serve(app, runDeletions.deleteTraces, async ({ body, caller }) =>
    receipt(await deleteRuns(deps, caller.tenantId, body)),
  )
}

function receipt(deleted: number) {
  return { message: deleted === 0 ? 'Nothing matched' : 'Runs deleted', deleted_runs: deleted }
}
