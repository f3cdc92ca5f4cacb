import { and, asc, count, desc, eq, gt, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import type { Database, Relational } from '../../storage/relational/port.ts'
import {
  bulkJobCosts,
  bulkJobExamples,
  bulkJobFailures,
  bulkJobs,
  type CostPageRow,
  type JobRow,
} from '../../storage/relational/tables/lifecycle.ts'

export async function insertJob(db: Database, row: typeof bulkJobs.$inferInsert): Promise<JobRow> {
  const [inserted] = await db.insert(bulkJobs).values(row).returning()
  if (inserted === undefined) throw new Error('The job was not inserted.')
  return inserted
}

export async function selectJob(db: Database, tenantId: string, id: string): Promise<JobRow | undefined> {
  const [row] = await db.select().from(bulkJobs).where(whereJob(tenantId, id))
  return row
}

export async function selectJobs(
  db: Database,
  tenantId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: JobRow[]; readonly total: number }> {
  const mine = eq(bulkJobs.tenant_id, tenantId)
  const [counted] = await db.select({ total: count() }).from(bulkJobs).where(mine)
  const rows = await db
    .select()
    .from(bulkJobs)
    .where(mine)
    .orderBy(desc(bulkJobs.created_at), desc(bulkJobs.id))
    .offset(offset)
    .limit(limit)
  return { rows, total: counted?.total ?? 0 }
}

/** @returns undefined when the job has ended or was cancelled */
export async function updateOpenJob(db: Database, id: string, change: Partial<JobRow>): Promise<JobRow | undefined> {
  const [row] = await db
    .update(bulkJobs)
    .set(change)
    .where(and(eq(bulkJobs.id, id), inArray(bulkJobs.status, ['waiting', 'running'])))
    .returning()
  return row
}

/** Marks a job as undone, or as one that can be undone again. @returns false when it is marked so already */
export async function markUndone(db: Database, tenantId: string, id: string, isUndone: boolean): Promise<boolean> {
  const rows = await db
    .update(bulkJobs)
    .set({ is_undone: isUndone })
    .where(and(whereJob(tenantId, id), eq(bulkJobs.is_undone, !isUndone)))
    .returning({ id: bulkJobs.id })
  return rows.length === 1
}

export interface Failure {
  readonly itemId: string
  readonly message: string
}

export async function insertFailures(db: Database, jobId: string, failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return
  await db
    .insert(bulkJobFailures)
    .values(failures.map(({ itemId, message }) => ({ job_id: jobId, item_id: itemId, message: message.slice(0, 500) })))
}

export function selectFailures(db: Database, jobId: string, limit: number) {
  return db
    .select({ item_id: bulkJobFailures.item_id, message: bulkJobFailures.message })
    .from(bulkJobFailures)
    .where(eq(bulkJobFailures.job_id, jobId))
    .orderBy(asc(bulkJobFailures.number))
    .limit(limit)
}

export async function insertExampleIds(db: Database, jobId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.insert(bulkJobExamples).values({ job_id: jobId, example_ids: [...ids] })
}

/** The next page of examples that a job created. */
export async function selectExampleIds(db: Database, jobId: string, after: number) {
  const [row] = await db
    .select()
    .from(bulkJobExamples)
    .where(and(eq(bulkJobExamples.job_id, jobId), gt(bulkJobExamples.number, after)))
    .orderBy(asc(bulkJobExamples.number))
    .limit(1)
  return row
}

export async function countExampleIds(db: Database, jobId: string): Promise<number> {
  const [row] = await db
    .select({ n: sql<number>`coalesce(sum(cardinality(${bulkJobExamples.example_ids})), 0)::int` })
    .from(bulkJobExamples)
    .where(eq(bulkJobExamples.job_id, jobId))
  return row?.n ?? 0
}

/** The page of changed costs that begins at a cursor. */
export async function selectCostPage(db: Database, jobId: string, position: string): Promise<CostPageRow | undefined> {
  const [row] = await db
    .select()
    .from(bulkJobCosts)
    .where(and(eq(bulkJobCosts.job_id, jobId), eq(bulkJobCosts.position, position)))
  return row
}

/** The next page of changed costs that has any. */
export async function selectCostPageAfter(
  db: Database,
  jobId: string,
  after: number,
): Promise<CostPageRow | undefined> {
  const [row] = await db
    .select()
    .from(bulkJobCosts)
    .where(and(eq(bulkJobCosts.job_id, jobId), gt(bulkJobCosts.number, after), gt(bulkJobCosts.changed, 0)))
    .orderBy(asc(bulkJobCosts.number))
    .limit(1)
  return row
}

/** @returns undefined when the job has ended or was cancelled */
export function insertCostPage(
  relational: Relational,
  row: typeof bulkJobCosts.$inferInsert,
): Promise<CostPageRow | undefined> {
  return relational.transaction(async (tx) => {
    const isOpen = and(eq(bulkJobs.id, row.job_id), inArray(bulkJobs.status, ['waiting', 'running']))
    const [open] = await tx.select({ id: bulkJobs.id }).from(bulkJobs).where(isOpen).for('update')
    if (open === undefined) return undefined
    await tx.insert(bulkJobCosts).values(row).onConflictDoNothing()
    return selectCostPage(tx, row.job_id, row.position)
  })
}

/** What a job changed so far; a cost is null while none is known. */
export async function sumCosts(db: Database, jobId: string) {
  const [row] = await db
    .select({
      changed: sql<number>`coalesce(sum(${bulkJobCosts.changed}), 0)::int`,
      before: sql<string | null>`trim_scale(sum(${bulkJobCosts.cost_before}))::text`,
      after: sql<string | null>`trim_scale(sum(${bulkJobCosts.cost_after}))::text`,
    })
    .from(bulkJobCosts)
    .where(eq(bulkJobCosts.job_id, jobId))
  return row ?? { changed: 0, before: null, after: null }
}

/** Whether a job of the workspace changes costs. Jobs are started one after the other: call it in their transaction. */
export async function hasOpenCostJob(tx: Database, tenantId: string): Promise<boolean> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`costs ${tenantId}`}, 0))`)
  const [row] = await tx
    .select({ id: bulkJobs.id })
    .from(bulkJobs)
    .where(
      and(
        eq(bulkJobs.tenant_id, tenantId),
        inArray(bulkJobs.action, ['reprice', 'restore_costs']),
        inArray(bulkJobs.status, ['waiting', 'running']),
      ),
    )
    .limit(1)
  return row !== undefined
}

/** Exports of all workspaces whose files are due for removal. */
export function selectOldExports(db: Database, endedBefore: string): Promise<JobRow[]> {
  return db
    .select()
    .from(bulkJobs)
    .where(and(eq(bulkJobs.action, 'export'), isNotNull(bulkJobs.bytes), lt(bulkJobs.ended_at, endedBefore)))
}

export async function clearFileSize(db: Database, id: string): Promise<void> {
  await db.update(bulkJobs).set({ bytes: null }).where(eq(bulkJobs.id, id))
}

/** Deletes old jobs of all workspaces. */
export async function deleteJobsBefore(db: Database, endedBefore: string): Promise<void> {
  await db.delete(bulkJobs).where(lt(bulkJobs.ended_at, endedBefore))
}

const whereJob = (tenantId: string, id: string) => and(eq(bulkJobs.tenant_id, tenantId), eq(bulkJobs.id, id))
