import { contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import { compareExperiments } from './compare-experiments.ts'

export function experimentStatisticsRoutes(app: App, deps: Pick<Deps, 'analytics' | 'relational'>): void {
  serve(app, contract.experimentStatistics.compare, ({ caller, params, body }) =>
    compareExperiments(deps, caller.tenantId, params.dataset_id, body),
  )
}
