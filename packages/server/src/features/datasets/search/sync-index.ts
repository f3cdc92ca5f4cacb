import { setImmediate } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { exampleStates, statesAt } from '../examples/index.ts'
import { type DatasetRow, findDataset, resolveVersion } from '../index.ts'
import { type IndexRow, putIndex, putWords, selectTexts, setIndexedVersion } from './store.ts'
import { wordsOf } from './words.ts'

type Rows = Pick<Deps, 'relational'>

/** An index that is up to date. */
export interface SyncedIndex {
  readonly row: IndexRow
  /** The version that is searched; undefined while the dataset has none. */
  readonly version: Date | undefined
}

/**
 * Brings the words of a dataset up to the version that its index is of. Only what changed since the last time is read,
 * except when the tag was moved back.
 *
 * @param tag  of the version to be searched from now on. @default as it was; at first, the newest
 * @throws ApiError NOT_FOUND for an unknown dataset or tag
 */
export async function syncIndex(deps: Rows, tenantId: string, datasetId: string, tag?: string): Promise<SyncedIndex> {
  const { db } = deps.relational
  const dataset = await findDataset(deps, tenantId, datasetId)
  if (tag !== undefined) await resolveVersion(deps, dataset, tag)
  const row = await putIndex(db, datasetId, tag)
  const version = await resolveVersion(deps, dataset, row.tag)
  if (version === undefined || version.getTime() === row.indexed_version?.getTime()) return { row, version }
  await readWords(deps, dataset, row, missingStates(dataset, version, row.indexed_version))
  await setIndexedVersion(db, datasetId, version)
  return { row: { ...row, indexed_version: version }, version }
}

function missingStates({ tenant_id, id }: DatasetRow, wanted: Date, indexed: Date | null): SQL {
  const states = statesAt(tenant_id, id, wanted)
  if (indexed === null || indexed > wanted) return states
  return sql`${states} and ${exampleStates.as_of} > ${indexed.toISOString()}::timestamptz`
}

const BATCH = 500

/** Batch by batch, each for itself: words that are kept twice are kept once. */
async function readWords({ relational }: Rows, dataset: DatasetRow, index: IndexRow, states: SQL): Promise<void> {
  for (let last: string | undefined; ; ) {
    await setImmediate() // the embedded store answers without a pause: others get their turn here
    const texts = await selectTexts(relational.db, states, last, BATCH)
    const rows = texts.map(({ id, as_of, inputs }) => ({ id, as_of, words: wordsOf(inputs).map(ofIndex(index)) }))
    await putWords(relational.db, dataset.id, rows)
    if (texts.length < BATCH) return
    last = texts.at(-1)!.id
  }
}

/** A word with the number of its index before it: a search must not walk through other datasets' examples. */
export function ofIndex({ number }: IndexRow): (word: string) => string {
  return (word) => `${number}:${word}`
}
