import { createHash } from 'node:crypto'
import { parseKeepingDigits, printJson } from '@touchstone/formats/exact-json'
import { changeExamples, type ExampleChange, readExamples } from '../examples/index.ts'
import type { DatasetRow } from '../index.ts'
import { streamExamples } from './export-dataset.ts'
import type { UploadDeps } from './upload-rows.ts'

/** A row of an uploaded experiment, with raw JSON. */
export interface GivenRow {
  /** Its id; without one, the row matches the example with equal inputs. */
  readonly id: string | undefined
  readonly inputs: string
  /** Undefined when the upload has no expected outputs. */
  readonly outputs: string | undefined
}

interface KnownExample {
  readonly inputs: string
  readonly outputs: string | null
}

/**
 * Creates missing examples and updates different ones, in one version. Several rows may be one example.
 *
 * @returns the id of the example of each row
 */
export async function storeGivenRows(
  deps: UploadDeps,
  tenantId: string,
  dataset: DatasetRow,
  rows: readonly GivenRow[],
): Promise<string[]> {
  const byInputs = rows.some(({ id }) => id === undefined)
    ? await selectIdsByInputs(deps, tenantId, dataset)
    : new Map()
  const ids = rows.map(({ id, inputs }) => {
    const sameInputs = hashInputs(inputs)
    const found = id ?? byInputs.get(sameInputs) ?? deps.ids()
    if (!byInputs.has(sameInputs)) byInputs.set(sameInputs, found)
    return found
  })
  const known = await selectKnownExamples(deps, tenantId, dataset, [...new Set(ids)])
  const given = new Map(ids.flatMap((id, at) => (rows[at] === undefined ? [] : [[id, rows[at]] as const])))
  const changes = [...given].flatMap(([id, row]) => toChange(id, row, known.get(id)) ?? [])
  if (changes.length > 0) await changeExamples(deps, tenantId, dataset, changes)
  return ids
}

function toChange(
  id: string,
  { inputs, outputs }: GivenRow,
  before: KnownExample | undefined,
): ExampleChange | undefined {
  if (before === undefined) return { do: 'create', id, inputs, outputs: outputs ?? null }
  const isSame =
    hashInputs(before.inputs) === hashInputs(inputs) &&
    (outputs === undefined || (before.outputs !== null && hashInputs(before.outputs) === hashInputs(outputs)))
  return isSame ? undefined : { do: 'update', id, inputs, outputs }
}

async function selectIdsByInputs(
  deps: UploadDeps,
  tenantId: string,
  dataset: DatasetRow,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  if (dataset.latest_version === null) return ids
  const query = { dataset: dataset.id, as_of: dataset.latest_version.toISOString(), order: 'id' as const }
  for await (const rows of streamExamples(deps, tenantId, query)) {
    for (const { id, inputs } of rows) {
      const digest = hashInputs(inputs)
      if (!ids.has(digest)) ids.set(digest, id)
    }
  }
  return ids
}

const BATCH = 1_000

async function selectKnownExamples(
  deps: UploadDeps,
  tenantId: string,
  dataset: DatasetRow,
  ids: readonly string[],
): Promise<Map<string, KnownExample>> {
  const known = new Map<string, KnownExample>()
  if (dataset.latest_version === null) return known
  for (let from = 0; from < ids.length; from += BATCH) {
    const id = ids.slice(from, from + BATCH)
    for (const row of await readExamples(deps, tenantId, { dataset: dataset.id, id, limit: BATCH }))
      known.set(row.id, row)
  }
  return known
}

/** Equal for equal JSON, with any order of keys and any white space. */
function hashInputs(json: string): string {
  return createHash('md5').update(toCanonicalJson(json)).digest('base64')
}

function toCanonicalJson(json: string): string {
  try {
    return printJson(parseKeepingDigits(json), { arrange: sortKeys })
  } catch (error) {
    if (error instanceof RangeError) return json // nested too deeply for the stack
    throw error
  }
}

function sortKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
