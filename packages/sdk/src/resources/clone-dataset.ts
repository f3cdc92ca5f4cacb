import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { APIError } from '../errors.ts'
import { uuid7 } from '../ids/uuid.ts'
import type { Attachments, Dataset, Example, ExampleCreate, PublicDataset } from '../schemas.ts'
import { currentFetch } from '../transport/fetch.ts'
import { Transport } from '../transport/transport.ts'
import { findDataset } from './dataset-key.ts'
import type { ClonePublicDatasetOptions } from './dataset-shares.ts'
import { createParts } from './example-form.ts'
import { sendExamples } from './send-examples.ts'
import { pageSharedExamples, readSharedDataset } from './shared-dataset.ts'

/** Reads everything before it makes anything, so that a dataset that cannot be read leaves nothing behind. */
export async function cloneDataset(
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

/** Nobody's key opens another server, and none is needed: the token is enough. */
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
