/** One environment of one agent, with the project of its traces. */
export interface AgentEnvironment {
  id: string
  agent_id: string
  environment: 'LOCAL' | 'DEVELOPMENT' | 'STAGING' | 'PRODUCTION'
  /** Null after the project was deleted, until the next trace arrives. */
  tracer_session_id: string | null
  tracer_session_name: string | null
}

/** A program that sends traces, under the id that it sends. Owner, avatar and tags are always null. */
export interface Agent {
  id: string
  agent_uuid: string
  name: string
  agent_type: string
  source_type: string
  created_at: string
  owner: null
  owner_id: string | null
  avatar_url: null
  tag_key_id: null
  tag_value_id: null
  environments: AgentEnvironment[]
}

export type AgentType = 'CUSTOM' | 'CODING'
export type AgentSourceType = 'LSD' | 'MDA' | 'EXTERNAL' | 'FLEET'

export interface AgentPage {
  items: Agent[]
  next_cursor: string | null
}
