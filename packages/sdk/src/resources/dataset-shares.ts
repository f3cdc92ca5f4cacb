import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { NotFoundError } from '../errors.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { DatasetShareSchema, Example, PublicDataset } from '../schemas.ts'
import { Calls } from './calls.ts'
import { cloneDataset } from './clone-dataset.ts'
import { type DatasetKey, datasetIdOf } from './dataset-key.ts'
import { hostOf } from './links.ts'
import { tokenOf } from './share-token.ts'
import { pageSharedExamples, readSharedDataset } from './shared-dataset.ts'

export interface ShareDatasetOptions extends CallOptions {
  /** Opens the dataset's experiments too. An extension of ours. @default false */
  shareProjects?: boolean | undefined
}

export interface ClonePublicDatasetOptions extends CallOptions {
  /** API of the server that has the dataset. @default the client's own */
  sourceApiUrl?: string | undefined
  /** Name of the copy. @default that of the dataset */
  datasetName?: string | undefined
}

export class DatasetShareCalls extends Calls {
  /**
   * Opens a dataset to whoever holds the link; one that is shared already keeps its token.
   *
   * @returns the token, and the public page under `url`
   */
  async shareDataset(
    datasetId?: string,
    datasetName?: string,
    options: ShareDatasetOptions = {},
  ): Promise<DatasetShareSchema> {
    const { shareProjects, ...rest } = options
    const id = await datasetIdOf(this.transport, keyOf(datasetId, datasetName), NEITHER_TO_SHARE, rest)
    const answer = await this.transport.call(routes.datasetSharing.share, {
      params: { dataset_id: id },
      query: { share_projects: shareProjects || undefined },
      body: { dataset_id: id },
      doing: 'share dataset',
      ...rest,
    })
    if (!answer?.share_token) throw new Error('Invalid response from server')
    return withPage(hostOf(this.transport), answer)
  }

  /** The token and public page of a dataset. @throws NotFoundError while it is not shared */
  async readDatasetSharedSchema(
    datasetId?: string,
    datasetName?: string,
    options: CallOptions = {},
  ): Promise<DatasetShareSchema> {
    const id = await datasetIdOf(this.transport, keyOf(datasetId, datasetName), NEITHER_TO_SHARE, options)
    const request = { params: { dataset_id: id }, doing: 'read dataset shared schema', ...options }
    const answer = await this.transport.call(routes.datasetSharing.readShare, request)
    if (!answer?.share_token)
      throw new NotFoundError(`Dataset ${id} is not shared: share token not found`, { status: 404 })
    return withPage(hostOf(this.transport), answer)
  }

  /** Closes a dataset again; its link leads nowhere from now on. Does nothing when it is not shared. */
  async unshareDataset(datasetId: string, options: CallOptions = {}): Promise<void> {
    assertUuid(datasetId)

    await this.transport.send(routes.datasetSharing.unshare, {
      params: { dataset_id: datasetId },
      doing: 'unshare dataset',
      ...options,
    })
  }

  /** A shared dataset; needs no key. @param shareToken the token, or the public page that holds it */
  async readSharedDataset(shareToken: string, options: CallOptions = {}): Promise<PublicDataset> {
    return await readSharedDataset(this.transport, tokenOf(shareToken), options)
  }

  /**
   * All examples of a shared dataset, with their attachments; needs no key.
   *
   * @param shareToken the token, or the public page that holds it
   * @param which `exampleIds`: only these
   */
  async listSharedExamples(
    shareToken: string,
    which: { exampleIds?: string[] | undefined } = {},
    options: CallOptions = {},
  ): Promise<Example[]> {
    const token = tokenOf(shareToken, NO_TOKEN)
    for (const [index, id] of (which.exampleIds ?? []).entries()) assertUuid(id, `exampleIds[${index}]`)
    const examples: Example[] = []
    for await (const example of pageSharedExamples(this.transport, token, which, options)) examples.push(example)
    return examples
  }

  /**
   * Copies a shared dataset with its examples, their metadata, splits and attachments, under new ids. Does nothing, and
   * says so, when there is a dataset of that name.
   *
   * @param tokenOrUrl the token, or the public page that holds it; the page's host does not matter
   */
  async clonePublicDataset(tokenOrUrl: string, options: ClonePublicDatasetOptions = {}): Promise<void> {
    await cloneDataset(this.transport, tokenOf(tokenOrUrl, NO_TOKEN), options)
  }
}

type Answer = Omit<DatasetShareSchema, 'url'> | null

const NEITHER_TO_SHARE = 'Either datasetId or datasetName must be given'
const NO_TOKEN = 'Invalid public dataset URL or token'

function keyOf(datasetId: string | undefined, datasetName: string | undefined): DatasetKey {
  return { datasetId: datasetId ?? undefined, datasetName: datasetName ?? undefined }
}

function withPage(host: string, answer: NonNullable<Answer>): DatasetShareSchema {
  return { ...answer, url: `${host}/public/${answer.share_token}/d` }
}
