import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Database } from '../../../storage/relational/port.ts'
import { type RunShareRow, runShares } from '../../../storage/relational/tables/sharing.ts'

/** @returns undefined when the run is shared already or the token is taken */
export async function insertShare(db: Database, row: RunShareRow): Promise<RunShareRow | undefined> {
  const [inserted] = await db.insert(runShares).values(row).onConflictDoNothing().returning()
  return inserted
}

/** Across workspaces: a public reader brings nothing but the token. */
export async function selectByToken(db: Database, token: string): Promise<RunShareRow | undefined> {
  const [row] = await db.select().from(runShares).where(eq(runShares.share_token, token))
  return row
}

export function selectByRuns(db: Database, tenantId: string, runIds: readonly string[]): Promise<RunShareRow[]> {
  return db.select().from(runShares).where(ofRuns(tenantId, runIds))
}

/** Every share of a workspace, newest first. */
export function selectShares(db: Database, tenantId: string): Promise<RunShareRow[]> {
  return db
    .select()
    .from(runShares)
    .where(eq(runShares.tenant_id, tenantId))
    .orderBy(desc(runShares.created_at), desc(runShares.run_id))
}

/** Traces of a project of which a run is shared. */
export async function selectSharedTraces(db: Database, tenantId: string, projectId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: runShares.trace_id })
    .from(runShares)
    .where(and(eq(runShares.tenant_id, tenantId), eq(runShares.session_id, projectId)))
  return rows.map(({ id }) => id)
}

export async function revokeRuns(db: Database, tenantId: string, runIds: readonly string[]): Promise<void> {
  await db.delete(runShares).where(ofRuns(tenantId, runIds))
}

/** @returns how many tokens there were */
export async function revokeProjects(db: Database, tenantId: string, projectIds: readonly string[]): Promise<number> {
  const ofProjects = inArray(runShares.session_id, [...projectIds])
  const mine = and(eq(runShares.tenant_id, tenantId), ofProjects)
  return (await db.delete(runShares).where(mine).returning({ run_id: runShares.run_id })).length
}

export async function revokeTokens(db: Database, tenantId: string, tokens: readonly string[]): Promise<void> {
  const ofTokens = inArray(runShares.share_token, [...tokens])
  await db.delete(runShares).where(and(eq(runShares.tenant_id, tenantId), ofTokens))
}

export async function revokeAll(db: Database, tenantId: string): Promise<void> {
  await db.delete(runShares).where(eq(runShares.tenant_id, tenantId))
}

function ofRuns(tenantId: string, runIds: readonly string[]) {
  return and(eq(runShares.tenant_id, tenantId), inArray(runShares.run_id, [...runIds]))
}
