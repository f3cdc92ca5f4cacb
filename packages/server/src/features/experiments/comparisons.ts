import {
  ApiError,
  type ComparativeExperiment,
  type ComparativeExperimentCreate,
  type ComparativeExperimentListQuery,
  type ComparativeStat,
  contract,
  timeOfEpochMs,
} from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { addRawMembers, printObject } from '@touchstone/formats/write-object'
import { and, asc, desc, eq, inArray } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import { sql, uuid } from '../../storage/analytics/sql.ts'
import { containsText } from '../../storage/relational/like.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type ComparativeRow, comparativeExperiments as table } from '../../storage/relational/tables/datasets.ts'
import { getDataset } from '../datasets/index.ts'
import { deleteFeedbackWhere, readComparativeStats } from '../feedback/index.ts'
import { type ProjectRow, selectProjectsById } from '../projects/index.ts'

type ComparativeDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>

export function comparativeExperimentRoutes(app: App, deps: ComparativeDeps): void {
  const { comparativeExperiments: routes } = contract

  serve(app, routes.create, async ({ caller, body, bodyText }) => {
    const extra = body.extra ? splitMembers(bodyText).get('extra') : undefined
    return new RawJson(presentComparison(await createComparison(deps, caller.tenantId, body, extra)))
  })

  serve(app, routes.list, async ({ caller, params, query }) => {
    const found = await listComparisons(deps, caller.tenantId, params.dataset_id, query)
    return new RawJson(`[${found.join(',')}]`)
  })

  serve(app, routes.delete, async ({ caller, params: { comparative_experiment_id: id } }) => {
    if (!(await deleteComparison(deps.relational.db, caller.tenantId, id))) {
      throw new ApiError('NOT_FOUND', 'Comparative experiment not found')
    }
    await deleteFeedbackWhere(deps, caller.tenantId, sql`comparative_experiment_id = ${uuid(id)}`)
    return new RawJson('null')
  })
}

type CreateDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/**
 * Creates a comparison of experiments over one dataset.
 *
 * @param extraText  raw JSON of `extra`
 * @throws ApiError NOT_FOUND for an unknown experiment or dataset, INVALID_REQUEST for experiments over different datasets,
 *   CONFLICT when the id is taken
 */
export async function createComparison(
  deps: CreateDeps,
  tenantId: string,
  body: ComparativeExperimentCreate,
  extraText: string | undefined,
): Promise<ComparativeRow> {
  const experimentIds = [...new Set(body.experiment_ids)]
  const now = timeOfEpochMs(deps.clock())
  const row = {
    id: body.id ?? deps.ids(),
    tenant_id: tenantId,
    reference_dataset_id: await getCommonDatasetId(deps, tenantId, experimentIds, body.reference_dataset_id),
    experiment_ids: experimentIds,
    name: body.name ?? null,
    description: body.description ?? null,
    extra: extraText ?? null,
    created_at: body.created_at ?? now,
    modified_at: body.modified_at ?? body.created_at ?? now,
  }
  if (await insertComparison(deps.relational.db, row)) return row
  throw new ApiError('CONFLICT', 'A comparative experiment of this id already exists.')
}

async function getCommonDatasetId(
  deps: CreateDeps,
  tenantId: string,
  experimentIds: readonly string[],
  given: string | null | undefined,
): Promise<string> {
  const projects = await selectProjectsById(deps, tenantId, experimentIds)
  const experiments = experimentIds.map((id) => {
    const project = projects.get(id)
    if (project === undefined) throw new ApiError('NOT_FOUND', `Session not found: ${id}`)
    return project
  })
  const datasetId = given ?? experiments[0]?.reference_dataset_id
  if (datasetId == null) throw new ApiError('INVALID_REQUEST', 'The sessions have no reference dataset.')
  const { id } = await getDataset(deps, tenantId, datasetId)
  const foreign = experiments.find((experiment) => experiment.reference_dataset_id !== id)
  if (foreign === undefined) return id
  throw new ApiError('INVALID_REQUEST', `The session ${foreign.id} is not an experiment over the dataset ${id}.`)
}

