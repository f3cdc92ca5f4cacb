import type { ComparativeExperimentListQuery } from '@touchstone/contract'
import { and, asc, desc, eq, inArray } from 'drizzle-orm'
import { containsText } from '../../../storage/relational/like.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type ComparativeRow, comparativeExperiments as table } from '../../../storage/relational/tables/experiments.ts'

/** @returns false when the id is taken */
export async function insertComparison(db: Database, row: ComparativeRow): Promise<boolean> {
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

/** @returns false when there is none */
export async function deleteComparison(db: Database, tenantId: string, id: string): Promise<boolean> {
  const deleted = await db
    .delete(table)
    .where(and(eq(table.tenant_id, tenantId), eq(table.id, id)))
    .returning({ id: table.id })
  return deleted.length > 0
}
