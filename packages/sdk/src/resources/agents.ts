import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { Agent, AgentPage, AgentSourceType, AgentType } from '../schemas.ts'
import { type Address, toAddress } from '../tracing/address.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'

export interface CreateAgentParams {
  /** 1 to 63 lower-case letters, digits and hyphens, first a letter. It cannot be changed. */
  id: string
  /** @default the id */
  name?: string | undefined
  /** @default `CUSTOM` */
  agent_type?: AgentType | undefined
  /** @default `EXTERNAL`: it runs outside of the server */
  source_type?: AgentSourceType | undefined
  /** Makes the production environment alone; for `FLEET` only. @default false */
  production_only?: boolean | undefined
}

/** What is left out stays as it is; null clears the owner. */
export interface UpdateAgentParams {
  name?: string | undefined
  agent_type?: AgentType | undefined
  source_type?: AgentSourceType | undefined
  owner_id?: string | null | undefined
}

export interface ListAgentsParams {
  /** At most 100. */
  id?: readonly string[] | undefined
  /** Part of the name or id; case, hyphens and spaces do not count. */
  search?: string | undefined
  source_type?: AgentSourceType | undefined
  /** Only the agent that this project belongs to. An extension of ours. */
  session_id?: string | undefined
  /** @default `created_at` */
  sort_by?: 'last_run_start_time' | 'name' | 'created_at' | undefined
  /** @default `desc` */
  sort_order?: 'asc' | 'desc' | undefined
  /** Agents per request, at most 100. @default 20 */
  page_size?: number | undefined
  cursor?: string | undefined
}

/** Programs that send traces by an address instead of a project. */
class Agents {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Every matching agent, fetched a page at a time: `for await (const agent of client.agents.list())`. */
  async *list(params: ListAgentsParams = {}, options: CallOptions = {}): AsyncGenerator<Agent> {
    let cursor = params.cursor
    do {
      const page = await this.listPage({ ...params, cursor }, options)
      yield* page.items
      cursor = page.next_cursor ?? undefined
    } while (cursor)
  }

  /** One page of `GET /agents`; its `next_cursor` is the `cursor` of the next. An extension of ours. */
  async listPage(params: ListAgentsParams = {}, options: CallOptions = {}): Promise<AgentPage> {
    const query = { ...params, id: params.id && [...params.id] }
    return await this.#transport.call(routes.agents.list, { query, doing: 'list agents', ...options })
  }

  /** Creates the agent with a project for each of its environments. @throws ConflictError when the id is taken */
  async create(params: CreateAgentParams, options: CallOptions = {}): Promise<Agent> {
    const body = { source_type: 'EXTERNAL', ...params }
    const doing = `create agent ${params.id}`
    return await this.#transport.call(routes.agents.create, { body, doing, ...options })
  }

  /** @throws NotFoundError when there is no such agent */
  async get(agentId: string, options: CallOptions = {}): Promise<Agent> {
    const doing = `read agent ${agentId}`
    return await this.#transport.call(routes.agents.read, { params: { agent_id: agentId }, doing, ...options })
  }

  /** The same as `get`, under the name of the public package. */
  async retrieve(agentId: string, options: CallOptions = {}): Promise<Agent> {
    return await this.get(agentId, options)
  }

  /** @throws NotFoundError when there is no such agent */
  async update(agentId: string, changes: UpdateAgentParams, options: CallOptions = {}): Promise<Agent> {
    const doing = `update agent ${agentId}`
    return await this.#transport.call(routes.agents.update, {
      params: { agent_id: agentId },
      body: changes,
      doing,
      ...options,
    })
  }

  /** Deletes the agent with its environments, projects and traces, for good. An unknown id is no error. */
  async delete(agentId: string, options: CallOptions = {}): Promise<void> {
    const doing = `delete agent ${agentId}`
    await this.#transport.send(routes.agents.delete, { params: { agent_id: agentId }, doing, ...options })
  }
}

/** Projects as the holders of traces. */
class Sessions {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * The project that an address stands for.
   *
   * @throws NotFoundError when there is none; nothing is created
   */
  async resolve(address: Address, options: CallOptions = {}): Promise<{ session_id: string }> {
    const query = { ...toAddress(address) }
    return await this.#transport.call(routes.agents.resolve, {
      query,
      doing: `resolve an address of kind ${query.kind}`,
      ...options,
    })
  }
}

export type { Agents, Sessions }

export class AgentCalls extends Calls {
  get agents(): Agents {
    return new Agents(this.transport)
  }

  get sessions(): Sessions {
    return new Sessions(this.transport)
  }
}

/** The id of the project that an address stands for. @throws NotFoundError when there is none */
export async function resolveAddress(transport: Transport, address: Address, options: CallOptions): Promise<string> {
  return (await new Sessions(transport).resolve(address, options)).session_id
}
