import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { APIError, NotFoundError } from '../errors.ts'
import { assertUuid, uuid7 } from '../ids/uuid.ts'
import type { Attachments, Dataset, DatasetShareSchema, Example, ExampleCreate, PublicDataset } from '../schemas.ts'
import { currentFetch } from '../transport/fetch.ts'
import { type Reply, toHttpError } from '../transport/http-error.ts'
import { offsetPages } from '../transport/pages.ts'
import { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'
import { type DatasetKey, datasetIdOf, findDataset } from './dataset-key.ts'
import { createParts } from './example-form.ts'
import { hostOf } from './links.ts'
import { IDS_PER_REQUEST, readable, sliced } from './list-examples.ts'
import { sendExamples } from './send-examples.ts'
import { tokenOf } from './shares.ts'

export interface ShareDatasetOptions extends CallOptions {
  /** Whether the link opens the experiments too. An extension of ours. @default unchanged, false for a new link */
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
   * Shares a dataset with everyone who has the link. A shared dataset keeps its token.
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
      query: { share_projects: shareProjects },
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
   * Copies a shared dataset with its examples, their metadata, splits and attachments, under new ids. Only logs a
   * message when a dataset of that name exists.
   *
   * @param tokenOrUrl the token, or the address of the public page on any host
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

export async function readSharedDataset(
  transport: Transport,
  token: string,
  options: CallOptions,
): Promise<PublicDataset> {
  return await transport.call(routes.datasetSharing.publicDataset, {
    params: { share_token: token },
    doing: 'read shared dataset',
    ...options,
  })
}

/** Examples of a shared dataset, a page at a time. */
export async function* pageSharedExamples(
  transport: Transport,
  token: string,
  { exampleIds }: { exampleIds?: string[] | undefined },
  options: CallOptions,
): AsyncGenerator<Example> {
  const request = {
    params: { share_token: token },
    doing: 'list shared examples',
    toError: toDetailError,
    ...options,
  }
  for (const id of exampleIds === undefined ? [undefined] : sliced(exampleIds, IDS_PER_REQUEST)) {
    const pages = offsetPages(transport, routes.datasetSharing.publicExamples, { ...request, query: { id } })
    for await (const example of pages) yield readable(example)
  }
}

/** The error of the public client: `Failed to list shared examples.`, then status and detail on a line each. */
function toDetailError(doing: string, reply: Reply): APIError {
  const error = toHttpError(doing, reply)
  const detail = readDetail(reply.text)
  error.message =
    detail === undefined
      ? `Failed to ${doing}: ${reply.status} ${reply.statusText}`
      : `Failed to ${doing}.\nStatus: ${reply.status}\nMessage: ${detail}`
  return error
}

/** The lines of `detail`; `undefined` where a body has none. */
function readDetail(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body)
    if (detail === undefined) return undefined
    const lines = [detail].flat().map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    return lines.join('\n') || 'Unspecified error'
  } catch {
    return undefined
  }
}

/** Reads everything before it makes anything, so that a dataset that cannot be read leaves nothing behind. */
async function cloneDataset(
  transport: Transport,
  token: string,
  { sourceApiUrl, datasetName, ...options }: ClonePublicDatasetOptions,
): Promise<void> {
  const source = asStranger(transport, sourceApiUrl)
  const { logger } = transport.connection
  const original = await readSharedDataset(source, token, options)
  const name = datasetName ?? original.name
  if (await exists(transport, name, options)) {
    logger.info?.(`Dataset ${name} already exists in your tenant. Skipping.`)
    return
  }
  const examples: Example[] = []
  for await (const example of pageSharedExamples(source, token, {}, options)) examples.push(example)
  const copy = await createCopy(transport, name, original, options)
  try {
    const parts = partsOf(source, examples, options)
    const sending = { ...options, method: 'POST', total: examples.length } as const
    for await (const _ of sendExamples(transport, copy.id, parts, sending));
  } catch (error) {
    logger.warn(`An error occurred while creating dataset ${name}. You should delete it manually.`)
    throw error
  }
}

/** The key of this client is not valid on another server, and the token needs none. */
function asStranger({ connection }: Transport, apiUrl: string | undefined): Transport {
  const url = apiUrl?.replace(/\/$/, '') ?? connection.apiUrl
  return new Transport(() => ({ ...connection, apiUrl: url, apiKey: 'placeholder', workspaceId: undefined }))
}

async function exists(transport: Transport, datasetName: string, options: CallOptions): Promise<boolean> {
  try {
    await findDataset(transport, { datasetName }, options)
    return true
  } catch (error) {
    if (error instanceof APIError && error.status === 404) return false
    throw error
  }
}

async function createCopy(
  transport: Transport,
  name: string,
  original: PublicDataset,
  options: CallOptions,
): Promise<Dataset> {
  return await transport.call(routes.datasets.create, {
    body: {
      name,
      description: original.description,
      extra: { source: 'sdk' },
      data_type: original.data_type,
      inputs_schema_definition: original.inputs_schema_definition,
      outputs_schema_definition: original.outputs_schema_definition,
      transformations: original.transformations,
    },
    doing: 'create dataset',
    ...options,
  })
}

async function* partsOf(source: Transport, examples: readonly Example[], options: CallOptions) {
  for (const { inputs, outputs, metadata, attachments } of examples) {
    // The split travels within the metadata.
    const example: ExampleCreate = {
      inputs,
      outputs,
      metadata,
      attachments: await fetched(source, attachments, options),
    }
    yield createParts(example, uuid7())
  }
}

async function fetched(
  { connection }: Transport,
  attachments: Example['attachments'] = {},
  { signal, timeoutMs = connection.timeoutMs }: CallOptions,
): Promise<Attachments> {
  const files: Attachments = {}
  for (const [name, { presigned_url, mime_type }] of Object.entries(attachments)) {
    const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
    const url = new URL(presigned_url, `${connection.apiUrl}/`)
    const answer = await currentFetch(connection.fetch)(url, { signal: AbortSignal.any(signals) })
    if (!answer.ok)
      throw new APIError(`Failed to read the attachment ${name}: ${answer.status}`, { status: answer.status })
    files[name] = [mime_type ?? 'application/octet-stream', new Uint8Array(await answer.arrayBuffer())]
  }
  return files
}
