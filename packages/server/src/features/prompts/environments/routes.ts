import { contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import { changeEnvironments, createEnvironments, readEnvironments, resetEnvironments } from './environments.ts'

export function promptEnvironmentRoutes(app: App, deps: Pick<Deps, 'relational' | 'clock'>): void {
  const { promptEnvironments } = contract

  serve(app, promptEnvironments.read, ({ caller }) => readEnvironments(deps, caller.tenantId))

  serve(app, promptEnvironments.create, ({ caller, body }) => createEnvironments(deps, caller, body.environments))

  serve(app, promptEnvironments.update, ({ caller, params, body }) =>
    changeEnvironments(deps, caller, params.id, body.environments),
  )

  serve(app, promptEnvironments.delete, ({ caller, params }) => resetEnvironments(deps, caller, params.id))
}
