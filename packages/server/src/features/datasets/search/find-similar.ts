import { ApiError, type SimilarQuery } from '@touchstone/contract'
import { sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { type ExampleRow, isInVersion, readExamples, toConditions } from '../examples/index.ts'
import { getDataset } from '../index.ts'
import { prepareExample } from '../schemas/index.ts'
import { sampleWords, selectMatches, type WeighedWord } from './store.ts'
import { splitWords, syncIndex, toIndexedWord } from './sync-index.ts'

type Rows = Pick<Deps, 'relational'>

/**
 * Examples whose inputs share words with the ones given, best first; others, those changed last first, fill up to the
 * limit. It compares words, not meanings. The index is made when it is missing, and brought up to date.
 *
 * @param inputs  JSON text
 * @throws ApiError INVALID_REQUEST when the inputs are none of the dataset, or the filter cannot be read
 */
export async function findSimilar(
  deps: Rows,
  tenantId: string,
  datasetId: string,
  { inputs, filter, limit }: Pick<SimilarQuery, 'filter' | 'limit'> & { readonly inputs: string },
): Promise<ExampleRow[]> {
  const asked = await prepareInputs(deps, tenantId, datasetId, inputs)
  const { row, version } = await syncIndex(deps, tenantId, datasetId)
  const conditions = toConditions(tenantId, { filter: filter ?? undefined })
  if (version === undefined) return []
  const states = sql`${isInVersion(tenantId, datasetId, version)} and ${conditions}`
  const words = splitWords(asked).map(toIndexedWord(row))
  const ids = await selectSimilarIds(deps, datasetId, states, words, limit)

  const query = { dataset: datasetId, as_of: version.toISOString() }
  const found = new Map(
    ids.length === 0
      ? []
      : (await readExamples(deps, tenantId, { ...query, id: ids, limit })).map((example) => [example.id, example]),
  )
  const matches = ids.flatMap((id) => found.get(id) ?? [])
  if (matches.length >= limit) return matches
  const others = await readExamples(deps, tenantId, { ...query, filter: filter ?? undefined, limit })
  return [...matches, ...others.filter(({ id }) => !found.has(id))].slice(0, limit)
}

/** Inputs as an example of the dataset would have them, which is how its examples were stored. */
async function prepareInputs(deps: Rows, tenantId: string, datasetId: string, inputs: string): Promise<string> {
  const dataset = await getDataset(deps, tenantId, datasetId)
  const prepared = prepareExample({ ...dataset, outputs_schema: null }, { inputs, outputs: null })
  if (prepared.violations.length === 0) return prepared.inputs
  throw new ApiError('INVALID_REQUEST', undefined, {
    problems: prepared.violations.map(({ path, message }) => ({
      loc: ['body', ...path.split('/').slice(1)],
      msg: message,
      type: 'value_error',
    })),
  })
}

/** Words of a long question that are looked for: the rarest. */
const MAX_QUERY_WORDS = 24
/** Words that are weighed to find those. */
const MAX_WEIGHED = 100
/** Share of the examples that the words which lead to candidates may have together. */
const MAX_SHARE = 0.2

async function selectSimilarIds(
  { relational }: Rows,
  datasetId: string,
  states: ReturnType<typeof sql>,
  given: readonly string[],
  limit: number,
): Promise<string[]> {
  const words = given.slice(0, MAX_WEIGHED)
  if (words.length === 0) return []
  const sample = await sampleWords(relational.db, datasetId, states, words)
  if (sample.examples === 0) return []
  const weighed = words
    .map((word, at) => ({
      word,
      weight: toWeight(sample.counts[at]!, sample.examples),
      share: sample.counts[at]! / sample.examples,
    }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MAX_QUERY_WORDS)
  const rare = selectRarest(weighed, sample.examples)
  const matches = await selectMatches(relational.db, datasetId, states, {
    words: weighed,
    rare,
    meanLength: sample.meanLength,
    limit,
  })
  return matches.map(({ id }) => id)
}

/** BM25's weight of a word by how many examples have it; a word that the sample lacks may still occur. */
function toWeight(count: number, examples: number): number {
  return Math.log(1 + (examples - count + 0.5) / (count + 0.5))
}

/** The words that few examples have; in a small dataset all of them, and always the rarest. */
function selectRarest(words: readonly (WeighedWord & { readonly share: number })[], examples: number): string[] {
  if (examples < 2_000) return words.map(({ word }) => word)
  const found: string[] = []
  let together = 0
  for (const { word, share } of words) {
    together += share
    if (together > MAX_SHARE && found.length > 0) break
    found.push(word)
  }
  return found
}
