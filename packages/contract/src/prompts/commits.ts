import { z } from 'zod'
import { Role } from '../accounts/roles.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { historyPage, hubPage, QueryFlag, queryList } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { repoPath } from './prompts.ts'

/**
 * One immutable revision of a prompt. `commit_hash` is the SHA-256, in hex, of the canonical JSON text of
 * `[parent_commit_hash, manifest]` (keys sorted, no white space, numbers by value), so the same history has the same
 * hashes on every server.
 */
export const PromptCommit = z.object({
  id: z.string(),
  commit_hash: z.string(),
  parent_id: z.string().nullable(),
  parent_commit_hash: z.string().nullable(),
  repo_id: z.string(),
  /** As it was sent, byte for byte. */
  manifest: JsonRecord,
  created_at: z.string(),
  updated_at: z.string(),
  /** Empty for readers of other workspaces. */
  example_run_ids: z.array(z.string()),
  num_downloads: z.int(),
  num_views: z.int(),
  /** Name of the author's key; to readers of other workspaces the owner's handle. */
  full_name: z.string().nullable(),
  description: z.string().nullable(),
})
export type PromptCommit = z.infer<typeof PromptCommit>

export const CommitCreate = z.object({
  manifest: JsonRecord,
  /** Hash of the newest commit, or at least its first 8 characters. @default `latest` */
  parent_commit: z.string().nullish(),
  description: repairedText(1000).nullish(),
  /** True for all webhooks, or ids of those to skip. */
  skip_webhooks: z.union([z.boolean(), z.array(Uuid)]).nullish(),
  example_run_ids: z.array(Uuid).max(100).nullish(),
})
export type CommitCreate = z.output<typeof CommitCreate>

/** A run that shows what a commit does; `inputs` and `outputs` as the run has them. */
export const CommitExample = z.object({
  id: z.string(),
  session_id: z.string(),
  start_time: z.string(),
  inputs: z.unknown(),
  outputs: z.unknown(),
})

/** A pulled commit. It has neither `owner` nor `repo`: clients add the names that they requested. */
export const PulledCommit = z.object({
  commit_hash: z.string(),
  /** Without its model, unless the request included it. */
  manifest: JsonRecord,
  examples: z.array(CommitExample),
  description: z.string().nullable(),
  is_draft: z.boolean(),
  /** Settings of the model in the manifest; null unless the request included the model. */
  model_config: JsonRecord.nullable(),
  /** Its class, e.g. `ChatOpenAI`. */
  model_provider: z.string().nullable(),
  /** The trust mark, ours: the commit belongs to another workspace than the reader's (see `Repo`). */
  is_foreign: z.boolean(),
})
export type PulledCommit = z.infer<typeof PulledCommit>

