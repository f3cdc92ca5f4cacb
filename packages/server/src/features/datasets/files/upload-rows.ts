import { ApiError, DATA_TYPES, type DataType, parseUuid } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import { mapInSlices } from '../../../time-slices.ts'
import { changeExamples, type ExamplesChange } from '../examples/index.ts'
import { createDataset, type DatasetRow, getDataset, type NewDataset } from '../index.ts'
import type { FileForm } from './file-form.ts'
import { RowProblems } from './parse-file.ts'
import { type FileRow, readRows } from './read-rows.ts'

export type UploadDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/**
 * Makes a dataset of a file: all rows in one version, or no dataset at all.
 *
 * @returns its id
 * @throws ApiError CONFLICT when the name is taken; INVALID_REQUEST naming the lines that cannot be stored
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

/** Whoever sent a file knows lines, not the ids that we gave them. */
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
  const dataType = form.one('data_type') ?? 'kv'
  if (!DATA_TYPES.includes(dataType as DataType)) {
    throw new ApiError('INVALID_REQUEST', `data_type: it must be one of ${DATA_TYPES.join(', ')}.`)
  }
  return {
    id: parseUuid(id),
    name: form.one('name') || form.file.name,
    description: form.one('description'),
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
