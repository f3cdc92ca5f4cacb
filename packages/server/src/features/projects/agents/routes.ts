import { contract } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { type App, serve } from '../../../http/serve.ts'
import type { DeleteProjects } from '../index.ts'
import { changeAgent, createAgent, getAgent, removeAgent } from './agents.ts'
import { listAgents } from './list-agents.ts'
import { findResolution } from './resolve-address.ts'

export function agentRoutes(
  app: App,
  deps: Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'> & { readonly deleteProjects: DeleteProjects },
): void {
  const { agents } = contract

  serve(app, agents.list, ({ caller, query }) => listAgents(deps, caller.tenantId, query))
  serve(app, agents.create, ({ caller, body }) => createAgent(deps, caller.tenantId, body))
  serve(app, agents.read, ({ caller, params }) => getAgent(deps, caller.tenantId, params.agent_id))
  serve(app, agents.update, ({ caller, params, body }) => changeAgent(deps, caller.tenantId, params.agent_id, body))
  serve(app, agents.delete, async ({ caller, params, reply }) => {
    await removeAgent(deps, caller.tenantId, params.agent_id, caller.actorName)
    return reply.code(204).send()
  })
  serve(app, agents.resolve, async ({ caller, query }) => ({
    session_id: await findResolution(deps, caller.tenantId, query),
  }))
}
