import type { ChannelState, DeliveryStatus, NoticeCause, NoticeSeverity, NotificationKind } from '@touchstone/contract'
import { boolean, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const notificationChannels = pgTable('notification_channels', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  kind: text().$type<NotificationKind>().notNull(),
  name: text().notNull(),
  /** JSON, encrypted. */
  sealed_config: text().notNull(),
  key_id: text().notNull(),
  state: text().$type<ChannelState>().notNull(),
  state_reason: text(),
  last_success_at: time(),
  last_failure_at: time(),
  last_failure: text(),
  failing_since: time(),
  created_at: time().notNull(),
  modified_at: time().notNull(),
  created_by: text(),
})
export type ChannelRow = typeof notificationChannels.$inferSelect

export const notificationDeliveries = pgTable('notification_deliveries', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  channel_id: uuid().notNull(),
  channel_name: text().notNull(),
  cause_kind: text().$type<NoticeCause>().notNull(),
  cause_id: uuid().notNull(),
  key: text().notNull(),
  title: text().notNull(),
  severity: text().$type<NoticeSeverity>().notNull(),
  is_resolved: boolean().notNull(),
  /** JSON of the notice. */
  payload: text().notNull(),
  status: text().$type<DeliveryStatus>().notNull(),
  attempts: integer().notNull().default(0),
  next_at: time(),
  response_status: integer(),
  response_text: text(),
  error: text(),
  created_at: time().notNull(),
  attempted_at: time(),
})
export type NotificationDeliveryRow = typeof notificationDeliveries.$inferSelect
