import { and, asc, desc, eq, inArray, isNull } from 'drizzle-orm'
import { containsText } from '../../../storage/relational/like.ts'
import type { Database } from '../../../storage/relational/port.ts'
import { type FeedbackConfigRow, feedbackConfigs as table } from '../../../storage/relational/tables/feedback.ts'

/** A key has at most one live config of each kind, enforced or not. @returns the inserted rows */
export async function insertConfigs(db: Database, rows: readonly FeedbackConfigRow[]): Promise<FeedbackConfigRow[]> {
  if (rows.length === 0) return []
  return db
    .insert(table)
    .values([...rows])
    .onConflictDoNothing()
    .returning()
}

/** The effective config of each key; keys without one are omitted. */
export function selectConfigs(db: Database, tenantId: string, keys: readonly string[]): Promise<FeedbackConfigRow[]> {
  return db
    .selectDistinctOn([table.feedback_key])
    .from(table)
    .where(and(isLive(tenantId), inArray(table.feedback_key, [...keys])))
    .orderBy(table.feedback_key, ...EFFECTIVE_FIRST)
}

/** All live configs of a key, the effective one first, locked until the transaction ends. */
export function lockConfigs(tx: Database, tenantId: string, key: string): Promise<FeedbackConfigRow[]> {
  return tx
    .select()
    .from(table)
    .where(and(isLive(tenantId), eq(table.feedback_key, key)))
    .orderBy(...EFFECTIVE_FIRST)
    .for('update')
}

export async function lockConfig(tx: Database, tenantId: string, id: string): Promise<FeedbackConfigRow[]> {
  return tx
    .select()
    .from(table)
    .where(and(isLive(tenantId), eq(table.id, id)))
    .for('update')
}

interface ConfigPage {
  readonly keys: readonly string[] | undefined
  readonly nameContains: string | undefined
  readonly isEnforced: boolean | undefined
  readonly isDescending: boolean
  readonly offset: number
  readonly limit: number
}

/** The effective config of each requested key. */
export function selectConfigPage(db: Database, tenantId: string, page: ConfigPage): Promise<FeedbackConfigRow[]> {
  return db
    .selectDistinctOn([table.feedback_key])
    .from(table)
    .where(and(isLive(tenantId), matchesPage(page)))
    .orderBy((page.isDescending ? desc : asc)(table.feedback_key), ...EFFECTIVE_FIRST)
    .offset(page.offset)
    .limit(page.limit)
}

/** Every config, deleted ones last within their key. */
export function selectAllConfigs(db: Database, tenantId: string, page: ConfigPage): Promise<FeedbackConfigRow[]> {
  return db
    .select()
    .from(table)
    .where(and(eq(table.tenant_id, tenantId), matchesPage(page)))
    .orderBy((page.isDescending ? desc : asc)(table.feedback_key), desc(isNull(table.deleted_at)), ...EFFECTIVE_FIRST)
    .offset(page.offset)
    .limit(page.limit)
}

/** @returns the updated rows, without order */
export async function updateConfigs(
  db: Database,
  tenantId: string,
  ids: readonly string[],
  changes: Partial<FeedbackConfigRow>,
): Promise<FeedbackConfigRow[]> {
  return db
    .update(table)
    .set(changes)
    .where(and(isLive(tenantId), inArray(table.id, [...ids])))
    .returning()
}

const EFFECTIVE_FIRST = [desc(table.is_enforced), desc(table.is_first), desc(table.modified_at), desc(table.id)]

function matchesPage({ keys, nameContains, isEnforced }: ConfigPage) {
  return and(
    keys && inArray(table.feedback_key, [...keys]),
    nameContains ? containsText(table.feedback_key, nameContains) : undefined,
    isEnforced === undefined ? undefined : eq(table.is_enforced, isEnforced),
  )
}

function isLive(tenantId: string) {
  return and(eq(table.tenant_id, tenantId), isNull(table.deleted_at))
}
