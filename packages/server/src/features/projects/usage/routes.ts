import { contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import { readStorageReport } from './storage-report.ts'
import { readActivity, readUsageReport } from './usage-report.ts'

export function usageRoutes(app: App, deps: Pick<Deps, 'relational' | 'analytics' | 'clock' | 'config'>): void {
  serve(app, contract.usage.read, ({ caller, query }) =>
    readUsageReport(deps, caller.tenantId, { days: query.days, projectId: query.session }),
  )
  serve(app, contract.usage.storage, () => readStorageReport(deps))
  serve(app, contract.usage.activity, ({ caller, query }) =>
    readActivity(deps, caller.tenantId, query.since, query.buckets),
  )
}
