import type { PromptEnvironment, RepoType, Role, WebhookTrigger } from '@touchstone/contract'
import { type AnyPgColumn, bigint, boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { time } from '../columns.ts'

/** Lists of repos read the histories, so the tables of both are in one file. */
export const promptRepos = pgTable('prompt_repos', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  repo_handle: text().notNull(),
  repo_type: text().$type<RepoType>().notNull(),
  description: text(),
  readme: text(),
  tags: text().array().notNull(),
  is_public: boolean().notNull(),
  is_archived: boolean().notNull().default(false),
  restricted_mode: boolean().notNull().default(false),
  source: text().$type<'internal' | 'external'>(),
  created_by: text(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
  num_likes: integer().notNull().default(0),
  num_downloads: bigint({ mode: 'number' }).notNull().default(0),
  num_views: bigint({ mode: 'number' }).notNull().default(0),
  num_commits: integer().notNull().default(0),
  last_commit_id: uuid(),
  last_commit_hash: text(),
  original_repo_id: uuid(),
  original_repo_full_name: text(),
  upstream_repo_id: uuid(),
  upstream_repo_full_name: text(),
  owned_by_repo_id: uuid().references((): AnyPgColumn => promptRepos.id),
})
export type RepoRow = typeof promptRepos.$inferSelect

export const promptCommits = pgTable('prompt_commits', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  repo_id: uuid().notNull(),
  /** In the order of the history, from 1. */
  number: integer().notNull(),
  commit_hash: text().notNull(),
  parent_id: uuid(),
  parent_commit_hash: text(),
  /** JSON text as received; `{"files": …}` for agents and skills. */
  manifest: text().notNull(),
  content_hash: text().notNull(),
  description: text(),
  example_run_ids: uuid().array().notNull(),
  full_name: text(),
  created_at: time().notNull(),
  num_downloads: bigint({ mode: 'number' }).notNull().default(0),
  num_views: bigint({ mode: 'number' }).notNull().default(0),
})

export const promptCommitTags = pgTable('prompt_commit_tags', {
  id: uuid().primaryKey(),
  tenant_id: uuid().notNull(),
  repo_id: uuid().notNull(),
  tag_name: text().notNull(),
  commit_id: uuid().notNull(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
})

export const promptTagMoves = pgTable('prompt_tag_moves', {
  id: uuid().primaryKey(),
  number: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
  tenant_id: uuid().notNull(),
  repo_id: uuid().notNull(),
  tag_name: text().notNull(),
  from_commit_id: uuid(),
  from_commit_hash: text(),
  to_commit_id: uuid(),
  to_commit_hash: text(),
  performed_by: uuid(),
  performed_by_name: text(),
  performed_by_role: text().$type<Role>(),
  created_at: time().notNull(),
})
export type TagMoveRow = typeof promptTagMoves.$inferSelect

export const promptLikes = pgTable('prompt_likes', {
  repo_id: uuid().notNull(),
  tenant_id: uuid().notNull(),
})

export const promptComments = pgTable('prompt_comments', {
  id: uuid().primaryKey(),
  repo_id: uuid().notNull(),
  parent_id: uuid(),
  tenant_id: uuid().notNull(),
  content: text().notNull(),
  created_at: time().notNull(),
  updated_at: time().notNull(),
})
export type CommentRow = typeof promptComments.$inferSelect

export const promptCommentLikes = pgTable('prompt_comment_likes', {
  comment_id: uuid().notNull(),
  tenant_id: uuid().notNull(),
})

export const promptEnvironments = pgTable('prompt_environments', {
  tenant_id: uuid().primaryKey(),
  environments: jsonb().$type<readonly PromptEnvironment[]>().notNull(),
  updated_at: time().notNull(),
  updated_by_name: text(),
})
export type EnvironmentsRow = typeof promptEnvironments.$inferSelect

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
