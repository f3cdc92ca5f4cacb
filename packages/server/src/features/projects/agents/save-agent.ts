import { AGENT_ENVIRONMENTS, type Agent, type AgentCreate, type AgentUpdate, ApiError } from '@touchstone/contract'
import { isStorable } from '../../../storage/relational/columns.ts'
import type { AgentRow } from '../../../storage/relational/tables/projects.ts'
import type { DeleteProjects } from '../index.ts'
import { presentAgent } from './list-agents.ts'
import { type AgentDeps, createEnvironments, newAgent } from './resolve-address.ts'
import { deleteAgent, insertAgent, selectAgent, selectEnvironments, updateAgent } from './store.ts'

/** @throws ApiError CONFLICT when the id is taken */
export async function createAgent(deps: AgentDeps, tenantId: string, body: AgentCreate): Promise<Agent> {
  const blank = newAgent(deps, tenantId, body.id)
  const row: AgentRow = {
    ...blank,
    name: body.name ?? blank.name,
    agent_type: body.agent_type ?? blank.agent_type,
    source_type: body.source_type ?? blank.source_type,
  }
  assertStorable('name', row.name)
  await deps.relational.transaction(async (tx) => {
    if (!(await insertAgent(tx, row))) throw new ApiError('CONFLICT', `There is an agent ${body.id} already.`)
    await createEnvironments(tx, deps, row, body.production_only ? ['PRODUCTION'] : AGENT_ENVIRONMENTS)
  })
  return present(deps, row)
}

/** @throws ApiError NOT_FOUND */
export async function getAgent(deps: AgentDeps, tenantId: string, agentId: string): Promise<Agent> {
  const row = isStorable(agentId) ? await selectAgent(deps.relational.db, tenantId, agentId) : undefined
  return present(deps, assertFound(row))
}

/** @throws ApiError NOT_FOUND */
export async function changeAgent(
  deps: AgentDeps,
  tenantId: string,
  agentId: string,
  changes: AgentUpdate,
): Promise<Agent> {
  const { name, owner_id } = changes
  if (name !== undefined) assertStorable('name', name)
  if (owner_id != null) assertStorable('owner_id', owner_id)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const row = isStorable(agentId) ? await updateAgent(deps.relational.db, tenantId, agentId, given) : undefined
  return present(deps, assertFound(row))
}

/**
 * Deletes an agent with its environments, projects and traces; does nothing when there is no such agent.
 *
 * @param requestedBy  name of the person or key, for the record of the deletion
 */
export async function removeAgent(
  deps: AgentDeps & { readonly deleteProjects: DeleteProjects },
  tenantId: string,
  agentId: string,
  requestedBy: string | undefined,
): Promise<void> {
  const row = isStorable(agentId) ? await selectAgent(deps.relational.db, tenantId, agentId) : undefined
  if (row === undefined) return
  const environments = await selectEnvironments(deps.relational.db, [row.id])
  const projectIds = environments.flatMap(({ session_id }) => session_id ?? [])
  // Traces first: if the server dies in between, the agent is still there to be deleted again.
  if (projectIds.length > 0) await deps.deleteProjects(tenantId, projectIds, requestedBy)
  await deleteAgent(deps.relational.db, tenantId, agentId)
}

async function present({ relational }: AgentDeps, row: AgentRow): Promise<Agent> {
  return presentAgent(row, await selectEnvironments(relational.db, [row.id]))
}

function assertFound(row: AgentRow | undefined): AgentRow {
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Agent not found')
  return row
}

function assertStorable(field: string, text: string): void {
  if (isStorable(text)) return
  throw new ApiError('INVALID_REQUEST', `${field} holds NUL or half a surrogate pair.`)
}
