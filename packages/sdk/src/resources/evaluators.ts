import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { CodeEvaluatorDefinition, EvaluatorType, LlmEvaluatorDefinition, WorkspaceEvaluator } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'

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
    const body = { ...toBody(params), type: params.type, name: params.name }
    const request = { body, doing: `create evaluator ${params.name}`, ...options }
    return (await this.transport.call(routes.evaluators.create, request)).evaluator
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
    const request = { query, doing: 'list evaluators', ...options }
    yield* offsetPages(this.transport, routes.evaluators.list, request, { limit, key: 'evaluators' })
  }

  /** @throws NotFoundError */
  async readEvaluator(id: string, options: CallOptions = {}): Promise<WorkspaceEvaluator> {
    const request = { params: toParams(id), doing: `read evaluator ${id}`, ...options }
    return await this.transport.call(routes.evaluators.read, request)
  }

  /** @throws NotFoundError; BadRequestError for the definition of another type */
  async updateEvaluator(
    id: string,
    params: UpdateEvaluatorParams,
    options: CallOptions = {},
  ): Promise<WorkspaceEvaluator> {
    const request = { params: toParams(id), body: toBody(params), doing: `update evaluator ${id}`, ...options }
    return (await this.transport.call(routes.evaluators.update, request)).evaluator
  }

  /** Feedback that it gave stays. @throws NotFoundError */
  async deleteEvaluator(id: string, options: CallOptions = {}): Promise<void> {
    const request = { params: toParams(id), doing: `delete evaluator ${id}`, ...options }
    await this.transport.call(routes.evaluators.delete, request)
  }
}

function toParams(id: string): { evaluator_id: string } {
  assertUuid(id)
  return { evaluator_id: id }
}

function toBody({ name, codeEvaluator, llmEvaluator, metadata }: UpdateEvaluatorParams) {
  return { name, code_evaluator: codeEvaluator, llm_evaluator: llmEvaluator, metadata }
}
