import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ModelPrice, ModelPriceWrite } from '../schemas.ts'
import { Calls } from './calls.ts'

export class ModelPriceCalls extends Calls {
  async listModelPrices(options: CallOptions = {}): Promise<ModelPrice[]> {
    return await this.transport.json({ method: 'GET', path: PATH, doing: 'list model prices', ...options })
  }

  /** Runs recorded from now on use it; costs already recorded stay. */
  async createModelPrice(price: ModelPriceWrite, options: CallOptions = {}): Promise<ModelPrice> {
    return await this.transport.json({
      method: 'POST',
      path: PATH,
      body: price,
      doing: 'create a model price',
      ...options,
    })
  }

  async updateModelPrice(id: string, price: ModelPriceWrite, options: CallOptions = {}): Promise<ModelPrice> {
    assertUuid(id)
    const doing = `update model price ${id}`
    return await this.transport.json({ method: 'PUT', path: `${PATH}/${id}`, body: price, doing, ...options })
  }

  async deleteModelPrice(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    const doing = `delete model price ${id}`
    await this.transport.send({ method: 'DELETE', path: `${PATH}/${id}`, doing, ...options })
  }
}

const PATH = '/model-price-map'
