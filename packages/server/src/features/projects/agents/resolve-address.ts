import { AGENT_ENVIRONMENTS, type AgentAddress, ApiError, parseUuid, type ResolutionQuery } from '@touchstone/contract'
import { findProject, findProjectByName } from '../index.ts'
import {
  type AgentDeps,
  assertFound,
  createEnvironments,
  insertAgent,
  newAgent,
  selectAddressProject,
  selectAgent,
} from './agents.ts'

/** Project in which the evaluators of published clients record their own runs. */
const EVALUATORS_PROJECT = 'evaluators'

/** Id of the project of an address. A new agent is created with its four environments and their projects. */
export async function resolveAddress(deps: AgentDeps, tenantId: string, address: AgentAddress): Promise<string> {
  const known = await selectAddressProject(deps.relational.db, tenantId, address)
  return known ?? createForAddress(deps, tenantId, address)
}

/**
 * The project of an address. Creates nothing.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST when the id or environment is missing
 */
export async function findResolution(
  deps: AgentDeps,
  tenantId: string,
  { kind, id, environment }: ResolutionQuery,
): Promise<string> {
  const found = await {
    AGENT: () => findAgentProject(deps, tenantId, id, environment),
    EXPERIMENT: () => findExperiment(deps, tenantId, id),
    EVALUATOR: async () => (await findProjectByName(deps, tenantId, EVALUATORS_PROJECT))?.id,
  }[kind]()
  if (found === undefined)
    throw new ApiError('NOT_FOUND', `Address not found: no ${kind.toLowerCase()} has a project here`)
  return found
}

async function findAgentProject(
  { relational }: AgentDeps,
  tenantId: string,
  agentId: string | undefined,
  name: string | undefined,
): Promise<string | undefined> {
  const environment = AGENT_ENVIRONMENTS.find((known) => known === name?.toUpperCase())
  if (!agentId || environment === undefined) {
    throw new ApiError('INVALID_REQUEST', `kind=AGENT needs id and environment (${AGENT_ENVIRONMENTS.join(', ')}).`)
  }
  return selectAddressProject(relational.db, tenantId, { agentId, environment })
}

async function findExperiment(deps: AgentDeps, tenantId: string, id: string | undefined): Promise<string | undefined> {
  const projectId = parseUuid(id)
  if (projectId === undefined) throw new ApiError('INVALID_REQUEST', 'kind=EXPERIMENT needs id, a UUID.')
  const project = await findProject(deps, tenantId, projectId)
  return project?.reference_dataset_id == null ? undefined : project.id
}

function createForAddress(deps: AgentDeps, tenantId: string, { agentId, environment }: AgentAddress): Promise<string> {
  return deps.relational.transaction(async (tx) => {
    await insertAgent(tx, newAgent(deps, tenantId, agentId)) // no effect if a concurrent request created it
    const agent = assertFound(await selectAgent(tx, tenantId, agentId))
    const projects = await createEnvironments(tx, deps, agent, AGENT_ENVIRONMENTS)
    const projectId = projects.get(environment)
    if (projectId === undefined) throw new ApiError('NOT_FOUND', 'Environment not found')
    return projectId
  })
}
