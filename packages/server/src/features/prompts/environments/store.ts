import { eq } from 'drizzle-orm'
import type { Database } from '../../../storage/relational/port.ts'
import { type EnvironmentsRow, promptEnvironments } from '../../../storage/relational/tables/prompts.ts'

export async function selectEnvironments(db: Database, tenantId: string): Promise<EnvironmentsRow | undefined> {
  const [row] = await db.select().from(promptEnvironments).where(eq(promptEnvironments.tenant_id, tenantId))
  return row
}

/** @returns undefined when the workspace has set some already */
export async function insertEnvironments(db: Database, row: EnvironmentsRow): Promise<EnvironmentsRow | undefined> {
  const [inserted] = await db.insert(promptEnvironments).values(row).onConflictDoNothing().returning()
  return inserted
}

export async function upsertEnvironments(db: Database, row: EnvironmentsRow): Promise<void> {
  await db.insert(promptEnvironments).values(row).onConflictDoUpdate({ target: promptEnvironments.tenant_id, set: row })
}

export async function deleteEnvironments(db: Database, tenantId: string): Promise<void> {
  await db.delete(promptEnvironments).where(eq(promptEnvironments.tenant_id, tenantId))
}
