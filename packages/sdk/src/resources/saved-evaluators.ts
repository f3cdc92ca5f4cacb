import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  EvaluatorAgreement,
  EvaluatorAgreementRequest,
  EvaluatorKind,
  EvaluatorPreview,
  EvaluatorPreviewAnswer,
  SavedEvaluator,
  SavedEvaluatorChange,
  SavedEvaluatorVersion,
  SavedEvaluatorVersionWrite,
  SavedEvaluatorWrite,
} from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'

export interface ListSavedEvaluatorsParams {
  kind?: EvaluatorKind | undefined
  /** Part of the name or the description. */
  search?: string | undefined
  /** Caps the total. */
  limit?: number | undefined
}

/**
 * Evaluators that the server runs: judges and JavaScript functions, in versions that never change. Extensions of ours; the
 * evaluators of `createEvaluator` are stored for the public clients and not run.
 */
export class SavedEvaluatorCalls extends Calls {
  /** By name, fetched a page at a time. */
  async *listSavedEvaluators(
    { limit, ...query }: ListSavedEvaluatorsParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<SavedEvaluator> {
    const request = { query, doing: 'list evaluators', ...options }
    yield* offsetPages(this.transport, routes.savedEvaluators.list, request, { limit, key: 'evaluators' })
  }

  /** With its first version. @throws ConflictError for a name that is taken */
  async createSavedEvaluator(evaluator: SavedEvaluatorWrite, options: CallOptions = {}): Promise<SavedEvaluator> {
    const request = { body: evaluator, doing: `create evaluator ${evaluator.name}`, ...options }
    return await this.transport.call(routes.savedEvaluators.create, request)
  }

  /** @throws NotFoundError */
  async readSavedEvaluator(id: string, options: CallOptions = {}): Promise<SavedEvaluator> {
    const request = { params: toParams(id), doing: `read evaluator ${id}`, ...options }
    return await this.transport.call(routes.savedEvaluators.read, request)
  }

  /** Changes name and description. @throws ConflictError for a name that is taken, or a field that is not as expected */
  async updateSavedEvaluator(
    id: string,
    change: SavedEvaluatorChange,
    options: CallOptions = {},
  ): Promise<SavedEvaluator> {
    const request = { params: toParams(id), body: change, doing: `update evaluator ${id}`, ...options }
    return await this.transport.call(routes.savedEvaluators.update, request)
  }

  /** With its versions; feedback that it gave stays. */
  async deleteSavedEvaluator(id: string, options: CallOptions = {}): Promise<void> {
    const request = { params: toParams(id), doing: `delete evaluator ${id}`, ...options }
    await this.transport.send(routes.savedEvaluators.delete, request)
  }

  /** Newest first, fetched a page at a time. */
  async *listEvaluatorVersions(
    id: string,
    { limit }: { limit?: number | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<SavedEvaluatorVersion> {
    const request = { params: toParams(id), doing: `list versions of evaluator ${id}`, ...options }
    yield* offsetPages(this.transport, routes.savedEvaluators.listVersions, request, { limit, key: 'versions' })
  }

  /** @throws ConflictError when `expected_version` is not the newest version */
  async createEvaluatorVersion(
    id: string,
    version: SavedEvaluatorVersionWrite,
    options: CallOptions = {},
  ): Promise<SavedEvaluatorVersion> {
    const request = { params: toParams(id), body: version, doing: `add a version to evaluator ${id}`, ...options }
    return await this.transport.call(routes.savedEvaluators.createVersion, request)
  }

  /** @throws NotFoundError */
  async readEvaluatorVersion(id: string, version: number, options: CallOptions = {}): Promise<SavedEvaluatorVersion> {
    const params = { ...toParams(id), version: String(version) }
    const request = { params, doing: `read version ${version} of evaluator ${id}`, ...options }
    return await this.transport.call(routes.savedEvaluators.readVersion, request)
  }

  /** Runs a definition over up to five rows and stores nothing. Failures of a row are in the answer and not thrown. */
  async previewEvaluator(preview: EvaluatorPreview, options: CallOptions = {}): Promise<EvaluatorPreviewAnswer> {
    const request = { body: preview, doing: 'preview an evaluator', timeoutMs: PREVIEW_TIMEOUT_MS, ...options }
    return await this.transport.call(routes.savedEvaluators.preview, request)
  }

  /**
   * Runs a version over the runs of an experiment that people scored, and compares. It takes at most two minutes; rows that
   * were not reached by then are counted in `left_out_rows`.
   */
  async measureEvaluatorAgreement(
    id: string,
    agreement: EvaluatorAgreementRequest,
    options: CallOptions = {},
  ): Promise<EvaluatorAgreement> {
    const doing = `compare evaluator ${id} with people`
    const request = { params: toParams(id), body: agreement, doing, timeoutMs: AGREEMENT_TIMEOUT_MS, ...options }
    return await this.transport.call(routes.savedEvaluators.agreement, request)
  }
}

/** Longer than the server takes for it. */
const PREVIEW_TIMEOUT_MS = 90_000
const AGREEMENT_TIMEOUT_MS = 180_000

function toParams(id: string): { evaluator_id: string } {
  assertUuid(id)
  return { evaluator_id: id }
}
