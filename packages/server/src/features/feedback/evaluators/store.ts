import type { EvaluatorListQuery } from '@touchstone/contract'
import { and, asc, count, desc, eq, inArray, or, sql } from 'drizzle-orm'
import { toJsonb } from '../../../storage/relational/filter.ts'
import { containsText } from '../../../storage/relational/like.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type EvaluatorRow, evaluators } from '../../../storage/relational/tables/feedback.ts'

export async function insertEvaluator(db: Database, row: EvaluatorRow): Promise<void> {
  await db.insert(evaluators).values(row)
}

export async function selectEvaluator(db: Database, tenantId: string, id: string): Promise<EvaluatorRow | undefined> {
  const [row] = await db.select().from(evaluators).where(isOne(tenantId, id))
  return row
}

/** The same, locked until the transaction ends, so that two changes of its definition do not lose one. */
export async function lockEvaluator(tx: Database, tenantId: string, id: string): Promise<EvaluatorRow | undefined> {
  const [row] = await tx.select().from(evaluators).where(isOne(tenantId, id)).for('update')
  return row
}

export async function updateEvaluator(db: Database, row: EvaluatorRow): Promise<void> {
  await db.update(evaluators).set(row).where(isOne(row.tenant_id, row.id))
}

/** @returns ids of those that were there */
export async function deleteEvaluators(db: Database, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const gone = await db
    .delete(evaluators)
    .where(and(eq(evaluators.tenant_id, tenantId), inArray(evaluators.id, [...ids])))
    .returning({ id: evaluators.id })
  return gone.map(({ id }) => id)
}

export interface EvaluatorFilter extends Pick<EvaluatorListQuery, 'type' | 'name_contains'> {
  /** What the metadata contains. */
  readonly metadata: unknown
}

export async function selectEvaluators(
  db: Database,
  tenantId: string,
  filter: EvaluatorFilter,
  { sort_by, sort_by_desc, offset, limit }: EvaluatorListQuery,
): Promise<{ readonly rows: EvaluatorRow[]; readonly total: number }> {
  const where = isWanted(tenantId, filter)
  const order = sort_by_desc ? desc : asc
  const rows = await db
    .select()
    .from(evaluators)
    .where(where)
    .orderBy(order(evaluators[sort_by]), order(evaluators.id))
    .offset(offset)
    .limit(limit)
  const [counted] = await db.select({ total: count() }).from(evaluators).where(where)
  return { rows, total: counted!.total }
}

function isWanted(tenantId: string, { type, name_contains: text, metadata }: EvaluatorFilter) {
  return and(
    eq(evaluators.tenant_id, tenantId),
    type && eq(evaluators.type, type),
    text ? or(containsText(evaluators.name, text), containsText(evaluators.created_by, text)) : undefined,
    metadata === undefined ? undefined : sql`${evaluators.metadata_index} @> ${toJsonb(metadata)}`,
  )
}

function isOne(tenantId: string, id: string) {
  return and(eq(evaluators.tenant_id, tenantId), eq(evaluators.id, id))
}
