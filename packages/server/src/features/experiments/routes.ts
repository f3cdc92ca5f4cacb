import { contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { jsonList, sendText } from '../../http/send-text.ts'
import { type App, serve } from '../../http/serve.ts'
import { readRunsPage } from './read-runs.ts'

export type ExperimentDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'config'>

export function experimentRoutes(app: App, deps: ExperimentDeps): void {
  const { experiments } = contract

  serve(app, experiments.runs, async ({ caller, params, body, reply }) => {
    return sendText(reply, jsonList(readRunsPage(deps, caller.tenantId, params.dataset_id, body)))
  })
}
