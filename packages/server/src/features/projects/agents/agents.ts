import {
  AGENT_ENVIRONMENTS,
  type Agent,
  type AgentAddress,
  type AgentCreate,
  type AgentEnvironmentName,
  type AgentUpdate,
  ApiError,
  isStorable,
  timeOfEpochMs,
} from '@touchstone/contract'
import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type AgentRow, agentEnvironments, agents } from '../../../storage/relational/tables/projects.ts'
import { createFreeProject, type DeleteProjects, projects } from '../index.ts'

export type AgentDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/** @throws ApiError CONFLICT when the id is taken */
export async function createAgent(deps: AgentDeps, tenantId: string, body: AgentCreate): Promise<Agent> {
  const blank = newAgent(deps, tenantId, body.id)
  const row: AgentRow = {
    ...blank,
    name: body.name ?? blank.name,
    agent_type: body.agent_type ?? blank.agent_type,
    source_type: body.source_type ?? blank.source_type,
  }
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

export function assertFound(row: AgentRow | undefined): AgentRow {
  if (row === undefined) throw new ApiError('NOT_FOUND', 'Agent not found')
  return row
}

/** One environment with the project of its traces. */
export interface EnvironmentRow {
  readonly id: string
  readonly agent_uuid: string
  readonly environment: AgentEnvironmentName
  readonly session_id: string | null
  readonly session_name: string | null
}

/** @returns whether the id was free */
export async function insertAgent(tx: Database, row: AgentRow): Promise<boolean> {
  const inserted = await tx.insert(agents).values(row).onConflictDoNothing().returning({ id: agents.id })
  return inserted.length > 0
}

/** Adds the environments that the agent does not have yet. */
export async function insertEnvironments(
  tx: Database,
  agentUuid: string,
  names: readonly AgentEnvironmentName[],
  newId: () => string,
): Promise<void> {
  const rows = names.map((environment) => ({ id: newId(), agent_uuid: agentUuid, environment, session_id: null }))
  await tx.insert(agentEnvironments).values(rows).onConflictDoNothing()
}

export async function setProject(tx: Database, environmentId: string, projectId: string): Promise<void> {
  await tx.update(agentEnvironments).set({ session_id: projectId }).where(eq(agentEnvironments.id, environmentId))
}

export async function selectAgent(db: Database, tenantId: string, agentId: string): Promise<AgentRow | undefined> {
  const [row] = await db.select().from(agents).where(whereAgent(tenantId, agentId))
  return row
}

/** All agents of a workspace, without order. */
export function selectAgents(db: Database, tenantId: string): Promise<AgentRow[]> {
  return db.select().from(agents).where(eq(agents.tenant_id, tenantId))
}

/** The agent that a project belongs to, if any. */
export async function selectProjectAgents(db: Database, tenantId: string, projectId: string): Promise<AgentRow[]> {
  const rows = await db
    .select({ agent: agents })
    .from(agents)
    .innerJoin(agentEnvironments, eq(agentEnvironments.agent_uuid, agents.id))
    .where(and(eq(agents.tenant_id, tenantId), eq(agentEnvironments.session_id, projectId)))
  return rows.map(({ agent }) => agent)
}

async function updateAgent(
  db: Database,
  tenantId: string,
  agentId: string,
  changes: Partial<AgentRow>,
): Promise<AgentRow | undefined> {
  if (Object.keys(changes).length === 0) return selectAgent(db, tenantId, agentId)
  const [row] = await db.update(agents).set(changes).where(whereAgent(tenantId, agentId)).returning()
  return row
}

async function deleteAgent(db: Database, tenantId: string, agentId: string): Promise<void> {
  await db.delete(agents).where(whereAgent(tenantId, agentId))
}

export async function selectEnvironments(db: Database, agentUuids: readonly string[]): Promise<EnvironmentRow[]> {
  if (agentUuids.length === 0) return []
  return db
    .select({
      id: agentEnvironments.id,
      agent_uuid: agentEnvironments.agent_uuid,
      environment: agentEnvironments.environment,
      session_id: agentEnvironments.session_id,
      session_name: projects.name,
    })
    .from(agentEnvironments)
    .leftJoin(projects, eq(projects.id, agentEnvironments.session_id))
    .where(inArray(agentEnvironments.agent_uuid, [...agentUuids]))
}

/** The project of an address; undefined if it does not exist. */
export async function selectAddressProject(
  db: Database,
  tenantId: string,
  { agentId, environment }: AgentAddress,
): Promise<string | undefined> {
  const [row] = await db
    .select({ session_id: agentEnvironments.session_id })
    .from(agentEnvironments)
    .innerJoin(agents, eq(agents.id, agentEnvironments.agent_uuid))
    .where(and(whereAgent(tenantId, agentId), eq(agentEnvironments.environment, environment)))
  return row?.session_id ?? undefined
}

/** Locks the environments of an agent until the transaction ends, so that each gets one project. */
export function lockEnvironments(tx: Database, agentUuid: string) {
  return tx.select().from(agentEnvironments).where(eq(agentEnvironments.agent_uuid, agentUuid)).for('update')
}

function whereAgent(tenantId: string, agentId: string) {
  return and(eq(agents.tenant_id, tenantId), eq(agents.agent_id, agentId))
}

/** Ids of the projects of all agent environments. */
export async function selectAgentProjectIds(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
): Promise<string[]> {
  const rows = await relational.db
    .selectDistinct({ session_id: agentEnvironments.session_id })
    .from(agentEnvironments)
    .innerJoin(agents, eq(agents.id, agentEnvironments.agent_uuid))
    .where(and(eq(agents.tenant_id, tenantId), isNotNull(agentEnvironments.session_id)))
  return rows.flatMap((row) => row.session_id ?? [])
}

/** Adds missing environments and missing projects. @returns project ids by environment */
export async function createEnvironments(
  tx: Database,
  deps: AgentDeps,
  agent: AgentRow,
  names: readonly AgentEnvironmentName[],
): Promise<Map<AgentEnvironmentName, string>> {
  await insertEnvironments(tx, agent.id, names, deps.ids)
  const projects = new Map<AgentEnvironmentName, string>()
  for (const { id, environment, session_id } of await lockEnvironments(tx, agent.id)) {
    const projectId = session_id ?? (await createEnvironmentProject(tx, deps, agent, environment))
    if (session_id === null) await setProject(tx, id, projectId)
    projects.set(environment, projectId)
  }
  return projects
}

function createEnvironmentProject(
  tx: Database,
  deps: AgentDeps,
  agent: AgentRow,
  environment: string,
): Promise<string> {
  return createFreeProject(tx, deps, agent.tenant_id, `${agent.agent_id}/${environment.toLowerCase()}`)
}

/** A row of an agent with only an id. */
export function newAgent({ clock, ids }: AgentDeps, tenantId: string, agentId: string): AgentRow {
  return {
    id: ids(),
    tenant_id: tenantId,
    agent_id: agentId,
    name: agentId,
    agent_type: 'CUSTOM',
    source_type: 'EXTERNAL',
    owner_id: null,
    created_at: timeOfEpochMs(clock()),
  }
}

/** @param environments  of this agent and maybe of others */
export function presentAgent(row: AgentRow, environments: readonly EnvironmentRow[]): Agent {
  return {
    id: row.agent_id,
    agent_uuid: row.id,
    name: row.name,
    agent_type: row.agent_type,
    source_type: row.source_type,
    created_at: row.created_at,
    owner: null,
    owner_id: row.owner_id,
    avatar_url: null,
    tag_key_id: null,
    tag_value_id: null,
    environments: environments
      .filter(({ agent_uuid }) => agent_uuid === row.id)
      .sort((one, other) => rank(one) - rank(other))
      .map(({ id, environment, session_id, session_name }) => ({
        id,
        agent_id: row.agent_id,
        environment,
        tracer_session_id: session_id,
        tracer_session_name: session_name,
      })),
  }
}

const rank = ({ environment }: EnvironmentRow) => AGENT_ENVIRONMENTS.indexOf(environment)