/** A movable name of one commit, e.g. `production`. */
export const CommitTag = z.object({
  id: z.string(),
  repo_id: z.string(),
  commit_id: z.string(),
  commit_hash: z.string(),
  tag_name: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type CommitTag = z.infer<typeof CommitTag>

const skipWebhooks = { skip_webhooks: z.union([z.boolean(), z.array(Uuid)]).nullish() }

export const CommitTagCreate = z.object({
  /** 1 to 200 letters, digits, `-`, `_` and `.`; neither `latest` nor what could be the beginning of a hash. */
  tag_name: z.string(),
  commit_id: Uuid,
  /**
   * Ours: the commit that the tag points to as far as the caller knows, null for none. 409 when the tag points to another
   * commit by now. @default any
   */
  expected_commit_id: Uuid.nullable().optional(),
  ...skipWebhooks,
})
export type CommitTagCreate = z.output<typeof CommitTagCreate>

/** A change of a tag: created (no `from`), moved, or removed (no `to`). */
export const TagTransition = z.object({
  id: z.string(),
  repo_id: z.string(),
  tag_name: z.string(),
  from_commit_id: z.string().nullable(),
  from_commit_hash: z.string().nullable(),
  to_commit_id: z.string().nullable(),
  to_commit_hash: z.string().nullable(),
  /** Id of the key; null without one, and to readers of other workspaces, as is the name. */
  performed_by: z.string().nullable(),
  performed_by_name: z.string().nullable(),
  /** The role of the person at that time; null for changes before roles were recorded. */
  performed_by_role: Role.nullable(),
  created_at: z.string(),
})
export type TagTransition = z.infer<typeof TagTransition>

export const CommitListQuery = z.object({
  /** Accepted and ignored: statistics are always included. */
  include_stats: QueryFlag.optional(),
  /** Accepted and ignored: lists hold manifests as they were committed. */
  include_model: QueryFlag.optional(),
  /** Only the commit with this tag. */
  tag: z.string().optional(),
  ...hubPage,
})
export type CommitListQuery = z.output<typeof CommitListQuery>

export const CommitReadQuery = z.object({
  include_model: QueryFlag.default(false),
  /** `model` is the newer form of `include_model`. */
  include: queryList(z.string()),
  get_examples: QueryFlag.default(false),
  /** Counts as a view rather than as a download. */
  is_view: QueryFlag.default(false),
})
export type CommitReadQuery = z.output<typeof CommitReadQuery>

/** A commit without its manifest, for lists of many commits. */
export const CommitSummary = PromptCommit.omit({ manifest: true, example_run_ids: true, updated_at: true }).extend({
  /** Commit tags that point to it, by name. */
  tags: z.array(z.string()),
})
export type CommitSummary = z.infer<typeof CommitSummary>

export const CommitHistoryQuery = z.object({
  /** Only commits whose hash starts with these hexadecimal digits, 1 to 64. */
  starts_with: z
    .string()
    .toLowerCase()
    .regex(/^[0-9a-f]{1,64}$/, 'has 1 to 64 hexadecimal digits')
    .optional(),
  ...hubPage,
})
export type CommitHistoryQuery = z.output<typeof CommitHistoryQuery>

const tag = 'prompt commits'
const tagPath = repoPath.extend({ tag_name: z.string() })

export const promptCommitRoutes = describeRoutes(routes.promptCommits, tag, {
  create: {
    maxBodyBytes: BODY_LIMITS.record,
    summary: 'Commit a manifest; 409 when it equals the newest commit or its parent is no longer the newest commit',
    params: repoPath,
    body: CommitCreate,
    status: 201,
    answer: z.object({ commit: PromptCommit }),
  },
  list: {
    summary: 'Commits of a prompt, newest first',
    params: repoPath,
    query: CommitListQuery,
    answer: z.object({ commits: z.array(PromptCommit), total: z.int() }),
  },
  read: {
    summary: 'One commit by hash, beginning of a hash (8 characters or more), tag or `latest`; answers If-None-Match',
    params: repoPath.extend({ commit: z.string() }),
    query: CommitReadQuery,
    answer: PulledCommit,
  },
  history: {
    extension: true,
    summary: 'Commits of a prompt without their manifests, newest first, each with its tags',
    params: repoPath,
    query: CommitHistoryQuery,
    answer: z.object({ commits: z.array(CommitSummary), total: z.int() }),
  },
  listTags: {
    summary: 'Commit tags of a prompt, by name',
    params: repoPath,
    answer: z.array(CommitTag),
  },
  createTag: {
    summary: 'Name a commit; a name that exists moves; 409 when it is not where `expected_commit_id` expects it',
    params: repoPath,
    body: CommitTagCreate,
    answer: CommitTag,
  },
  readTag: {
    summary: 'One commit tag',
    params: tagPath,
    answer: CommitTag,
  },
  moveTag: {
    summary: 'Move a commit tag; 409 when it is not where `expected_commit_id` expects it',
    params: tagPath,
    body: CommitTagCreate.omit({ tag_name: true }),
    answer: CommitTag,
  },
  deleteTag: {
    summary: 'Remove a commit tag; its history stays',
    params: tagPath,
    answer: z.null(),
  },
  tagHistory: {
    summary: 'Who moved a commit tag from where to where, newest first',
    params: tagPath,
    query: z.object(historyPage),
    answer: z.object({ transitions: z.array(TagTransition), total: z.int() }),
  },
})
