import { ApiError, contract, type SimilarQuery } from '@touchstone/contract'
import { getMemberText, splitMembers } from '@touchstone/formats/cut-json'
import { sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { type App, RawJson, serve } from '../../../http/serve.ts'
import { type ExampleRow, isInVersion, readExamples, toConditions, withSplits } from '../examples/index.ts'
import { getDataset } from '../index.ts'
import { prepareExample } from '../schemas/index.ts'
import { deleteIndex, sampleWords, selectIndex, selectMatches, type WeighedWord } from './store.ts'
import { splitWords, syncIndex, toIndexedWord } from './sync-index.ts'

type SearchDeps = Pick<Deps, 'relational'>

/**
 * Examples with inputs that share words with the given ones, best first. Other examples, last changed first, fill up to
 * the limit. Compares words, not meanings. Creates and updates the index as needed.
 *
 * @param inputs  JSON text
 * @throws ApiError INVALID_REQUEST when the inputs do not fit the dataset, or the filter is invalid
 */
export async function findSimilar(
  deps: SearchDeps,
  tenantId: string,
  datasetId: string,
  { inputs, filter, limit }: Pick<SimilarQuery, 'filter' | 'limit'> & { readonly inputs: string },
): Promise<ExampleRow[]> {
  const prepared = await prepareInputs(deps, tenantId, datasetId, inputs)
  const { row, version } = await syncIndex(deps, tenantId, datasetId)
  const conditions = toConditions(tenantId, { filter: filter ?? undefined })
  if (version === undefined) return []
  const states = sql`${isInVersion(tenantId, datasetId, version)} and ${conditions}`
  const words = splitWords(prepared).map(toIndexedWord(row))
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

/** Transforms inputs in the same way as the stored examples of the dataset. */
async function prepareInputs(deps: SearchDeps, tenantId: string, datasetId: string, inputs: string): Promise<string> {
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

/** Number of words of a long query that are searched: the rarest ones. */
const MAX_QUERY_WORDS = 24
/** Number of words that are weighed to find the rarest. */
const MAX_WEIGHED = 100
/** Maximum share of the examples for all words that select candidates. */
const MAX_SHARE = 0.2

async function selectSimilarIds(
  { relational }: SearchDeps,
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
    .map((word, at) => {
      const count = sample.counts[at] ?? 0
      return { word, weight: toWeight(count, sample.examples), share: count / sample.examples }
    })
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

/** BM25 weight of a word by its number of examples; a word that is missing in the sample may still occur. */
function toWeight(count: number, examples: number): number {
  return Math.log(1 + (examples - count + 0.5) / (count + 0.5))
}

/** Words of few examples; in a small dataset all words, and always the rarest one. */
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

export function datasetSearchRoutes(app: App, deps: Pick<Deps, 'relational'>): void {
  const { datasetSearch } = contract
  const { db } = deps.relational

  serve(app, datasetSearch.index, async ({ caller, params, body }) => {
    await syncIndex(deps, caller.tenantId, params.dataset_id, body?.tag ?? 'latest')
  })

  serve(app, datasetSearch.readIndex, async ({ caller, params }) => {
    const dataset = await getDataset(deps, caller.tenantId, params.dataset_id)
    const index = await selectIndex(db, dataset.id)
    if (index === undefined) throw new ApiError('NOT_FOUND', 'Index not found: the dataset is not indexed')
    const last_updated_version = index.indexed_version?.toISOString() ?? dataset.created_at
    return { dataset_id: dataset.id, tag: index.tag, last_updated_version }
  })

  serve(app, datasetSearch.deleteIndex, async ({ caller, params }) => {
    await deleteIndex(db, (await getDataset(deps, caller.tenantId, params.dataset_id)).id)
    return new RawJson('null')
  })

  serve(app, datasetSearch.syncIndex, async ({ caller, params }) => {
    await syncIndex(deps, caller.tenantId, params.dataset_id)
    return new RawJson('null')
  })

  serve(app, datasetSearch.search, async ({ caller, params, body, bodyText }) => {
    const inputs = getMemberText(splitMembers(bodyText), 'inputs')
    const found = await findSimilar(deps, caller.tenantId, params.dataset_id, { ...body, inputs })
    return new RawJson(`{"examples":[${found.map(presentSimilar).join(',')}]}`)
  })
}

/** Without `dataset_id`, because public Python clients add it and accept no second one. */
function presentSimilar({ id, inputs, outputs, metadata, splits }: ExampleRow): string {
  return `{"id":"${id}","inputs":${inputs},"outputs":${outputs ?? 'null'},"metadata":${withSplits(metadata, splits)}}`
}
