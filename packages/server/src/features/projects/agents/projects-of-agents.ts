import { and, eq, isNotNull } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { agentEnvironments, agents } from '../../../storage/relational/tables/projects.ts'

/** Projects that an environment of an agent has. */
export async function projectsOfAgents({ relational }: Pick<Deps, 'relational'>, tenantId: string): Promise<string[]> {
  const rows = await relational.db
    .selectDistinct({ session_id: agentEnvironments.session_id })
    .from(agentEnvironments)
    .innerJoin(agents, eq(agents.id, agentEnvironments.agent_uuid))
    .where(and(eq(agents.tenant_id, tenantId), isNotNull(agentEnvironments.session_id)))
  return rows.map((row) => row.session_id!)
}
