import type { DeliveryStatus } from '@touchstone/contract'
import { and, asc, count, desc, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm'
import { isAnyOf } from '../../storage/relational/columns.ts'
import type { Database } from '../../storage/relational/port.ts'
import {
  type ChannelRow,
  notificationChannels as channels,
  notificationDeliveries as deliveries,
  type NotificationDeliveryRow,
} from '../../storage/relational/tables/notifications.ts'

const matches = (tenantId: string, id: string) => and(eq(channels.tenant_id, tenantId), eq(channels.id, id))

export function selectChannels(db: Database, tenantId: string): Promise<ChannelRow[]> {
  return db
    .select()
    .from(channels)
    .where(eq(channels.tenant_id, tenantId))
    .orderBy(asc(sql`lower(${channels.name})`), asc(channels.id))
}

export async function selectChannel(db: Database, tenantId: string, id: string): Promise<ChannelRow | undefined> {
  const [row] = await db.select().from(channels).where(matches(tenantId, id))
  return row
}

/** The channels among these ids, by id. */
export async function selectChannelMap(
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ChannelRow>> {
  const rows = await db
    .select()
    .from(channels)
    .where(and(eq(channels.tenant_id, tenantId), isAnyOf(channels.id, ids)))
  return new Map(rows.map((row) => [row.id, row]))
}

/** One change of a workspace's channels at a time, so that names stay unique and their number limited. */
export async function lockChannels(tx: Database, tenantId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`notification channels ${tenantId}`}, 0))`)
}

export async function insertChannel(db: Database, row: ChannelRow): Promise<void> {
  await db.insert(channels).values(row)
}

export async function updateChannel(db: Database, tenantId: string, id: string, change: Partial<ChannelRow>) {
  const [row] = await db.update(channels).set(change).where(matches(tenantId, id)).returning()
  return row
}

/** Deletes a channel with its deliveries. @returns false when there is none */
export async function deleteChannelRow(tx: Database, tenantId: string, id: string): Promise<boolean> {
  const deleted = await tx.delete(channels).where(matches(tenantId, id)).returning({ id: channels.id })
  if (deleted.length === 0) return false
  await tx.delete(deliveries).where(ofChannel(tenantId, id))
  return true
}

/** Channels of all workspaces; for server administrators. */
export function selectAllChannels(db: Database): Promise<ChannelRow[]> {
  return db.select().from(channels).orderBy(asc(channels.id))
}

/** Deletes channels that belong to something else, with their deliveries. */
export async function removeChannels(tx: Database, tenantId: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) await deleteChannelRow(tx, tenantId, id)
}

/** Notes a success of a channel. */
export async function noteSuccess(db: Database, tenantId: string, id: string, now: string): Promise<void> {
  await db.update(channels).set({ last_success_at: now, failing_since: null }).where(matches(tenantId, id))
}

/** Notes a failure of a channel. @returns the channel after it; undefined when it is gone */
export async function noteFailure(
  db: Database,
  tenantId: string,
  id: string,
  { now, error }: { readonly now: string; readonly error: string },
): Promise<ChannelRow | undefined> {
  return updateChannel(db, tenantId, id, {
    last_failure_at: now,
    last_failure: error,
    failing_since: sql`coalesce(${channels.failing_since}, ${now}::timestamptz)` as never,
  })
}

/** Turns off a channel that was not changed since it was read. */
export async function disableUnchanged(db: Database, { tenant_id, id, modified_at }: ChannelRow, reason: string) {
  await db
    .update(channels)
    .set({ state: 'disabled', state_reason: reason })
    .where(and(matches(tenant_id, id), eq(channels.modified_at, modified_at)))
}

const ofChannel = (tenantId: string, id: string) =>
  and(eq(deliveries.tenant_id, tenantId), eq(deliveries.channel_id, id))

/** Inserts the deliveries whose channel and key are new. @returns their ids */
export async function insertDeliveries(
  db: Database,
  rows: readonly (typeof deliveries.$inferInsert)[],
): Promise<ReadonlySet<string>> {
  const inserted = await db
    .insert(deliveries)
    .values([...rows])
    .onConflictDoNothing({ target: [deliveries.tenant_id, deliveries.channel_id, deliveries.key] })
    .returning({ id: deliveries.id })
  return new Set(inserted.map(({ id }) => id))
}

/** The ids of the deliveries of a key, by channel. */
export async function selectDeliveryIds(
  db: Database,
  tenantId: string,
  channelIds: readonly string[],
  key: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .select({ id: deliveries.id, channelId: deliveries.channel_id })
    .from(deliveries)
    .where(and(eq(deliveries.tenant_id, tenantId), isAnyOf(deliveries.channel_id, channelIds), eq(deliveries.key, key)))
  return new Map(rows.map(({ id, channelId }) => [channelId, id]))
}

export async function selectDelivery(
  db: Database,
  tenantId: string,
  id: string,
): Promise<NotificationDeliveryRow | undefined> {
  const [row] = await db
    .select()
    .from(deliveries)
    .where(and(eq(deliveries.tenant_id, tenantId), eq(deliveries.id, id)))
  return row
}

/**
 * Stores what became of a try, once.
 *
 * @param attempts  tries before it
 * @returns false when another one has stored this try
 */
export async function updatePendingDelivery(
  db: Database,
  { tenant_id, id, attempts }: Pick<NotificationDeliveryRow, 'tenant_id' | 'id' | 'attempts'>,
  change: Partial<NotificationDeliveryRow>,
): Promise<boolean> {
  const updated = await db
    .update(deliveries)
    .set(change)
    .where(
      and(
        eq(deliveries.tenant_id, tenant_id),
        eq(deliveries.id, id),
        eq(deliveries.attempts, attempts),
        eq(deliveries.status, 'pending'),
      ),
    )
    .returning({ id: deliveries.id })
  return updated.length === 1
}

export async function selectDeliveries(
  db: Database,
  { id, tenant_id }: ChannelRow,
  {
    status,
    offset,
    limit,
  }: { readonly status?: DeliveryStatus | undefined; readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: Omit<NotificationDeliveryRow, 'payload'>[]; readonly total: number }> {
  const where = and(ofChannel(tenant_id, id), status === undefined ? undefined : eq(deliveries.status, status))
  const [counted] = await db.select({ total: count() }).from(deliveries).where(where)
  const { payload: _, ...shown } = deliveryColumns
  const rows = await db
    .select(shown)
    .from(deliveries)
    .where(where)
    .orderBy(desc(deliveries.created_at), desc(deliveries.id))
    .offset(offset)
    .limit(limit)
  return { rows, total: counted?.total ?? 0 }
}

const deliveryColumns = getTableColumns(deliveries)

/** Pending deliveries of all workspaces whose try is overdue since `time`: their job was lost. */
export function selectOverdue(db: Database, time: string) {
  return db
    .select({ id: deliveries.id, tenantId: deliveries.tenant_id, attempts: deliveries.attempts })
    .from(deliveries)
    .where(and(eq(deliveries.status, 'pending'), lt(deliveries.next_at, time)))
    .limit(1000)
}

/** Deletes the old deliveries of all workspaces. */
export async function deleteDeliveriesBefore(db: Database, time: string): Promise<void> {
  await db
    .delete(deliveries)
    .where(and(lt(deliveries.created_at, time), inArray(deliveries.status, ['delivered', 'failed'])))
}
