import { toStorable } from '@touchstone/contract'
import { and, count, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { toJsonb } from '../../storage/relational/filter.ts'
import { containsText } from '../../storage/relational/like.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type DatasetRow, datasets } from '../../storage/relational/tables/datasets.ts'
import { experimentsByDataset } from '../projects/index.ts'

/** A dataset with the statistics of its experiments. */
export interface DatasetView {
  readonly row: DatasetRow
  readonly sessionCount: number
  readonly lastSessionStartTime: string | null
  readonly lastSessionId: string | null
}

/** A dataset without experiments. */
export function toNewDatasetView(row: DatasetRow): DatasetView {
  return { row, sessionCount: 0, lastSessionStartTime: null, lastSessionId: null }
}

/** Conditions of a list; absent fields have no effect. */
export interface DatasetFilter {
  readonly ids?: readonly string[] | undefined
  readonly name?: string | undefined
  readonly nameContains?: string | undefined
  readonly dataTypes?: readonly string[] | undefined
  /** Contained in the metadata. */
  readonly metadata?: unknown
}

export interface DatasetPage {
  readonly orderBy: DatasetSort
  readonly isDescending: boolean
  readonly offset: number
  readonly limit: number
}

export type DatasetSort =
  | 'name'
  | 'created_at'
  | 'last_session_start_time'
  | 'example_count'
  | 'session_count'
  | 'modified_at'

/** @returns undefined when its name or id is taken */
export async function insertDataset(db: Database, row: typeof datasets.$inferInsert): Promise<DatasetRow | undefined> {
  const [inserted] = await db.insert(datasets).values(row).onConflictDoNothing().returning()
  return inserted
}

export async function selectDataset(db: Database, tenantId: string, id: string): Promise<DatasetRow | undefined> {
  const [row] = await db.select().from(datasets).where(matchesId(tenantId, id))
  return row
}

/** Locks the row until the transaction ends, so that changes of one dataset run one after the other. */
export async function selectDatasetForUpdate(
  tx: Database,
  tenantId: string,
  id: string,
): Promise<DatasetRow | undefined> {
  const [row] = await tx.select().from(datasets).where(matchesId(tenantId, id)).for('update')
  return row
}

export async function selectDatasetByName(
  db: Database,
  tenantId: string,
  name: string,
): Promise<DatasetRow | undefined> {
  const [row] = await db.select().from(datasets).where(matchesName(tenantId, name))
  return row
}

/** Datasets by ids; unknown ids are left out. */
export function selectDatasetsByIds(db: Database, tenantId: string, ids: readonly string[]): Promise<DatasetRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return db.select().from(datasets).where(matchesFilter(tenantId, { ids }))
}

/** Locks datasets until the transaction ends, always in the same order; unknown ids are left out. */
export async function lockDatasets(tx: Database, tenantId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .select({ id: datasets.id })
    .from(datasets)
    .where(matchesFilter(tenantId, { ids }))
    .orderBy(datasets.id)
    .for('update')
  return new Set(rows.map((row) => row.id))
}

export async function updateDataset(
  db: Database,
  tenantId: string,
  id: string,
  changes: Partial<typeof datasets.$inferInsert>,
): Promise<void> {
  await db.update(datasets).set(changes).where(matchesId(tenantId, id))
}

export async function deleteDatasetRows(tx: Database, tenantId: string, ids: readonly string[]): Promise<void> {
  const list = sql`(${sql.join(
    ids.map((id) => sql`${id}::uuid`),
    sql`, `,
  )})`
  await tx.execute(sql`delete from example_states where tenant_id = ${tenantId} and dataset_id in ${list}`)
  await tx.execute(sql`delete from examples where tenant_id = ${tenantId} and dataset_id in ${list}`)
  await tx.delete(datasets).where(and(eq(datasets.tenant_id, tenantId), inArray(datasets.id, [...ids])))
}

export async function selectDatasetPage(
  db: Database,
  tenantId: string,
  filter: DatasetFilter,
  page: DatasetPage,
): Promise<DatasetView[]> {
  const experiments = experimentsByDataset(db, tenantId)
  const sessionCount = sql<number>`coalesce(${experiments.session_count}, 0)::int`
  const sortedBy = {
    name: sql`${datasets.name}`,
    created_at: sql`${datasets.created_at}`,
    modified_at: sql`${datasets.modified_at}`,
    example_count: sql`${datasets.example_count}`,
    session_count: sessionCount,
    last_session_start_time: sql`${experiments.last_session_start_time}`,
  }[page.orderBy]
  const rows = await db
    .select({
      row: datasets,
      sessionCount,
      lastSessionStartTime: experiments.last_session_start_time,
      lastSessionId: experiments.last_session_id,
    })
    .from(datasets)
    .leftJoin(experiments, eq(experiments.dataset_id, datasets.id))
    .where(matchesFilter(tenantId, filter))
    .orderBy(
      page.isDescending ? sql`${sortedBy} desc nulls last` : sql`${sortedBy} asc nulls last`,
      desc(datasets.created_at),
      datasets.id,
    )
    .offset(page.offset)
    .limit(page.limit)
  return rows.map(({ row, ...figures }) => ({ row, ...figures, sessionCount: Number(figures.sessionCount) }))
}

export async function selectDatasetView(db: Database, tenantId: string, id: string): Promise<DatasetView | undefined> {
  const page = { orderBy: 'created_at', isDescending: true, offset: 0, limit: 1 } as const
  const [view] = await selectDatasetPage(db, tenantId, { ids: [id] }, page)
  return view
}

export async function countDatasetRows(db: Database, tenantId: string): Promise<number> {
  const [row] = await db.select({ n: count() }).from(datasets).where(eq(datasets.tenant_id, tenantId))
  return row?.n ?? 0
}

function matchesFilter(tenantId: string, filter: DatasetFilter): SQL | undefined {
  const { ids, name, nameContains, dataTypes, metadata } = filter
  return and(
    eq(datasets.tenant_id, tenantId),
    ids && inArray(datasets.id, [...ids]),
    name === undefined ? undefined : matchesName(tenantId, name),
    nameContains ? containsText(datasets.name, nameContains) : undefined,
    dataTypes && inArray(datasets.data_type, [...dataTypes]),
    metadata === undefined ? undefined : sql`${datasets.metadata_index} @> ${toJsonb(metadata)}`,
  )
}

const matchesId = (tenantId: string, id: string) => and(eq(datasets.tenant_id, tenantId), eq(datasets.id, id))

/** The index is on the hash of the name. Stored names are repaired, so the name is too. */
function matchesName(tenantId: string, wanted: string): SQL {
  const name = toStorable(wanted)
  return sql`${datasets.tenant_id} = ${tenantId} and name_key = md5(${name}) and ${datasets.name} = ${name}`
}
