import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { NotFoundError } from '../errors.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { Dataset, DatasetQuery, DatasetTransformation, DataType, ExampleSearch, KVMap } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'
import { checkDatasetKey, type DatasetKey, datasetIdOf, findDataset, NEITHER } from './dataset-key.ts'
import { datasetLink } from './links.ts'

export interface CreateDatasetOptions {
  description?: string | undefined
  /** @default "kv" */
  dataType?: DataType | undefined
  /** JSON Schema that the inputs of every example must satisfy; kept as it is written. */
  inputsSchema?: KVMap | undefined
  outputsSchema?: KVMap | undefined
  /** What is done to examples before they are checked. */
  transformations?: DatasetTransformation[] | undefined
  metadata?: KVMap | undefined
  tagValueIds?: string[] | undefined
}

/** What is left out stays as it is; null clears. */
export interface UpdateDatasetParams extends DatasetKey {
  /** The new name. */
  name?: string | undefined
  description?: string | null | undefined
  metadata?: KVMap | null | undefined
  /** Refused when examples would not satisfy it. */
  inputsSchema?: KVMap | null | undefined
  outputsSchema?: KVMap | null | undefined
  transformations?: DatasetTransformation[] | null | undefined
  /** What other experiments over the dataset are compared with. */
  baselineExperimentId?: string | null | undefined
  /** What the change is based on, field by field: a ConflictError when a field has another value by now. An extension of ours. */
  expected?: DatasetExpectation | undefined
}

export type DatasetExpectation = Pick<
  UpdateDatasetParams,
  'name' | 'description' | 'metadata' | 'inputsSchema' | 'outputsSchema'
>

export interface ListDatasetsParams {
  /** Caps the total. @default all */
  limit?: number | undefined
  /** @default 0 */
  offset?: number | undefined
  datasetIds?: string[] | undefined
  /** Exact. */
  datasetName?: string | undefined
  /** Part of the name, in any case. */
  datasetNameContains?: string | undefined
  /** Datasets whose metadata contains it. */
  metadata?: KVMap | undefined
}

export class DatasetCalls extends Calls {
  /** @throws ConflictError when the name is taken */
  async createDataset(name: string, params: CreateDatasetOptions = {}, options: CallOptions = {}): Promise<Dataset> {
    const body = {
      name,
      description: params.description,
      extra: { source: 'sdk', ...(params.metadata && { metadata: params.metadata }) },
      data_type: params.dataType,
      inputs_schema_definition: params.inputsSchema,
      outputs_schema_definition: params.outputsSchema,
      transformations: params.transformations,
      tag_value_ids: params.tagValueIds,
    }
    return await this.transport.call(routes.datasets.create, { body, doing: 'create dataset', ...options })
  }

  /** @throws NotFoundError when there is no such dataset */
  async readDataset(key: DatasetKey, options: CallOptions = {}): Promise<Dataset> {
    return await findDataset(this.transport, key, options)
  }

  async hasDataset(key: DatasetKey, options: CallOptions = {}): Promise<boolean> {
    try {
      await findDataset(this.transport, key, options)
      return true
    } catch (error) {
      if (error instanceof NotFoundError) return false
      throw error
    }
  }

  /** Every matching dataset, fetched a page at a time: `for await (const dataset of client.listDatasets())`. */
  async *listDatasets(params: ListDatasetsParams = {}, options: CallOptions = {}): AsyncGenerator<Dataset> {
    const { datasetIds, limit, offset } = params
    for (const [index, id] of (datasetIds ?? []).entries()) assertUuid(id, `datasetIds[${index}]`)
    const query = {
      id: datasetIds,
      name: params.datasetName,
      name_contains: params.datasetNameContains,
      metadata: params.metadata && JSON.stringify(params.metadata),
    }
    const request = { query, ...options }
    yield* offsetPages(this.transport, routes.datasets.list, request, { limit, offset })
  }

  /** One page of `GET /datasets`, with every query parameter of the endpoint. An extension of ours. */
  async queryDatasets(query: DatasetQuery = {}, options: CallOptions = {}): Promise<Dataset[]> {
    const metadata = query.metadata && JSON.stringify(query.metadata)
    return await this.transport.call(routes.datasets.list, { query: { ...query, metadata }, ...options })
  }

  async updateDataset(params: UpdateDatasetParams, options: CallOptions = {}): Promise<Dataset> {
    if (params.baselineExperimentId) assertUuid(params.baselineExperimentId, 'baselineExperimentId')
    const id = await datasetIdOf(this.transport, params, NEITHER, options)
    return await this.transport.call(routes.datasets.update, {
      params: { dataset_id: id },
      body: {
        name: params.name,
        description: params.description,
        metadata: params.metadata,
        inputs_schema_definition: params.inputsSchema,
        outputs_schema_definition: params.outputsSchema,
        transformations: params.transformations,
        baseline_experiment_id: params.baselineExperimentId,
        expected: params.expected && {
          name: params.expected.name,
          description: params.expected.description,
          metadata: params.expected.metadata,
          inputs_schema_definition: params.expected.inputsSchema,
          outputs_schema_definition: params.expected.outputsSchema,
        },
      },
      doing: 'update dataset',
      ...options,
    })
  }

  /** Deletes the dataset with its examples and versions; its experiments stay. */
  async deleteDataset(key: DatasetKey, options: CallOptions = {}): Promise<void> {
    const id = await datasetIdOf(this.transport, key, undefined, options)
    await this.transport.send(routes.datasets.delete, {
      params: { dataset_id: id },
      ...options,
    })
  }

  /** The web page of a dataset. */
  async getDatasetUrl(key: DatasetKey, options: CallOptions = {}): Promise<string> {
    checkDatasetKey(key, NEITHER)
    const { id } = await findDataset(this.transport, key, options)
    return await datasetLink(this.transport, id)
  }
}

export class DatasetSearchCalls extends Calls {
  /**
   * Sets the version that `similarExamples` searches. A Touchstone server searches the newest by default.
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
