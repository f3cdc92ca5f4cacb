import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { clamped, queryTexts } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'

/** Environments of an agent. Each has its own project. */
export const AGENT_ENVIRONMENTS = ['LOCAL', 'DEVELOPMENT', 'STAGING', 'PRODUCTION'] as const
export type AgentEnvironmentName = (typeof AGENT_ENVIRONMENTS)[number]

/** One environment of an agent: the destination of traces with an address. */
export interface AgentAddress {
  readonly agentId: string
  readonly environment: AgentEnvironmentName
}

const AGENT_ID = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const ADDRESS = /^lrn:agents\/([^/]+)\/environments\/([^/]+)$/

/** 1 to 63 lower-case letters, digits and hyphens; starts with a letter and does not end with a hyphen. */
export const AgentId = z.string().regex(AGENT_ID, 'is not an agent id: 1 to 63 of a-z, 0-9 and -, first a letter')

/**
 * Parses `lrn:agents/{id}/environments/{environment}`. The environment is case-insensitive, the id is lower case.
 *
 * @returns undefined when the text is not the address of an agent
 */
export function parseAgentAddress(text: string): AgentAddress | undefined {
  const [, agentId = '', environment = ''] = ADDRESS.exec(text) ?? []
  const known = AGENT_ENVIRONMENTS.find((name) => name === environment.toUpperCase())
  return known !== undefined && AGENT_ID.test(agentId) ? { agentId, environment: known } : undefined
}

const upperCase = <Name extends string>(names: readonly [Name, ...Name[]]) =>
  z.preprocess((value) => (typeof value === 'string' ? value.toUpperCase() : value), z.enum(names))

const AgentType = upperCase(['CUSTOM', 'CODING'])
const SourceType = upperCase(['LSD', 'MDA', 'EXTERNAL', 'FLEET'])

export const AgentEnvironment = z.object({
  id: z.string(),
  agent_id: z.string(),
  environment: z.enum(AGENT_ENVIRONMENTS),
  /** Project of its traces; null after the project was deleted, until the next trace arrives. */
  tracer_session_id: z.string().nullable(),
  tracer_session_name: z.string().nullable(),
})

/**
 * An agent with the id that its programs send. This server does not use `owner`, avatar and tags: they are always null.
 */
export const Agent = z.object({
  id: z.string(),
  agent_uuid: z.string(),
  name: z.string(),
  agent_type: z.string(),
  source_type: z.string(),
  created_at: z.string(),
  owner: z.null(),
  owner_id: z.string().nullable(),
  avatar_url: z.null(),
  tag_key_id: z.null(),
  tag_value_id: z.null(),
  environments: z.array(AgentEnvironment),
})
export type Agent = z.infer<typeof Agent>

export const AgentCreate = z
  .object({
    id: AgentId,
    name: repairedText(200).min(1).nullish(),
    agent_type: AgentType.nullish(),
    source_type: SourceType.nullish(),
    /** Creates only the production environment. */
    production_only: z.boolean().nullish(),
  })
  .refine(({ production_only, source_type }) => production_only !== true || source_type === 'FLEET', {
    error: 'is for agents whose source_type is FLEET',
    path: ['production_only'],
  })
export type AgentCreate = z.output<typeof AgentCreate>

/** Absent fields stay unchanged; a null owner clears it. */
export const AgentUpdate = z.object({
  name: repairedText(200).min(1).optional(),
  agent_type: AgentType.optional(),
  source_type: SourceType.optional(),
  owner_id: identifierText(200).nullable().optional(),
})
export type AgentUpdate = z.output<typeof AgentUpdate>

export const AgentListQuery = z.object({
  id: queryTexts(z.string()).pipe(z.array(z.string()).max(100).optional()),
  /** Words of the name or id; case, hyphens and spaces are ignored. */
  search: z.string().max(200).optional(),
  name: z.string().max(200).optional(),
  source_type: SourceType.optional(),
  /** The agent that this project belongs to. An extension. */
  session_id: Uuid.optional(),
  sort_by: z.enum(['last_run_start_time', 'name', 'created_at']).default('created_at'),
  sort_order: z
    .preprocess((order) => (typeof order === 'string' ? order.toLowerCase() : order), z.enum(['asc', 'desc']))
    .default('desc'),
  page_size: clamped(1, 100, 20),
  cursor: z.string().max(2000).optional(),
})
export type AgentListQuery = z.output<typeof AgentListQuery>

/** An address that has a project: an environment of an agent, an experiment, or the evaluators of the workspace. */
export const ResolutionQuery = z.object({
  kind: upperCase(['AGENT', 'EXPERIMENT', 'EVALUATOR']),
  id: z.string().max(200).optional(),
  environment: z.string().max(50).optional(),
})
export type ResolutionQuery = z.output<typeof ResolutionQuery>

const agentId = z.object({ agent_id: z.string().max(200) })
const tag = 'agents'

export const agentRoutes = describeRoutes(routes.agents, tag, {
  list: {
    summary: 'Agents of the workspace, a page at a time',
    query: AgentListQuery,
    answer: z.object({ items: z.array(Agent), next_cursor: z.string().nullable() }),
  },
  create: {
    summary: 'Create an agent with a project per environment; 409 when the id is taken',
    body: AgentCreate,
    status: 201,
    answer: Agent,
  },
  read: {
    summary: 'One agent with its environments',
    params: agentId,
    answer: Agent,
  },
  update: {
    summary: 'Change name, type, source or owner of an agent',
    params: agentId,
    body: AgentUpdate,
    answer: Agent,
  },
  delete: {
    summary: 'Delete an agent with its environments, projects and traces; an unknown id is no error',
    params: agentId,
    status: 204,
  },
  resolve: {
    summary: 'Project of an agent’s environment, of an experiment, or of the evaluators; never creates one',
    query: ResolutionQuery,
    answer: z.object({ session_id: Uuid }),
  },
})
