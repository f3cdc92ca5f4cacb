import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { DatasetDiffInfo, DatasetVersion, DatasetVersionRestored } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'
import { type DatasetKey, datasetIdOf, NEITHER } from './dataset-key.ts'

/** A moment, which means the newest version not after it, or the name of a tag. */
export type VersionLike = string | Date

export interface ListDatasetVersionsParams extends DatasetKey {
  /** Part of one of its tags. */
  search?: string | undefined
  /** Only versions that changed this example. */
  exampleId?: string | undefined
  /** Adds to each version how many examples it changed. @default false */
  includeChanges?: boolean | undefined
  /** Caps the total. */
  limit?: number | undefined
}

export interface RestoreDatasetVersionParams extends DatasetKey {
  /** The version whose content the examples get. */
  asOf: VersionLike
  /** Restores only these; those that the version does not have are deleted. @default all */
  exampleIds?: string[] | undefined
}

export interface UpdateDatasetSplitsParams extends DatasetKey {
  splitName: string
  exampleIds: string[]
  /** Takes the examples out of the split. @default false */
  remove?: boolean | undefined
}

export class DatasetVersionCalls extends Calls {
  /** Which examples two versions do not share. */
  async diffDatasetVersions(
    params: DatasetKey & { fromVersion: VersionLike; toVersion: VersionLike },
    options: CallOptions = {},
  ): Promise<DatasetDiffInfo> {
    const id = await datasetIdOf(this.transport, params, NEITHER, options)
    const query = { from_version: params.fromVersion, to_version: params.toVersion }
    return await this.transport.call(routes.datasetVersions.diff, {
      params: { dataset_id: id },
      query,
      ...options,
    })
  }

  /** Versions of a dataset, newest first, fetched a page at a time. An extension of ours. */
  async *listDatasetVersions(
    params: ListDatasetVersionsParams,
    options: CallOptions = {},
  ): AsyncGenerator<DatasetVersion> {
    const { exampleId, search, limit, includeChanges } = params
    if (exampleId !== undefined) assertUuid(exampleId, 'exampleId')
    const id = await datasetIdOf(this.transport, params, NEITHER, options)
    const query = { search, example: exampleId, include_changes: includeChanges || undefined }
    const request = { params: { dataset_id: id }, query, ...options }
    yield* offsetPages(this.transport, routes.datasetVersions.list, request, { limit })
  }

  /** @throws NotFoundError when no version is that old, or none has the tag */
  async readDatasetVersion(
    params: DatasetKey & { asOf?: VersionLike | undefined; tag?: string | undefined },
    options: CallOptions = {},
  ): Promise<DatasetVersion> {
    const { asOf, tag } = params
    if (Boolean(asOf) === Boolean(tag)) throw new Error('Exactly one of asOf and tag must be specified.')
    const id = await datasetIdOf(this.transport, params, undefined, options)
    return await this.transport.call(routes.datasetVersions.read, {
      params: { dataset_id: id },
      query: asOf ? { as_of: asOf } : { tag },
      doing: 'read dataset version',
      ...options,
    })
  }

  /** Names a version; the tag moves if another version had it. */
  async updateDatasetTag(
    params: DatasetKey & { asOf: VersionLike; tag: string },
    options: CallOptions = {},
  ): Promise<void> {
    const id = await datasetIdOf(this.transport, params, NEITHER, options)
    const { asOf, tag } = params
    await this.transport.send(routes.datasetVersions.tag, {
      params: { dataset_id: id },
      body: { as_of: asOf instanceof Date ? asOf.toISOString() : asOf, tag },
      doing: 'update dataset tags',
      ...options,
    })
  }

  /**
   * Gives the examples the content that they had in a version, as one new version. An extension of ours.
   *
   * @returns how many were changed, and the new version
   */
  async restoreDatasetVersion(
    params: RestoreDatasetVersionParams,
    options: CallOptions = {},
  ): Promise<DatasetVersionRestored> {
    const { asOf, exampleIds } = params
    for (const [index, id] of (exampleIds ?? []).entries()) assertUuid(id, `exampleIds[${index}]`)
    const id = await datasetIdOf(this.transport, params, NEITHER, options)
    return await this.transport.call(routes.datasetVersions.restore, {
      params: { dataset_id: id },
      body: { as_of: asOf instanceof Date ? asOf.toISOString() : asOf, examples: exampleIds },
      doing: 'restore dataset version',
      ...options,
    })
  }

  /** Names of the splits in use. */
  async listDatasetSplits(
    params: DatasetKey & { asOf?: VersionLike | undefined },
    options: CallOptions = {},
  ): Promise<string[]> {
    const id = await datasetIdOf(this.transport, params, NEITHER_OF_SPLITS, options)
    const query = { as_of: params.asOf }
    return await this.transport.call(routes.datasetVersions.listSplits, {
      params: { dataset_id: id },
      query,
      ...options,
    })
  }

  /** Adds examples to a split, or takes them out of it, in one version. */
  async updateDatasetSplits(params: UpdateDatasetSplitsParams, options: CallOptions = {}): Promise<void> {
    const { splitName, exampleIds, remove = false } = params
    for (const [index, id] of exampleIds.entries()) assertUuid(id, `exampleIds[${index}]`)
    const id = await datasetIdOf(this.transport, params, NEITHER_OF_SPLITS, options)
    await this.transport.send(routes.datasetVersions.updateSplits, {
      params: { dataset_id: id },
      body: { split_name: splitName, examples: exampleIds, remove },
      doing: 'update dataset splits',
      ...options,
    })
  }
}

const NEITHER_OF_SPLITS = 'Must provide dataset name or ID'
