import { ApiError, type ExamplesChanged } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import { boundaryOf, parseMultipart } from '../../http/multipart.ts'
import { readBody } from '../../http/read-body.ts'
import type { StoredAttachment } from '../blobs/index.ts'
import { type DatasetRow, datasetsById, findDataset } from '../datasets/index.ts'
import type { CreateExample, ExampleChange } from './change.ts'
import { type Changed, changeAcross, type WriteDeps } from './change-examples.ts'
import { collectParts, type ExampleParts } from './collect-parts.ts'
import { Problems } from './problems.ts'
import { type ReadParts, readParts } from './read-parts.ts'
import { completeDrafts, type Draft } from './source-runs.ts'
import { storeAttachments } from './store-attachments.ts'

export type UploadDeps = WriteDeps & Pick<Deps, 'analytics' | 'blobs' | 'config'>

interface Upload extends ReadParts {
  readonly id: string
  /** Undefined when there were none. */
  readonly attachments: readonly StoredAttachment[] | undefined
}

/** Creates the examples of a multipart body, all or none. */
export async function uploadExamples(
  deps: UploadDeps,
  tenantId: string,
  datasetId: string,
  request: FastifyRequest,
): Promise<ExamplesChanged> {
  const dataset = await findDataset(deps, tenantId, datasetId)
  const problems = new Problems()
  const uploads = await readUploads(deps, request, problems)
  const changes = await completeDrafts(deps, tenantId, uploads.map(draftOf), problems, looksAtRuns([dataset]))
  return write(deps, tenantId, new Map([[dataset.id, changes]]), problems)
}

/** Changes the examples of a multipart body, all or none. */
export async function patchExamples(
  deps: UploadDeps,
  tenantId: string,
  datasetId: string,
  request: FastifyRequest,
): Promise<ExamplesChanged> {
  const dataset = await findDataset(deps, tenantId, datasetId)
  const problems = new Problems()
  const uploads = await readUploads(deps, request, problems)
  const changes = uploads.map(({ id, main, inputs, outputs, metadata, operations, attachments }): ExampleChange => {
    return { do: 'update', id, inputs, outputs, metadata, split: main.split, operations, attachments }
  })
  return write(deps, tenantId, new Map([[dataset.id, changes]]), problems)
}

/** Creates or replaces the examples of a multipart body, each of which names its dataset; all or none. */
export async function upsertExamples(
  deps: UploadDeps,
  tenantId: string,
  request: FastifyRequest,
): Promise<ExamplesChanged> {
  const problems = new Problems()
  const uploads = await readUploads(deps, request, problems)
  const ids = [...new Set(uploads.flatMap(({ main }) => main.dataset_id ?? []))]
  const datasets = await datasetsById(deps, tenantId, ids)
  for (const { id, main } of uploads) {
    if (main.dataset_id == null) problems.add('INVALID_REQUEST', [id, 'dataset_id'], 'is missing')
    else if (!datasets.has(main.dataset_id)) problems.add('NOT_FOUND', [id, 'dataset_id'], 'Dataset not found')
  }
  const drafts = uploads.map(draftOf)
  const created = await completeDrafts(deps, tenantId, drafts, problems, looksAtRuns([...datasets.values()]))
  const changes = new Map<string, CreateExample[]>()
  created.forEach((change, at) => {
    const datasetId = uploads[at]!.main.dataset_id ?? ''
    const ofDataset = changes.get(datasetId) ?? []
    ofDataset.push({ ...change, replaces: true })
    changes.set(datasetId, ofDataset)
  })
  const answer = await write(deps, tenantId, changes, problems)
  return { ...answer, example_ids: uploads.map(({ id }) => id) }
}

/** Whether the transformations of a dataset look at the runs that examples were made from. */
export function looksAtRuns(datasets: readonly Pick<DatasetRow, 'transformations'>[]): boolean {
  return datasets.some(({ transformations }) => transformations?.includes('extract_tools_from_run'))
}

async function write(
  deps: UploadDeps,
  tenantId: string,
  changes: ReadonlyMap<string, readonly ExampleChange[]>,
  problems: Problems,
): Promise<ExamplesChanged> {
  problems.throwIfAny()
  const changed = [...(await changeAcross(deps, tenantId, changes)).values()]
  const ids = changed.flatMap((one) => one.ids)
  return { count: ids.length, example_ids: ids, ...(ids.length > 0 && { as_of: newest(changed).toISOString() }) }
}

const newest = (changed: readonly Changed[]) => new Date(Math.max(...changed.map(({ asOf }) => asOf.getTime())))

async function readUploads(deps: UploadDeps, request: FastifyRequest, problems: Problems): Promise<Upload[]> {
  const boundary = boundaryOf(request.headers['content-type'])
  const { maxBodyBytes, maxAttachmentBytes } = deps.config.ingest
  const body = await readBody(request, { maxBytes: maxBodyBytes })
  const examples = collectParts(parseMultipart(body, boundary), problems, { maxAttachmentBytes })
  const read = examples.map((example) => ({ id: example.id, ...readParts(example, problems) }))
  problems.throwIfAny()
  const stored = await storeAllAttachments(deps, examples)
  return read.map((one) => ({ ...one, attachments: stored.get(one.id) }))
}

async function storeAllAttachments(
  deps: UploadDeps,
  examples: readonly ExampleParts[],
): Promise<Map<string, StoredAttachment[]>> {
  const owners = examples.flatMap(({ id, attachments }) => attachments.map((attachment) => ({ id, attachment })))
  const stored = await storeAttachments(
    deps,
    owners.map(({ attachment }) => attachment),
  )
  const byExample = new Map<string, StoredAttachment[]>()
  owners.forEach(({ id }, at) => {
    const of = byExample.get(id) ?? []
    of.push(stored[at]!)
    byExample.set(id, of)
  })
  return byExample
}

function draftOf({ id, main, inputs, outputs, metadata, operations, attachments }: Upload): Draft {
  if (operations !== undefined) {
    throw new ApiError(
      'INVALID_REQUEST',
      `${id}.attachments_operations: a new example has no attachments to operate on`,
    )
  }
  const { split, created_at: createdAt, source_run_id: sourceRunId } = main
  return {
    id,
    change: { do: 'create', id, inputs, outputs, metadata, split, createdAt, sourceRunId, attachments },
    usesRunIo: main.use_source_run_io ?? false,
    runAttachments: main.use_source_run_attachments ?? [],
  }
}
