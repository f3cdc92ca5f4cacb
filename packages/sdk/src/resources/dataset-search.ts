import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ExampleSearch, KVMap } from '../schemas.ts'
import { Calls } from './calls.ts'
import { type DatasetKey, datasetIdOf, NEITHER } from './dataset-key.ts'

export class DatasetSearchCalls extends Calls {
  /**
   * Says which version `similarExamples` searches. A Touchstone server searches the newest without being told.
   *
   * @param params `tag` of the version; `latest` follows every change
   */
  async indexDataset(params: DatasetKey & { tag?: string | undefined }, options: CallOptions = {}): Promise<void> {
    const id = await datasetIdOf(this.transport, params, NEITHER, options)
    const body = { tag: params.tag }

    await this.transport.send(routes.datasetSearch.index, {
      params: { dataset_id: id },
      body,
      doing: 'index dataset',
      ...options,
    })
  }

  /**
   * Examples whose inputs are most like the ones given, best first.
   *
   * @param limit 1–100
   * @param search `filter` over metadata, such as `eq(metadata.level, 1)`
   */
  async similarExamples(
    inputs: KVMap,
    datasetId: string,
    limit: number,
    search: { filter?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<ExampleSearch[]> {
    assertUuid(datasetId)
    const answer = await this.transport.call(routes.datasetSearch.search, {
      params: { dataset_id: datasetId },
      body: { limit, inputs, filter: search.filter },
      doing: 'fetch similar examples',
      ...options,
    })
    return answer.examples
  }
}
