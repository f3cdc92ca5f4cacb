import { AGENT_ENVIRONMENTS, type Agent } from '@touchstone/contract'
import type { AgentRow } from '../../../storage/relational/tables/projects.ts'
import type { EnvironmentRow } from './store.ts'

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
