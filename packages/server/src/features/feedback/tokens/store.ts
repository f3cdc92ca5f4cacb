import { and, desc, eq, gt, lt } from 'drizzle-orm'
import type { Database } from '../../../storage/relational/port.ts'
import { type FeedbackTokenRow, feedbackTokens as table } from '../../../storage/relational/tables/feedback.ts'

export async function insertTokens(db: Database, rows: readonly FeedbackTokenRow[]): Promise<void> {
  if (rows.length > 0) await db.insert(table).values([...rows])
}

/** Selects a token, also an expired one. */
export async function selectToken(db: Database, token: string): Promise<FeedbackTokenRow | undefined> {
  const [row] = await db.select().from(table).where(eq(table.token, token))
  return row
}

/** Tokens of a run that are valid at a time, newest first. */
export function selectTokens(
  db: Database,
  tenantId: string,
  page: { readonly runId: string; readonly now: string; readonly offset: number; readonly limit: number },
): Promise<FeedbackTokenRow[]> {
  return db
    .select()
    .from(table)
    .where(and(eq(table.tenant_id, tenantId), eq(table.run_id, page.runId), gt(table.expires_at, page.now)))
    .orderBy(desc(table.created_at), desc(table.token))
    .offset(page.offset)
    .limit(page.limit)
}

export async function deleteToken(db: Database, tenantId: string, token: string): Promise<boolean> {
  const gone = await db
    .delete(table)
    .where(and(eq(table.tenant_id, tenantId), eq(table.token, token)))
    .returning({ token: table.token })
  return gone.length > 0
}

export async function deleteTokensExpiredBefore(db: Database, time: string): Promise<void> {
  await db.delete(table).where(lt(table.expires_at, time))
}
