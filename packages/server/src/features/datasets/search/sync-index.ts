import { setImmediate } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { exampleStates, isInVersion } from '../examples/index.ts'
import { type DatasetRow, getDataset, resolveVersion } from '../index.ts'
import { type IndexRow, putIndex, putWords, selectTexts, setIndexedVersion } from './store.ts'

type SearchDeps = Pick<Deps, 'relational'>

/** An up-to-date index. */
export interface SyncedIndex {
  readonly row: IndexRow
  /** The searched version; undefined for a dataset without versions. */
  readonly version: Date | undefined
}

/**
 * Updates the words of a dataset to the version of its index. Reads only the changes since the last update, except when
 * the tag moved back.
 *
 * @param tag  of the version to search from now on. @default the current tag; initially the newest version
 * @throws ApiError NOT_FOUND for an unknown dataset or tag
 */
export async function syncIndex(
  deps: SearchDeps,
  tenantId: string,
  datasetId: string,
  tag?: string,
): Promise<SyncedIndex> {
  const { db } = deps.relational
  const dataset = await getDataset(deps, tenantId, datasetId)
  if (tag !== undefined) await resolveVersion(deps, dataset, tag)
  const row = await putIndex(db, datasetId, tag)
  const version = await resolveVersion(deps, dataset, row.tag)
  if (version === undefined || version.getTime() === row.indexed_version?.getTime()) return { row, version }
  await indexWords(deps, dataset, row, matchesMissingStates(dataset, version, row.indexed_version))
  await setIndexedVersion(db, datasetId, version)
  return { row: { ...row, indexed_version: version }, version }
}

function matchesMissingStates({ tenant_id, id }: DatasetRow, wanted: Date, indexed: Date | null): SQL {
  const states = isInVersion(tenant_id, id, wanted)
  if (indexed === null || indexed > wanted) return states
  return sql`${states} and ${exampleStates.as_of} > ${indexed.toISOString()}::timestamptz`
}

const INDEX_BATCH = 500

/** In independent batches; storing words twice has no effect. */
async function indexWords(
  { relational }: SearchDeps,
  dataset: DatasetRow,
  index: IndexRow,
  states: SQL,
): Promise<void> {
  for (let last: string | undefined; ; ) {
    await setImmediate() // the embedded store answers without a pause, so this lets other requests run
    const texts = await selectTexts(relational.db, states, last, INDEX_BATCH)
    const rows = texts.map(({ id, as_of, inputs }) => ({
      id,
      as_of,
      words: splitWords(inputs).map(toIndexedWord(index)),
    }))
    await putWords(relational.db, dataset.id, rows)
    if (texts.length < INDEX_BATCH) return
    last = texts.at(-1)?.id
  }
}

/** Prefixes a word with the number of its index, so that a search does not scan examples of other datasets. */
export function toIndexedWord({ number }: IndexRow): (word: string) => string {
  return (word) => `${number}:${word}`
}

/** Distinct words that are stored per example; more words add little. */
const MAX_WORDS = 200
const MAX_WORD_LENGTH = 64

const WORD_PATTERN = /[\p{L}\p{N}\p{M}_]+/gu
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * The distinct words of the values of a JSON text, in lower case; keys do not distinguish examples of a dataset. Text
 * without spaces is split into pairs of characters.
 *
 * @param json  may be truncated; then it is read as plain text
 */
export function splitWords(json: string): string[] {
  const words = new Set<string>()
  for (const text of readTexts(json)) {
    for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD_PATTERN)) {
      for (const part of splitWord(word)) words.add(part)
      if (words.size >= MAX_WORDS) return [...words].slice(0, MAX_WORDS)
    }
  }
  return [...words]
}

function splitWord(word: string): string[] {
  if (!UNSPACED.test(word)) return [[...word].slice(0, MAX_WORD_LENGTH).join('')]
  const signs = [...word]
  return signs.length === 1 ? signs : signs.slice(1).map((sign, at) => `${signs[at]}${sign}`)
}

/** Strings and numbers at any depth. */
function readTexts(json: string): string[] {
  const texts: string[] = []
  let open: unknown[]
  try {
    open = [JSON.parse(json)]
  } catch {
    return [json]
  }
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'number') texts.push(String(value))
    else if (typeof value === 'object' && value !== null) open.push(...Object.values(value).reverse())
  }
  return texts
}
