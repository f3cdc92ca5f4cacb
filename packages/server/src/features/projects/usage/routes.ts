import { contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import { readActivity } from './read-activity.ts'
import { readStorage } from './read-storage.ts'
import { readUsage } from './read-usage.ts'

export function usageRoutes(app: App, deps: Pick<Deps, 'relational' | 'analytics' | 'clock' | 'config'>): void {
  serve(app, contract.usage.read, ({ caller, query }) =>
    readUsage(deps, caller.tenantId, { days: query.days, projectId: query.session }),
  )
  serve(app, contract.usage.storage, () => readStorage(deps))
  serve(app, contract.usage.activity, ({ caller, query }) =>
    readActivity(deps, caller.tenantId, query.since, query.buckets),
  )
}
