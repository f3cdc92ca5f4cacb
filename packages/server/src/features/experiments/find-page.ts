import { ApiError, RunConditions } from '@touchstone/contract'
import { and, sql as relationalSql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { sql } from '../../storage/analytics/sql.ts'
import { isAnyOf } from '../../storage/relational/columns.ts'
import { columns, list, text as string } from '../../storage/rows.ts'
import {
  exampleStates,
  type FoundExamples,
  findExamples,
  isInNewestVersion,
  isInVersion,
} from '../datasets/examples/index.ts'
import { getDataset } from '../datasets/index.ts'
import { type ProjectRow, selectProjectsById } from '../projects/index.ts'
import { whereRuns } from '../runs/index.ts'
import { readOverallMeans } from './read-scores.ts'

export type FindDeps = Pick<Deps, 'analytics' | 'relational'>

/** A selection of examples of a dataset and their order. */
export interface ExampleSelection {
  readonly sessionIds: readonly string[]
  /** Run filters by session. Each session must have a run of the example that satisfies all filters of the session. */
  readonly filters?: Readonly<Record<string, readonly string[]>> | null | undefined
  readonly exampleIds?: readonly string[] | null | undefined
  readonly comparativeExperimentId?: string | null | undefined
  /** By the mean score of a key over the sessions. @default the last changed examples first */
  readonly sort?: { readonly key: string; readonly isDescending: boolean } | undefined
  /** Version of the dataset, as a time. @default the newest */
  readonly asOf?: string | undefined
}

export interface PageRange {
  readonly offset: number
  /** @default all */
  readonly limit?: number | undefined
}

const ALL = Number.MAX_SAFE_INTEGER

/**
 * Finds the examples of a page without reading their JSON.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset, FilterError for a filter that cannot be read
 */
export async function findPage(
  deps: FindDeps,
  tenantId: string,
  datasetId: string,
  wanted: ExampleSelection,
  { offset, limit = ALL }: PageRange,
): Promise<FoundExamples> {
  const { exampleIds, sort, asOf } = wanted
  const query = { dataset: datasetId, ...(exampleIds && { id: [...exampleIds] }), ...(asOf && { as_of: asOf }) }
  const matching = await selectMatchingExampleIds(deps, tenantId, wanted)
  // Without filters and scores, the database finds the page by its index. Runs and scores are in the analytics store.
  if (matching === undefined && sort === undefined) return findExamples(deps, tenantId, { ...query, offset, limit })
  const ids = (await selectOrderedIds(deps, tenantId, datasetId, wanted)).filter((id) => matching?.has(id) ?? true)
  const inOrder = sort === undefined ? ids : await sortByScore(deps, tenantId, wanted, sort, ids)
  const wantedIds = inOrder.slice(offset, offset + limit)
  const page = await findExamples(deps, tenantId, { ...query, id: wantedIds, offset: 0, limit: wantedIds.length })
  const byId = new Map(page.found.map((example) => [example.id, example]))
  return { ...page, found: wantedIds.flatMap((id) => byId.get(id) ?? []) }
}

/**
 * Ids of all requested examples, the last changed first. They are read as one text: ten thousand rows take five times as
 * long.
 */
export async function selectOrderedIds(
  deps: FindDeps,
  tenantId: string,
  datasetId: string,
  { exampleIds, asOf }: Pick<ExampleSelection, 'exampleIds' | 'asOf'>,
): Promise<string[]> {
  const { example_id, as_of, number } = exampleStates
  const states =
    asOf === undefined ? isInNewestVersion(tenantId, datasetId) : isInVersion(tenantId, datasetId, new Date(asOf))
  const [row] = await deps.relational.db
    .select({
      ids: relationalSql<string | null>`string_agg(${example_id}::text, ',' order by ${as_of} desc, ${number})`,
    })
    .from(exampleStates)
    .where(and(states, exampleIds ? isAnyOf(example_id, exampleIds) : undefined))
  return row?.ids ? row.ids.split(',') : []
}

/** Ids of the examples that satisfy the filters of every session; undefined when there are no filters. */
export async function selectMatchingExampleIds(
  deps: FindDeps,
  tenantId: string,
  { filters, exampleIds }: Pick<ExampleSelection, 'filters' | 'exampleIds'>,
): Promise<Set<string> | undefined> {
  const given = Object.entries(filters ?? {}).filter(([, texts]) => texts.some((text) => text.trim() !== ''))
  let matching: Set<string> | undefined
  for (const [session, texts] of given) {
    const found = await selectExampleIds(deps, tenantId, session, texts, exampleIds)
    matching = matching === undefined ? found : new Set([...matching].filter((id) => found.has(id)))
  }
  return matching
}

/** Ids of the examples with a run that satisfies all filters. */
async function selectExampleIds(
  { analytics }: FindDeps,
  tenantId: string,
  session: string,
  texts: readonly string[],
  exampleIds: readonly string[] | null | undefined,
): Promise<Set<string>> {
  const conditions = texts
    .filter((text) => text.trim() !== '')
    .map((filter) =>
      whereRuns(
        tenantId,
        RunConditions.parse({ session: [session], is_root: true, reference_example: exampleIds, filter }),
      ),
    )
  const where = conditions.reduce((both, one) => sql`${both} and ${one}`)
  const [row] = await analytics.query(
    sql`
    select groupUniqArray(assumeNotNull(reference_example_id)) as ids
    from runs final
    where ${where} and reference_example_id is not null`,
    columns({ ids: list(string) }),
  )
  return new Set(row?.ids)
}

/** Stable: examples of equal scores keep their order. Examples without a score come last in both directions. */
async function sortByScore(
  deps: FindDeps,
  tenantId: string,
  wanted: ExampleSelection,
  { key, isDescending }: NonNullable<ExampleSelection['sort']>,
  ids: readonly string[],
): Promise<string[]> {
  const { sessionIds, exampleIds, comparativeExperimentId } = wanted
  const scores = { sessionIds, exampleIds, comparativeExperimentId, withOrdinary: true }
  const means = await readOverallMeans(deps, tenantId, scores, key)
  const direction = isDescending ? -1 : 1
  return [...ids].sort((one, other) => {
    const [left, right] = [means.get(one), means.get(other)]
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined)
    return (left < right ? -1 : left > right ? 1 : 0) * direction
  })
}

