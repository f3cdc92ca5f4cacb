import { toStorable } from '@touchstone/contract'
import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, max, type SQL, sql } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import { toJsonb } from '../../storage/relational/filter.ts'
import { containsText } from '../../storage/relational/like.ts'
import { toRow } from '../../storage/relational/migrate.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type ProjectRow, projects } from '../../storage/relational/tables/projects.ts'
import { columns, number } from '../../storage/rows.ts'

/** Conditions of a list; absent fields have no effect. */
export interface ProjectFilter {
  readonly ids?: readonly string[] | undefined
  readonly name?: string | undefined
  readonly nameContains?: string | undefined
  readonly referenceDatasets?: readonly string[] | undefined
  readonly isReferenceFree?: boolean | undefined
  /** Contained in `extra.metadata`. */
  readonly metadata?: unknown
  /** Over the columns of `projects`. */
  readonly filter?: SQL | undefined
}

export interface Page {
  readonly orderBy: 'name' | 'start_time'
  readonly isDescending: boolean
  readonly offset: number
  readonly limit: number
}

/** @returns undefined when the name or id is taken */
export async function insertProject(db: Database, row: ProjectRow): Promise<ProjectRow | undefined> {
  const [inserted] = await db.insert(projects).values(row).onConflictDoNothing().returning()
  return inserted
}

export async function selectProject(db: Database, tenantId: string, id: string): Promise<ProjectRow | undefined> {
  const [row] = await db
    .select()
    .from(projects)
    .where(and(eq(projects.tenant_id, tenantId), eq(projects.id, id)))
  return row
}

export async function selectProjectByName(
  db: Database,
  tenantId: string,
  name: string,
): Promise<ProjectRow | undefined> {
  const [row] = await db.select().from(projects).where(whereName(tenantId, name))
  return row
}

export async function updateProject(
  db: Database,
  tenantId: string,
  id: string,
  changes: Partial<ProjectRow>,
): Promise<void> {
  await db
    .update(projects)
    .set(changes)
    .where(and(eq(projects.tenant_id, tenantId), eq(projects.id, id)))
}

/** Sets the start of a project unless it is earlier already. */
export async function moveStartBack(db: Database, tenantId: string, id: string, start: string): Promise<void> {
  await db
    .update(projects)
    .set({ start_time: start })
    .where(and(eq(projects.tenant_id, tenantId), eq(projects.id, id), gt(projects.start_time, start)))
}

/** Locks the row until the transaction ends, so that two merges into `extra` do not lose one. */
export async function selectProjectForUpdate(
  tx: Database,
  tenantId: string,
  id: string,
): Promise<ProjectRow | undefined> {
  const [row] = await tx
    .select()
    .from(projects)
    .where(and(eq(projects.tenant_id, tenantId), eq(projects.id, id)))
    .for('update')
  return row
}

export async function deleteProjectRows(db: Database, tenantId: string, ids: readonly string[]): Promise<void> {
  await db.delete(projects).where(and(eq(projects.tenant_id, tenantId), inArray(projects.id, [...ids])))
}

export function selectPage(db: Database, tenantId: string, filter: ProjectFilter, page: Page): Promise<ProjectRow[]> {
  const direction = page.isDescending ? desc : asc
  return db
    .select()
    .from(projects)
    .where(whereProjects(tenantId, filter))
    .orderBy(direction(projects[page.orderBy]), direction(projects.id))
    .offset(page.offset)
    .limit(page.limit)
}

export async function selectProjectIds(db: Database, tenantId: string, filter: ProjectFilter): Promise<string[]> {
  const rows = await db.select({ id: projects.id }).from(projects).where(whereProjects(tenantId, filter))
  return rows.map((row) => row.id)
}

export async function selectProjectNames(db: Database, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.select({ name: projects.name }).from(projects).where(whereProjects(tenantId, { ids }))
  return rows.map((row) => row.name).sort()
}

/** The number of a new experiment of a dataset. Call it in a transaction, which serializes concurrent experiments. */
export async function takeExperimentNumber(tx: Database, tenantId: string, datasetId: string): Promise<number> {
  const result = await tx.execute(sql`
    insert into experiment_numbers (tenant_id, dataset_id, last_number) values (${tenantId}, ${datasetId}, 1)
    on conflict (tenant_id, dataset_id) do update set last_number = experiment_numbers.last_number + 1
    returning last_number`)
  return toRow(result, columns({ last_number: number })).last_number
}

