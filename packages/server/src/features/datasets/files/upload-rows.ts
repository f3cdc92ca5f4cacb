import { ApiError, DATA_TYPES, type DatasetClone, type DataType, parseUuid, toStorable } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { mapInSlices } from '../../../time-slices.ts'
import { touchBlobs } from '../../attachments/index.ts'
import { changeExamples, type ExampleChange, type ExamplesChange } from '../examples/index.ts'
import { createDataset, type DatasetRow, getDataset, type NewDataset, resolveVersion } from '../index.ts'
import { streamExamples } from './export-dataset.ts'
import type { FileForm } from './file-form.ts'
import { type FileRow, RowProblems, readRows } from './parse-file.ts'

export type UploadDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/**
 * Creates a dataset from a file: all rows in one version, or no dataset.
 *
 * @returns its id
 * @throws ApiError CONFLICT when the name is taken; INVALID_REQUEST with the lines that cannot be stored
 */
export async function uploadDataset(deps: UploadDeps, tenantId: string, form: FileForm): Promise<string> {
  const given = toNewDataset(form)
  const rows = await readRows(form)
  return deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const dataset = await createDataset(inside, tenantId, given)
    await storeRows(inside, tenantId, dataset, rows)
    return dataset.id
  })
}

/** Adds the rows of a file to a dataset, all or none, in one version. */
export async function appendRows(
  deps: UploadDeps,
  tenantId: string,
  datasetId: string,
  form: FileForm,
): Promise<ExamplesChange> {
  const dataset = await getDataset(deps, tenantId, datasetId)
  return storeRows(deps, tenantId, dataset, await readRows(form))
}

async function storeRows(
  deps: UploadDeps,
  tenantId: string,
  dataset: DatasetRow,
  rows: readonly FileRow[],
): Promise<ExamplesChange> {
  const lines = new Map<string, number>()
  const changes = await mapInSlices(rows, ({ line, ...row }) => {
    const id = deps.ids()
    lines.set(id, line)
    return { do: 'create' as const, id, ...row }
  })
  try {
    return await changeExamples(deps, tenantId, dataset, changes)
  } catch (error) {
    throw toLineErrors(error, lines)
  }
}

/** Reports lines of the file instead of the generated ids. */
function toLineErrors(error: unknown, lines: ReadonlyMap<string, number>): unknown {
  if (!(error instanceof ApiError) || error.problems === undefined) return error
  const bad = new RowProblems()
  for (const { loc, msg } of error.problems) {
    const line = lines.get(String(loc[1]))
    if (line === undefined) return error
    bad.add(line, msg, loc.slice(2))
  }
  try {
    bad.throwIfAny()
  } catch (named) {
    return named
  }
  return error
}

function toNewDataset(form: FileForm): NewDataset {
  const id = form.one('id')
  if (id !== undefined && parseUuid(id) === undefined) {
    throw new ApiError('INVALID_REQUEST', 'id: value is not a valid uuid')
  }
  const description = form.one('description')
  const dataType = form.one('data_type') ?? 'kv'
  if (!DATA_TYPES.includes(dataType as DataType)) {
    throw new ApiError('INVALID_REQUEST', `data_type: it must be one of ${DATA_TYPES.join(', ')}.`)
  }
  return {
    id: parseUuid(id),
    name: toStorable(form.one('name') || form.file.name),
    description: description === undefined ? undefined : toStorable(description),
    data_type: dataType as DataType,
    inputs_schema: parseJsonField(form, 'inputs_schema_definition'),
    outputs_schema: parseJsonField(form, 'outputs_schema_definition'),
    transformations: parseJsonField(form, 'transformations'),
  }
}

function parseJsonField(form: FileForm, field: string): string | null {
  const text = form.one(field)?.trim()
  if (text === undefined || text === '' || text === 'null') return null
  try {
    JSON.parse(text)
  } catch (error) {
    throw new ApiError('INVALID_REQUEST', `${field}: it is not JSON: ${(error as Error).message}`, { cause: error })
  }
  return text
}

type CloneDeps = UploadDeps & Pick<Deps, 'blobs'>

/**
 * Copies examples of a version into a dataset, in one version: payloads, metadata, splits and attachments, with new
 * ids.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset, tag or example; INVALID_REQUEST when the target rejects one
 */
export async function cloneExamples(deps: CloneDeps, tenantId: string, given: DatasetClone): Promise<ExamplesChange> {
  const source = await getDataset(deps, tenantId, given.source_dataset_id)
  const target = await getDataset(deps, tenantId, given.target_dataset_id)
  const version = await resolveVersion(deps, source, given.as_of ?? undefined)
  const changes: ExampleChange[] = []
  const found = new Set<string>()
  if (version !== undefined) {
    const query = {
      dataset: source.id,
      as_of: version.toISOString(),
      ...(given.examples != null && { id: given.examples }),
      ...(given.split != null && { splits: [given.split].flat() }),
    }
    for await (const rows of streamExamples(deps, tenantId, query)) {
      for (const row of rows) {
        found.add(row.id)
        const gone = await touchBlobs(deps, row.attachments)
        if (gone !== undefined) throw new ApiError('NOT_FOUND', `Attachment ${gone.name} of ${row.id} was deleted`)
        const { inputs, outputs, metadata, splits, attachments, source_run_id: sourceRunId } = row
        changes.push({ do: 'create', inputs, outputs, metadata, split: [...splits], attachments, sourceRunId })
      }
    }
  }
  const unknown = given.split == null ? given.examples?.find((id) => !found.has(id)) : undefined
  if (unknown !== undefined) throw new ApiError('NOT_FOUND', `Example not found: ${unknown}`)
  return changeExamples(deps, tenantId, target, changes)
}
