import type { WebhookTrigger } from '@touchstone/contract'
import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

export const promptWebhooks = pgTable('prompt_webhooks', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  url: text().notNull(),
  sealed_headers: text().notNull(),
  sealed_secret: text().notNull(),
  include_prompts: uuid().array().notNull(),
  exclude_prompts: uuid().array().notNull(),
  triggers: text().array().$type<WebhookTrigger[]>().notNull(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
})
export type WebhookRow = typeof promptWebhooks.$inferSelect

export const promptWebhookDeliveries = pgTable('prompt_webhook_deliveries', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  webhook_id: uuid().notNull(),
  event: text().$type<WebhookTrigger>().notNull(),
  prompt_id: uuid().notNull(),
  prompt_name: text().notNull(),
  commit_hash: text().notNull(),
  tag_name: text(),
  payload: text(),
  status: text().$type<'pending' | 'delivered' | 'failed'>().notNull(),
  attempts: integer().notNull().default(0),
  response_status: integer(),
  response_text: text(),
  error: text(),
  created_at: time().notNull(),
  attempted_at: time(),
})
export type DeliveryRow = typeof promptWebhookDeliveries.$inferSelect