/**
 * Experiments over a dataset, in the requested order.
 *
 * @throws ApiError NOT_FOUND for an unknown dataset or experiment; INVALID_REQUEST for an experiment over another dataset
 */
export async function getExperiments(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  datasetId: string,
  ids: readonly string[],
): Promise<ProjectRow[]> {
  const { experiments, missingIds } = await selectExperiments(deps, tenantId, datasetId, ids)
  const [missing] = missingIds
  if (missing !== undefined) throw new ApiError('NOT_FOUND', `Session not found: ${missing}`)
  return experiments
}

interface FoundExperiments {
  /** In the requested order. */
  readonly experiments: ProjectRow[]
  /** Ids of experiments that do not exist, for example because they were deleted. */
  readonly missingIds: string[]
}

/**
 * The experiments of a comparison. It continues without those that were deleted.
 *
 * @param filters  by session: their sessions must exist, because an example must have a run in each of them
 * @throws ApiError NOT_FOUND for an unknown dataset, and when none of the experiments exists; INVALID_REQUEST for an
 *   experiment over another dataset
 */
export async function findExperiments(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  datasetId: string,
  ids: readonly string[],
  filters?: ExampleSelection['filters'],
): Promise<FoundExperiments> {
  const found = await selectExperiments(deps, tenantId, datasetId, [...new Set(ids)])
  if (found.experiments.length === 0) {
    throw new ApiError('NOT_FOUND', `Session not found: ${found.missingIds.join(', ')}`)
  }
  const filtered = Object.keys(filters ?? {})
  if (filtered.length > 0) await getExperiments(deps, tenantId, datasetId, filtered)
  return found
}

async function selectExperiments(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  datasetId: string,
  ids: readonly string[],
): Promise<FoundExperiments> {
  const [, rows] = await Promise.all([getDataset(deps, tenantId, datasetId), selectProjectsById(deps, tenantId, ids)])
  const experiments = ids.flatMap((id) => rows.get(id) ?? [])
  const other = experiments.find((row) => row.reference_dataset_id !== datasetId)
  if (other !== undefined) {
    throw new ApiError('INVALID_REQUEST', `The session ${other.id} is not an experiment over this dataset.`)
  }
  return { experiments, missingIds: ids.filter((id) => !rows.has(id)) }
}
