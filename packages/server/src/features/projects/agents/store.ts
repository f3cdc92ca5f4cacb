import type { AgentAddress, AgentEnvironmentName } from '@touchstone/contract'
import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type AgentRow, agentEnvironments, agents } from '../../../storage/relational/tables/projects.ts'
import { projects } from '../index.ts'

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

export async function updateAgent(
  db: Database,
  tenantId: string,
  agentId: string,
  changes: Partial<AgentRow>,
): Promise<AgentRow | undefined> {
  if (Object.keys(changes).length === 0) return selectAgent(db, tenantId, agentId)
  const [row] = await db.update(agents).set(changes).where(whereAgent(tenantId, agentId)).returning()
  return row
}

export async function deleteAgent(db: Database, tenantId: string, agentId: string): Promise<void> {
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