/** @returns false when the id is taken */
async function insertComparison(db: Database, row: ComparativeRow): Promise<boolean> {
  const inserted = await db.insert(table).values(row).onConflictDoNothing().returning({ id: table.id })
  return inserted.length > 0
}

export function selectComparisons(
  db: Database,
  tenantId: string,
  datasetId: string,
  query: ComparativeExperimentListQuery,
): Promise<ComparativeRow[]> {
  const { id, name, name_contains: part, sort_by, sort_by_desc, offset, limit } = query
  const direction = sort_by_desc ? desc : asc
  return db
    .select()
    .from(table)
    .where(
      and(
        eq(table.tenant_id, tenantId),
        eq(table.reference_dataset_id, datasetId),
        id && inArray(table.id, [...id]),
        name === undefined ? undefined : eq(table.name, name),
        part ? containsText(table.name, part) : undefined,
      ),
    )
    .orderBy(direction(table[sort_by]), direction(table.id))
    .offset(offset)
    .limit(limit)
}

/** @returns false when it does not exist */
export async function deleteComparison(db: Database, tenantId: string, id: string): Promise<boolean> {
  const deleted = await db
    .delete(table)
    .where(and(eq(table.tenant_id, tenantId), eq(table.id, id)))
    .returning({ id: table.id })
  return deleted.length > 0
}

type ListDeps = Pick<Deps, 'relational' | 'analytics'>

/** Key → experiment → figures. */
type StatsByExperiment = ReadonlyMap<string, ReadonlyMap<string, ComparativeStat>>

/** A page of the comparisons over a dataset, as JSON texts. @throws ApiError NOT_FOUND */
export async function listComparisons(
  deps: ListDeps,
  tenantId: string,
  datasetId: string,
  query: ComparativeExperimentListQuery,
): Promise<string[]> {
  await getDataset(deps, tenantId, datasetId)
  const rows = await selectComparisons(deps.relational.db, tenantId, datasetId, query)
  const experimentIds = [...new Set(rows.flatMap((row) => row.experiment_ids))]
  const [experiments, stats] = await Promise.all([
    selectProjectsById(deps, tenantId, experimentIds),
    readComparativeStats(
      deps,
      tenantId,
      rows.map((row) => row.id),
    ),
  ])
  return rows.map((row) => presentListed(row, experiments, stats.get(row.id)))
}

/** A comparison as JSON text; `extra` keeps its raw JSON. */
export function presentComparison(row: ComparativeRow): string {
  const comparison: Omit<ComparativeExperiment, 'extra'> = {
    id: row.id,
    name: row.name,
    description: row.description,
    tenant_id: row.tenant_id,
    reference_dataset_id: row.reference_dataset_id,
    created_at: row.created_at,
    modified_at: row.modified_at,
  }
  return addRawMembers(comparison, { extra: row.extra })
}

/** A comparison with its experiments and the feedback on each. */
function presentListed(
  row: ComparativeRow,
  experiments: ReadonlyMap<string, ProjectRow>,
  stats: StatsByExperiment = new Map(),
): string {
  const info = row.experiment_ids.flatMap((id) => {
    const experiment = experiments.get(id)
    return experiment === undefined ? [] : [{ id, name: experiment.name }]
  })
  // `printObject` also prints the key `__proto__`.
  const feedback = printObject(Array.from(stats, ([key, byExperiment]) => [key, presentStats(byExperiment)] as const))
  return addRawMembers(presentComparison(row), { experiments_info: JSON.stringify(info), feedback_stats: feedback })
}

function presentStats(byExperiment: ReadonlyMap<string, ComparativeStat>): string {
  return JSON.stringify(Object.fromEntries(byExperiment))
}
