import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  BulkJob,
  ModelPrice,
  ModelPriceChange,
  ModelPriceTest,
  ModelPriceTestAnswer,
  ModelPriceWrite,
  RepriceEstimate,
  RepriceStart,
  UnpricedModel,
} from '../schemas.ts'
import { Calls } from './calls.ts'

export class ModelPriceCalls extends Calls {
  async listModelPrices(options: CallOptions = {}): Promise<ModelPrice[]> {
    return await this.transport.call(routes.modelPrices.list, { doing: 'list model prices', ...options })
  }

  /** Runs recorded from now on use it; costs already recorded stay. */
  async createModelPrice(price: ModelPriceWrite, options: CallOptions = {}): Promise<ModelPrice> {
    return await this.transport.call(routes.modelPrices.create, {
      body: price,
      doing: 'create a model price',
      ...options,
    })
  }

  /**
   * Replaces a price.
   *
   * @param price  `expected`: what the change is based on, field by field
   * @throws ConflictError when a field does not have its expected value
   */
  async updateModelPrice(id: string, price: ModelPriceChange, options: CallOptions = {}): Promise<ModelPrice> {
    assertUuid(id)
    const doing = `update model price ${id}`
    return await this.transport.call(routes.modelPrices.update, { params: { id }, body: price, doing, ...options })
  }

  async deleteModelPrice(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    const doing = `delete model price ${id}`
    await this.transport.send(routes.modelPrices.delete, { params: { id }, doing, ...options })
  }

  /** Which price a run of a model would get, and which others fit its name. An extension of ours. */
  async testModelPrice(test: ModelPriceTest, options: CallOptions = {}): Promise<ModelPriceTestAnswer> {
    const doing = 'test the prices of a model'
    return await this.transport.call(routes.modelPrices.test, { body: test, doing, ...options })
  }

  /**
   * Models of recent runs that used tokens and have no known cost, most runs first, at most 100. An extension of ours.
   *
   * @param days how far back to look. @default 30
   * @param projectId only runs of this project. @default all
   */
  async listUnpricedModels(
    { days, projectId }: { days?: number | undefined; projectId?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<{ since: string; models: UnpricedModel[]; has_more: boolean }> {
    const doing = 'list models without a price'
    return await this.transport.call(routes.modelPrices.unpriced, {
      query: { days, session_id: projectId },
      doing,
      ...options,
    })
  }

  /** What pricing stored runs again by the prices of now would change. Changes nothing. An extension of ours. */
  async estimateRepricing(runs: RepriceStart = {}, options: CallOptions = {}): Promise<RepriceEstimate> {
    const body = { ...runs, dry_run: true }
    const doing = 'estimate new costs of stored runs'
    const { job: _job, ...estimate } = await this.transport.call(routes.modelPrices.reprice, {
      body,
      doing,
      ...options,
    })
    return estimate
  }

  /**
   * Prices stored runs again by the prices of now, as a job: `waitForJob` waits for it, `undoJob` restores the costs. Costs in
   * `usage_metadata`, and those of models without a price, stay; other reported costs are replaced. An extension of ours.
   *
   * @param runs  with `as_of` of an estimate, runs that start later stay as they are
   * @throws ConflictError when there are more runs than `expected_total`, or another job changes costs
   */
  async reprice(runs: RepriceStart = {}, options: CallOptions = {}): Promise<BulkJob> {
    const doing = 'price stored runs again'
    const { job } = await this.transport.call(routes.modelPrices.reprice, { body: runs, doing, ...options })
    // Null only for a dry run.
    return job as BulkJob
  }
}
