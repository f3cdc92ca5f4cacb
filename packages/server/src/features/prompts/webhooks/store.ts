import { and, count, desc, eq, lt } from 'drizzle-orm'
import type { Database } from '../../../storage/relational/port.ts'
import {
  type DeliveryRow,
  promptWebhookDeliveries as deliveries,
  type WebhookRow,
  promptWebhooks as webhooks,
} from '../../../storage/relational/tables/prompts.ts'

export function selectWebhooks(db: Database, tenantId: string): Promise<WebhookRow[]> {
  return db
    .select()
    .from(webhooks)
    .where(eq(webhooks.tenant_id, tenantId))
    .orderBy(desc(webhooks.created_at), desc(webhooks.id))
}

export async function selectWebhook(db: Database, tenantId: string, id: string): Promise<WebhookRow | undefined> {
  const [row] = await db.select().from(webhooks).where(matchesWebhook(tenantId, id))
  return row
}

/** Locks the row until the transaction ends. */
export async function selectWebhookForChange(tx: Database, tenantId: string, id: string) {
  const [row] = await tx.select().from(webhooks).where(matchesWebhook(tenantId, id)).for('update')
  return row
}

/** @returns false when the id is taken */
export async function insertWebhook(db: Database, row: WebhookRow): Promise<boolean> {
  const inserted = await db.insert(webhooks).values(row).onConflictDoNothing().returning({ id: webhooks.id })
  return inserted.length === 1
}

export async function updateWebhook(db: Database, tenantId: string, id: string, change: Partial<WebhookRow>) {
  const [row] = await db.update(webhooks).set(change).where(matchesWebhook(tenantId, id)).returning()
  return row
}

export async function deleteWebhook(db: Database, tenantId: string, id: string): Promise<boolean> {
  return (await db.delete(webhooks).where(matchesWebhook(tenantId, id)).returning({ id: webhooks.id })).length === 1
}

export async function insertDelivery(db: Database, row: typeof deliveries.$inferInsert): Promise<void> {
  await db.insert(deliveries).values(row)
}

export async function selectDelivery(db: Database, id: string) {
  const [row] = await db
    .select({ delivery: deliveries, webhook: webhooks })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhook_id))
    .where(eq(deliveries.id, id))
  return row
}

export async function updateDelivery(db: Database, id: string, change: Partial<DeliveryRow>): Promise<void> {
  await db.update(deliveries).set(change).where(eq(deliveries.id, id))
}

export async function selectDeliveries(
  db: Database,
  { id, tenant_id }: WebhookRow,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: DeliveryRow[]; readonly total: number }> {
  const ofWebhook = and(eq(deliveries.tenant_id, tenant_id), eq(deliveries.webhook_id, id))
  const [counted] = await db.select({ total: count() }).from(deliveries).where(ofWebhook)
  const rows = await db
    .select()
    .from(deliveries)
    .where(ofWebhook)
    .orderBy(desc(deliveries.created_at), desc(deliveries.id))
    .offset(offset)
    .limit(limit)
  return { rows, total: counted?.total ?? 0 }
}

/** Deletes the old deliveries of all workspaces. */
export async function deleteDeliveriesBefore(db: Database, time: string): Promise<void> {
  await db.delete(deliveries).where(lt(deliveries.created_at, time))
}

const matchesWebhook = (tenantId: string, id: string) => and(eq(webhooks.tenant_id, tenantId), eq(webhooks.id, id))
