import { BASE_SPLIT, type ExamplesMetadataUpdate, type MetadataOperation } from '@touchstone/contract'
import { getMemberText, isArrayText, splitElements, splitMembers } from '@touchstone/formats/cut-json'
import { printObject } from '@touchstone/formats/write-object'
import { and } from 'drizzle-orm'
import { isAnyOf } from '../../../storage/relational/columns.ts'
import { type Database, withTransaction } from '../../../storage/relational/port.ts'
import { exampleStates } from '../../../storage/relational/tables/datasets.ts'
import { lockDataset } from '../index.ts'
import { changeExamples, type WriteDeps } from './change-examples.ts'
import { SPLIT_KEY } from './example-content.ts'
import { isInNewestVersion } from './select-examples.ts'

/** The metadata of one example as JSON text without `dataset_split`, and its splits. */
interface StoredMetadata {
  readonly metadata: string
  readonly splits: readonly string[]
}

/**
 * Applies the same operations to the metadata of many examples, in one version. Keys that no operation names keep their
 * text. Ids that are not in the dataset are skipped.
 *
 * @param bodyText  the JSON text of the body, out of which new values are cut unchanged
 * @returns the ids that are in the dataset
 * @throws ApiError NOT_FOUND for an unknown dataset, INVALID_REQUEST when splits or metadata cannot be stored
 */
export async function changeMetadata(
  deps: WriteDeps,
  tenantId: string,
  datasetId: string,
  { example_ids, operations }: ExamplesMetadataUpdate,
  bodyText: string,
): Promise<ReadonlySet<string>> {
  const texts = splitElements(getMemberText(splitMembers(bodyText), 'operations'))
  const changesOfKeys = operations.map((operation, at) => toChange(operation, texts[at] ?? '{}'))
  return deps.relational.transaction(async (tx) => {
    const inside = { ...deps, relational: withTransaction(deps.relational, tx) }
    const dataset = await lockDataset(inside, tenantId, datasetId)
    const stored = await selectMetadata(tx, tenantId, datasetId, [...new Set(example_ids)])
    const changes = [...stored].flatMap(([id, before]) => {
      const after = changesOfKeys.reduce(applyChange, before)
      const isSame = after.metadata === before.metadata && after.splits.join('\n') === before.splits.join('\n')
      return isSame ? [] : [{ do: 'update', id, metadata: after.metadata, split: after.splits } as const]
    })
    if (changes.length > 0) await changeExamples(inside, tenantId, dataset, changes)
    return new Set(stored.keys())
  })
}

/** A change of the JSON text of one key; the text is undefined when the key is missing. */
interface KeyChange {
  readonly key: string
  readonly next: (text: string | undefined) => string
}

function toChange({ key, operation, values }: MetadataOperation, text: string): KeyChange {
  if (operation === 'set') return { key, next: () => splitMembers(text).get('value') ?? 'null' }
  const given = [...new Set(values ?? [])]
  return {
    key,
    next: (list) => {
      const items = list !== undefined && isArrayText(list) ? splitElements(list) : []
      const present = items.map((item): unknown => JSON.parse(item))
      const kept = operation === 'array_add' ? items : items.filter((_, at) => !given.includes(present[at] as string))
      const added = operation === 'array_add' ? given.filter((value) => !present.includes(value)) : []
      return `[${[...kept, ...added.map((value) => JSON.stringify(value))].join(',')}]`
    },
  }
}

function applyChange(before: StoredMetadata, { key, next }: KeyChange): StoredMetadata {
  if (key === SPLIT_KEY) return { ...before, splits: parseSplits(next(JSON.stringify(before.splits))) }
  const members = splitMembers(before.metadata)
  members.set(key, next(members.get(key)))
  return { ...before, metadata: printObject(members) }
}

function parseSplits(text: string): string[] {
  const splits = [JSON.parse(text)].flat() as string[]
  return splits.length === 0 ? [BASE_SPLIT] : splits
}

async function selectMetadata(
  db: Database,
  tenantId: string,
  datasetId: string,
  ids: readonly string[],
): Promise<Map<string, StoredMetadata>> {
  const rows = await db
    .select({ id: exampleStates.example_id, metadata: exampleStates.metadata, splits: exampleStates.splits })
    .from(exampleStates)
    .where(and(isInNewestVersion(tenantId, datasetId), isAnyOf(exampleStates.example_id, ids)))
  return new Map(rows.map(({ id, ...stored }) => [id, stored]))
}
