import { ApiError, type ExamplesChanged, MAX_EXAMPLE_BYTES } from '@touchstone/contract'
import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { streamMultipart } from '../../../http/multipart.ts'
import type { StoredAttachment } from '../../attachments/index.ts'
import { type DatasetRow, getDataset, selectDatasetMap } from '../index.ts'
import { changeExamplesAcross, type ExamplesChange, type WriteDeps } from './change-examples.ts'
import type { CreateExample, ExampleChange } from './example-content.ts'
import { completeDrafts, type ExampleDraft } from './example-drafts.ts'
import { AttachmentStore, collectParts, type ReadParts, readParts } from './multipart-examples.ts'
import { ExampleProblems } from './problems.ts'

export type UploadDeps = WriteDeps & Pick<Deps, 'analytics' | 'blobs' | 'config'>

interface Upload extends ReadParts {
  readonly id: string
  /** Undefined for no attachments. */
  readonly attachments: readonly StoredAttachment[] | undefined
}

/** Creates the examples of a multipart body, all or none. */
export async function uploadExamples(
  deps: UploadDeps,
  tenantId: string,
  datasetId: string,
  request: FastifyRequest,
): Promise<ExamplesChanged> {
  const dataset = await getDataset(deps, tenantId, datasetId)
  const problems = new ExampleProblems()
  const uploads = await readUploads(deps, request, problems)
  const changes = await completeDrafts(deps, tenantId, uploads.map(toUploadDraft), problems, needsSourceRuns([dataset]))
  return writeChanges(deps, tenantId, new Map([[dataset.id, changes]]), problems)
}

/** Changes the examples of a multipart body, all or none. */
export async function patchExamples(
  deps: UploadDeps,
  tenantId: string,
  datasetId: string,
  request: FastifyRequest,
): Promise<ExamplesChanged> {
  const dataset = await getDataset(deps, tenantId, datasetId)
  const problems = new ExampleProblems()
  const uploads = await readUploads(deps, request, problems)
  const changes = uploads.map(({ id, main, inputs, outputs, metadata, operations, attachments }): ExampleChange => {
    const expected = main.expected?.modified_at
    return { do: 'update', id, inputs, outputs, metadata, split: main.split, operations, attachments, expected }
  })
  return writeChanges(deps, tenantId, new Map([[dataset.id, changes]]), problems)
}

/** Creates or replaces the examples of a multipart body, each with its dataset; all or none. */
export async function upsertExamples(
  deps: UploadDeps,
  tenantId: string,
  request: FastifyRequest,
): Promise<ExamplesChanged> {
  const problems = new ExampleProblems()
  const uploads = await readUploads(deps, request, problems)
  const ids = [...new Set(uploads.flatMap(({ main }) => main.dataset_id ?? []))]
  const datasets = await selectDatasetMap(deps, tenantId, ids)
  for (const { id, main } of uploads) {
    if (main.dataset_id == null) problems.add('INVALID_REQUEST', [id, 'dataset_id'], 'is missing')
    else if (!datasets.has(main.dataset_id)) problems.add('NOT_FOUND', [id, 'dataset_id'], 'Dataset not found')
  }
  const drafts = uploads.map(toUploadDraft)
  const created = await completeDrafts(deps, tenantId, drafts, problems, needsSourceRuns([...datasets.values()]))
  const changes = new Map<string, CreateExample[]>()
  created.forEach((change, at) => {
    const datasetId = uploads[at]?.main.dataset_id ?? ''
    const ofDataset = changes.get(datasetId) ?? []
    ofDataset.push({ ...change, replaces: true })
    changes.set(datasetId, ofDataset)
  })
  const answer = await writeChanges(deps, tenantId, changes, problems)
  return { ...answer, example_ids: uploads.map(({ id }) => id) }
}

/** Whether the transformations of a dataset read source runs. */
export function needsSourceRuns(datasets: readonly Pick<DatasetRow, 'transformations'>[]): boolean {
  return datasets.some(({ transformations }) => transformations?.includes('extract_tools_from_run'))
}

async function writeChanges(
  deps: UploadDeps,
  tenantId: string,
  changes: ReadonlyMap<string, readonly ExampleChange[]>,
  problems: ExampleProblems,
): Promise<ExamplesChanged> {
  problems.throwIfAny()
  const changed = [...(await changeExamplesAcross(deps, tenantId, changes)).values()]
  const ids = changed.flatMap((one) => one.ids)
  return {
    count: ids.length,
    example_ids: ids,
    ...(ids.length > 0 && { as_of: getNewestVersion(changed).toISOString() }),
  }
}

const getNewestVersion = (changed: readonly ExamplesChange[]) =>
  new Date(Math.max(...changed.map(({ asOf }) => asOf.getTime())))

/** The body may be larger than memory: attachments are stored as they arrive, and only JSON is kept. */
async function readUploads(deps: UploadDeps, request: FastifyRequest, problems: ExampleProblems): Promise<Upload[]> {
  const { maxBodyBytes, maxAttachmentBytes } = deps.config.ingest
  const maxPartBytes = Math.max(maxAttachmentBytes, MAX_EXAMPLE_BYTES) + PART_HEADER_BYTES
  const examples = await collectParts(streamMultipart(request, { maxPartBytes }), {
    problems,
    attachments: new AttachmentStore(deps, (bytes) => request.bodyShare.give(bytes)),
    maxAttachmentBytes,
    maxJsonBytes: maxBodyBytes,
  })
  const read = examples.map((example) => ({
    ...readParts(example, problems),
    id: example.id,
    attachments: example.attachments.length === 0 ? undefined : example.attachments,
  }))
  problems.throwIfAny()
  return read
}

/** Space for the headers of a part, so that a part just over its limit is reported with its name instead of cut off. */
const PART_HEADER_BYTES = 1024 * 1024

function toUploadDraft({ id, main, inputs, outputs, metadata, operations, attachments }: Upload): ExampleDraft {
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
