import { contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import { readTraceSpine } from './read-spine.ts'
import { resolveId } from './resolve-id.ts'

export function traceRoutes(app: App, deps: Pick<Deps, 'analytics' | 'relational'>): void {
  serve(app, contract.traces.spine, ({ params, caller }) => readTraceSpine(deps, caller.tenantId, params.trace_id))

  serve(app, contract.traces.resolve, ({ params, caller }) => resolveId(deps, caller.tenantId, params.id))
}
