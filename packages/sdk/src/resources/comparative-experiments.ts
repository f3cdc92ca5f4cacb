import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ComparativeExperiment, KVMap } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'
import { findProject } from './projects.ts'

export interface CreateComparativeExperimentParams {
  name: string
  /** At least one; all over one dataset. */
  experimentIds: string[]
  /** @default that of the first experiment */
  referenceDatasetId?: string | undefined
  createdAt?: Date | undefined
  description?: string | undefined
  metadata?: KVMap | undefined
  /** @default a new one */
  id?: string | undefined
}

export interface ListComparativeExperimentsParams {
  datasetId: string
  ids?: string[] | undefined
  name?: string | undefined
  nameContains?: string | undefined
  /** Caps the total. */
  limit?: number | undefined
}

export class ComparativeExperimentCalls extends Calls {
  /** Names experiments that are compared with each other; feedback that prefers one of them refers to the comparison. */
  async createComparativeExperiment(
    params: CreateComparativeExperimentParams,
    options: CallOptions = {},
  ): Promise<ComparativeExperiment> {
    const { experimentIds, id, metadata } = params
    const [first] = experimentIds
    if (first === undefined) throw new Error('At least one experiment is required')
    for (const [index, one] of experimentIds.entries()) assertUuid(one, `experimentIds[${index}]`)
    if (id !== undefined) assertUuid(id)
    if (params.referenceDatasetId) assertUuid(params.referenceDatasetId, 'referenceDatasetId')
    const datasetId =
      params.referenceDatasetId ||
      (await findProject(this.transport, { projectId: first }, options)).reference_dataset_id
    if (!datasetId) throw new Error('A reference dataset is required')
    return await this.transport.call(routes.comparativeExperiments.create, {
      body: {
        id,
        name: params.name,
        experiment_ids: experimentIds,
        reference_dataset_id: datasetId,
        description: params.description,
        created_at: params.createdAt?.toISOString(),
        extra: { ...(metadata && { metadata }) },
      },
      doing: 'create comparative experiment',
      ...options,
    })
  }

  /** Comparisons over a dataset with what was thought of each side, newest first. An extension of ours. */
  async *listComparativeExperiments(
    params: ListComparativeExperimentsParams,
    options: CallOptions = {},
  ): AsyncGenerator<ComparativeExperiment> {
    const { datasetId, ids, name, nameContains, limit } = params
    assertUuid(datasetId, 'datasetId')
    for (const [index, id] of (ids ?? []).entries()) assertUuid(id, `ids[${index}]`)
    const query = { id: ids, name, name_contains: nameContains }
    const request = { params: { dataset_id: datasetId }, query, ...options }
    yield* offsetPages(this.transport, routes.comparativeExperiments.list, request, { limit })
  }

  /** Deletes a comparison with its feedback; the experiments stay. An extension of ours. */
  async deleteComparativeExperiment(id: string, options: CallOptions = {}): Promise<void> {
    assertUuid(id)
    await this.transport.send(routes.comparativeExperiments.delete, {
      params: { comparative_experiment_id: id },
      ...options,
    })
  }
}
