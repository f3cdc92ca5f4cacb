import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { CodeEvaluatorDefinition, EvaluatorType, LlmEvaluatorDefinition, WorkspaceEvaluator } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'
import { platformPath } from './platform-path.ts'

export interface CreateEvaluatorParams {
  name: string
  type: EvaluatorType
  /** For an evaluator of type `code`. */
  codeEvaluator?: CodeEvaluatorDefinition | undefined
  /** For an evaluator of type `llm`. */
  llmEvaluator?: LlmEvaluatorDefinition | undefined
  metadata?: Record<string, unknown> | undefined
}

/** What is left out stays as it is; fields of a definition too. */
export interface UpdateEvaluatorParams extends Partial<Omit<CreateEvaluatorParams, 'type' | 'metadata'>> {
  /** Null removes it. */
  metadata?: Record<string, unknown> | null | undefined
}

export interface ListEvaluatorsParams {
  type?: EvaluatorType | undefined
  /** Part of the name, or of the name of who created it. */
  nameContains?: string | undefined
  /** What the metadata contains. */
  metadata?: Record<string, unknown> | undefined
  agentId?: string | undefined
  /** Caps the total. */
  limit?: number | undefined
}

/** Evaluators that are kept in the workspace. */
export class EvaluatorCalls extends Calls {
  async createEvaluator(params: CreateEvaluatorParams, options: CallOptions = {}): Promise<WorkspaceEvaluator> {
    const body = { type: params.type, ...bodyOf(params) }
    const call = {
      method: 'POST',
      path: pathIn(this.transport),
      body,
      doing: `create evaluator ${params.name}`,
      ...options,
    } as const
    return (await this.transport.json<{ evaluator: WorkspaceEvaluator }>(call)).evaluator
  }

  /** Newest first, fetched a page at a time. */
  async *listEvaluators(
    { type, nameContains, metadata, agentId, limit }: ListEvaluatorsParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<WorkspaceEvaluator> {
    const query = {
      type,
      name_contains: nameContains,
      metadata: metadata && JSON.stringify(metadata),
      agent_id: agentId,
    }
    const call = { method: 'GET', path: pathIn(this.transport), query, doing: 'list evaluators', ...options } as const
    yield* offsetPages<WorkspaceEvaluator>(this.transport, call, { limit, key: 'evaluators' })
  }

  /** @throws NotFoundError */
  async readEvaluator(id: string, options: CallOptions = {}): Promise<WorkspaceEvaluator> {
    return await this.transport.json({
      method: 'GET',
      path: pathOf(this.transport, id),
      doing: `read evaluator ${id}`,
      ...options,
    })
  }

  /** @throws NotFoundError; BadRequestError for the definition of another type */
  async updateEvaluator(
    id: string,
    params: UpdateEvaluatorParams,
    options: CallOptions = {},
  ): Promise<WorkspaceEvaluator> {
    const call = {
      method: 'PATCH',
      path: pathOf(this.transport, id),
      body: bodyOf(params),
      doing: `update evaluator ${id}`,
      ...options,
    } as const
    return (await this.transport.json<{ evaluator: WorkspaceEvaluator }>(call)).evaluator
  }

  /** Feedback that it gave stays. @throws NotFoundError */
  async deleteEvaluator(id: string, options: CallOptions = {}): Promise<void> {
    await this.transport.send({
      method: 'DELETE',
      path: pathOf(this.transport, id),
      doing: `delete evaluator ${id}`,
      ...options,
    })
  }
}

const pathIn = (transport: Transport) => platformPath(transport, '/evaluators')

function pathOf(transport: Transport, id: string): string {
  assertUuid(id)
  return platformPath(transport, `/evaluators/${id}`)
}

function bodyOf({ name, codeEvaluator, llmEvaluator, metadata }: UpdateEvaluatorParams) {
  return { name, code_evaluator: codeEvaluator, llm_evaluator: llmEvaluator, metadata }
}
