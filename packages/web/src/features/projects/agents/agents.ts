import type { Agent } from '@touchstone/sdk'

/** The environments of every agent, in the order of their columns. */
export const ENVIRONMENTS = [
  { id: 'LOCAL', label: 'Local' },
  { id: 'DEVELOPMENT', label: 'Development' },
  { id: 'STAGING', label: 'Staging' },
  { id: 'PRODUCTION', label: 'Production' },
] as const

/** The content of a table cell for one environment of an agent. */
export type AgentCell =
  | { kind: 'absent'; label: string }
  | { kind: 'project'; label: string; projectId: string; lastTrace: string | null | undefined }

/**
 * Returns a cell per environment, in the order of the columns.
 *
 * @param lastTraces  start of the last trace by project; undefined while it is loading
 * @returns `absent` for an environment that the agent does not have, or whose project was deleted; `lastTrace` is
 *   undefined while unknown and null without traces
 */
export function agentCells(agent: Agent, lastTraces: ReadonlyMap<string, string | null> | undefined): AgentCell[] {
  return ENVIRONMENTS.map(({ id, label }) => {
    const projectId = agent.environments.find(({ environment }) => environment === id)?.tracer_session_id
    if (!projectId) return { kind: 'absent', label }
    return { kind: 'project', label, projectId, lastTrace: lastTraces && (lastTraces.get(projectId) ?? null) }
  })
}

/** Ids of the projects of some agents. */
export function listAgentProjectIds(agents: readonly Agent[]): string[] {
  return agents.flatMap(({ environments }) => environments.flatMap(({ tracer_session_id: id }) => id ?? []))
}

/** `Support bot / production`, for the project of an environment. */
export function findAgentProjectLabel(agent: Agent, projectId: string): string | undefined {
  const environment = agent.environments.find(({ tracer_session_id }) => tracer_session_id === projectId)
  return environment && `${agent.name} / ${environment.environment.toLowerCase()}`
}

const AGENT_ID = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The error in an id as a sentence; undefined for a valid or empty id. */
export function agentIdProblem(id: string): string | undefined {
  if (id === '' || AGENT_ID.test(id)) return undefined
  if (id.length > 63) return 'Use at most 63 characters.'
  if (/[^a-z0-9-]/.test(id)) return 'Use lower-case letters, digits and hyphens only.'
  return id.endsWith('-') && /^[a-z]/.test(id) ? 'End with a letter or a digit.' : 'Begin with a letter.'
}