/** The dataset version that each experiment names, by project id; other projects are absent. */
export async function selectDatasetVersions(
  db: Database,
  tenantId: string,
  filter: ProjectFilter,
): Promise<Map<string, string>> {
  const version = sql<string | null>`${projects.metadata} ->> 'dataset_version'`
  const rows = await db
    .select({ id: projects.id, version })
    .from(projects)
    .where(and(whereProjects(tenantId, filter), sql`${version} is not null`))
  return new Map(rows.flatMap(({ id, version }) => (version === null ? [] : [[id, version] as const])))
}

function whereProjects(tenantId: string, filter: ProjectFilter): SQL | undefined {
  const { ids, name, nameContains, referenceDatasets, isReferenceFree, metadata, filter: condition } = filter
  return and(
    eq(projects.tenant_id, tenantId),
    condition,
    ids && inArray(projects.id, [...ids]),
    name === undefined ? undefined : whereName(tenantId, name),
    nameContains ? containsText(projects.name, nameContains) : undefined,
    referenceDatasets && inArray(projects.reference_dataset_id, [...referenceDatasets]),
    isReferenceFree === undefined ? undefined : (isReferenceFree ? isNull : isNotNull)(projects.reference_dataset_id),
    metadata === undefined ? undefined : sql`${projects.metadata} @> ${toJsonb(metadata)}`,
  )
}

/** Uses the index on the hash of the name. Stored names are repaired, so the name is too. */
function whereName(tenantId: string, wanted: string): SQL {
  const name = toStorable(wanted)
  return sql`${projects.tenant_id} = ${tenantId} and name_key = md5(${name}) and ${projects.name} = ${name}`
}

/** The number of experiments of each dataset and the start of the newest, to join with datasets. */
export function experimentsByDataset(db: Database, tenantId: string) {
  return db
    .select({
      dataset_id: projects.reference_dataset_id,
      session_count: count().as('session_count'),
      last_session_start_time: max(projects.start_time).as('last_session_start_time'),
      last_session_id:
        sql<string>`(array_agg(${projects.id} order by ${projects.start_time} desc, ${projects.id} desc))[1]`.as(
          'last_session_id',
        ),
    })
    .from(projects)
    .where(and(eq(projects.tenant_id, tenantId), isNotNull(projects.reference_dataset_id)))
    .groupBy(projects.reference_dataset_id)
    .as('experiments')
}

/** Turns the experiments of deleted datasets into plain projects. */
export async function detachExperiments(tx: Database, tenantId: string, datasetIds: readonly string[]): Promise<void> {
  await tx
    .update(projects)
    .set({ reference_dataset_id: null, test_run_number: null })
    .where(and(eq(projects.tenant_id, tenantId), inArray(projects.reference_dataset_id, [...datasetIds])))
}

type Rows = Pick<Deps, 'relational'>

export function findProject({ relational }: Rows, tenantId: string, id: string): Promise<ProjectRow | undefined> {
  return selectProject(relational.db, tenantId, id)
}

export function findProjectByName(
  { relational }: Rows,
  tenantId: string,
  name: string,
): Promise<ProjectRow | undefined> {
  return selectProjectByName(relational.db, tenantId, name)
}

/** Projects by id; unknown ids are omitted. */
export async function selectProjectsById(
  { relational }: Rows,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, ProjectRow>> {
  if (ids.length === 0) return new Map()
  const rows = await relational.db.select().from(projects).where(whereProjects(tenantId, { ids }))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Ids of the experiments of a dataset. */
export function selectExperimentIds({ relational }: Rows, tenantId: string, datasetId: string): Promise<string[]> {
  return selectProjectIds(relational.db, tenantId, { referenceDatasets: [datasetId] })
}

/** Number of all projects, and of those that are experiments. */
export async function countProjects(
  { relational }: Rows,
  tenantId: string,
): Promise<{ all: number; experiments: number }> {
  const [row] = await relational.db
    .select({ all: count(), experiments: count(projects.reference_dataset_id) })
    .from(projects)
    .where(eq(projects.tenant_id, tenantId))
  return row ?? { all: 0, experiments: 0 }
}
