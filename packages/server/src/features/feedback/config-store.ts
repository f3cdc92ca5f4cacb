import { and, asc, desc, eq, inArray, isNotNull, isNull } from 'drizzle-orm'
import { containsText } from '../../storage/relational/contains-text.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type FeedbackConfigRow, feedbackConfigs as table } from './tables.ts'

/** Inserts configs whose keys have none, or a deleted one; others stay as they are. */
export async function insertNewConfigs(db: Database, rows: readonly FeedbackConfigRow[]): Promise<void> {
  for (const row of rows) {
    await db
      .insert(table)
      .values(row)
      .onConflictDoUpdate({
        target: [table.tenant_id, table.feedback_key],
        set: row,
        setWhere: isNotNull(table.deleted_at),
      })
  }
}

export function selectConfigs(db: Database, tenantId: string, keys: readonly string[]): Promise<FeedbackConfigRow[]> {
  return db
    .select()
    .from(table)
    .where(and(alive(tenantId), inArray(table.feedback_key, [...keys])))
}

export function selectConfigPage(
  db: Database,
  tenantId: string,
  page: {
    readonly keys: readonly string[] | undefined
    readonly nameContains: string | undefined
    readonly isDescending: boolean
    readonly offset: number
    readonly limit: number
  },
): Promise<FeedbackConfigRow[]> {
  const { keys, nameContains } = page
  return db
    .select()
    .from(table)
    .where(
      and(
        alive(tenantId),
        keys && inArray(table.feedback_key, [...keys]),
        nameContains ? containsText(table.feedback_key, nameContains) : undefined,
      ),
    )
    .orderBy((page.isDescending ? desc : asc)(table.feedback_key))
    .offset(page.offset)
    .limit(page.limit)
}

/** @returns undefined when the key has no config */
export async function changeConfig(
  db: Database,
  tenantId: string,
  key: string,
  changes: Partial<FeedbackConfigRow>,
): Promise<FeedbackConfigRow | undefined> {
  const [row] = await db
    .update(table)
    .set(changes)
    .where(and(alive(tenantId), eq(table.feedback_key, key)))
    .returning()
  return row
}

function alive(tenantId: string) {
  return and(eq(table.tenant_id, tenantId), isNull(table.deleted_at))
}
