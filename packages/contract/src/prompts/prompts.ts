import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { hubPage, QueryFlag, queryList, queryTexts } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'

/** What a repo holds. Prompts, agents and skills share one name space per workspace. */
export const REPO_TYPES = ['prompt', 'file', 'agent', 'skill'] as const
export const RepoType = z.enum(REPO_TYPES)
export type RepoType = z.infer<typeof RepoType>

const RepoSource = z.enum(['internal', 'external'])

/** Names of repos; at most 200 characters. */
export const REPO_HANDLE = /^[a-z][a-z0-9-_]*$/

/** The newest commit of a repo, where a list was asked for it. */
export const LatestManifest = z.object({
  commit_hash: z.string(),
  manifest: JsonRecord,
  examples: z.array(z.unknown()),
})

/** A prompt (or agent, skill, file) of the hub without its commits. */
export const Repo = z.object({
  id: z.string(),
  tenant_id: z.string(),
  repo_handle: z.string(),
  /** Handle of the workspace; null while it has none. */
  owner: z.string().nullable(),
  /** `owner/repo_handle`; `-/repo_handle` while the workspace has no handle. */
  full_name: z.string(),
  description: z.string().nullable(),
  readme: z.string().nullable(),
  tags: z.array(z.string()),
  is_public: z.boolean(),
  is_archived: z.boolean(),
  repo_type: RepoType,
  source: RepoSource.nullable(),
  restricted_mode: z.boolean(),
  created_at: z.string(),
  /** Moves with the metadata and with every commit. */
  updated_at: z.string(),
  /** Name of the key that created it; null without one, and to readers of other workspaces. */
  created_by: z.string().nullable(),
  num_likes: z.int(),
  num_downloads: z.int(),
  num_views: z.int(),
  num_commits: z.int(),
  /** Null to a reader without a key. */
  liked_by_auth_user: z.boolean().nullable(),
  last_commit_hash: z.string().nullable(),
  /** Names of its commit tags, in order. */
  commit_tags: z.array(z.string()),
  /** Root of the chain of forks. */
  original_repo_id: z.string().nullable(),
  original_repo_full_name: z.string().nullable(),
  /** What it was forked from. */
  upstream_repo_id: z.string().nullable(),
  upstream_repo_full_name: z.string().nullable(),
  /** Only where `with_latest_manifest` asks for it. */
  latest_commit_manifest: LatestManifest.nullable(),
  /**
   * The trust mark, ours: the repo belongs to another workspace than the reader's. Its manifests name classes,
   * endpoints and headers that a loader would obey, so a program should not revive them before a person has read them.
   */
  is_foreign: z.boolean(),
})
export type Repo = z.infer<typeof Repo>

const texts = {
  description: repairedText().nullish(),
  readme: repairedText().nullish(),
  tags: z.array(repairedText()).nullish(),
}

export const RepoCreate = z.object({
  repo_handle: z.string(),
  is_public: z.boolean(),
  ...texts,
  /** @default prompt */
  repo_type: RepoType.nullish(),
  source: RepoSource.nullish(),
  restricted_mode: z.boolean().nullish(),
  /** Ours: the agent or skill to which a `file` belongs; deleting its directory deletes the file. */
  owned_by_repo_id: Uuid.nullish(),
})
export type RepoCreate = z.output<typeof RepoCreate>

/** Absent means unchanged; null clears texts and tags. */
export const RepoUpdate = z.object({
  ...texts,
  is_public: z.boolean().nullish(),
  is_archived: z.boolean().nullish(),
  restricted_mode: z.boolean().nullish(),
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. An extension of ours.
   */
  expected: z.object(texts).nullish(),
})
export type RepoUpdate = z.output<typeof RepoUpdate>

/** What is not given is taken over from the repo that is forked. */
export const RepoFork = z.object({
  repo_handle: z.string(),
  ...texts,
  /** @default false */
  is_public: z.boolean().nullish(),
})
export type RepoFork = z.output<typeof RepoFork>

export const REPO_SORTS = ['updated_at', 'num_likes', 'num_downloads', 'num_views', 'relevance'] as const

/** What a list is narrowed by. */
export const RepoConditions = z.object({
  /** Part of the handle, description or readme, in any case. */
  query: z.string().optional(),
  /** Accepted: a part of the text covers it. */
  match_prefix: QueryFlag.optional(),
  /** `true` for archived alone, `allow` for both. */
  is_archived: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false', 'allow']))
    .default('false'),
  is_public: QueryFlag.optional(),
  has_commits: QueryFlag.optional(),
  /** Repos that have all of them. */
  tags: queryTexts(z.string()),
  tenant_handle: z.string().optional(),
  tenant_id: Uuid.optional(),
  /** Forks of this owner's repos; `-` is the caller's workspace. */
  upstream_repo_owner: z.string().optional(),
  upstream_repo_handle: z.string().optional(),
  /** @default prompt */
  repo_type: queryList(RepoType),
  repo_types: queryList(RepoType),
  source: RepoSource.optional(),
})
export type RepoConditions = z.output<typeof RepoConditions>

export const RepoListQuery = RepoConditions.extend({
  sort_field: z.enum(REPO_SORTS).default('updated_at'),
  sort_direction: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['asc', 'desc']))
    .default('desc'),
  with_latest_manifest: QueryFlag.default(false),
  ...hubPage,
})
export type RepoListQuery = z.output<typeof RepoListQuery>

export const Comment = z.object({
  id: z.string(),
  /** The repo. */
  comment_on: z.string(),
  parent_id: z.string().nullable(),
  /** The workspace that said it; keys speak for their workspace. */
  comment_by: z.string(),
  comment_by_name: z.string(),
  content: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  num_sub_comments: z.int(),
  num_likes: z.int(),
  /** Null to a reader without a key. */
  liked_by_auth_user: z.boolean().nullable(),
})
export type Comment = z.infer<typeof Comment>

const CommentCreate = z.object({ content: repairedText() })
const CommentPage = z.object({ comments: z.array(Comment), total: z.int() })

/** `owner` is the handle of a workspace, or `-` for the caller's own. Any text: what is no name is not found. */
export const repoPath = z.object({ owner: z.string(), repo: z.string() })
const commentPath = repoPath.extend({ comment_id: Uuid })

const tag = 'prompts'
const one = z.object({ repo: Repo })

export const promptRoutes = describeRoutes(routes.prompts, tag, {
  create: {
    summary: 'Create a prompt; 409 when the name is taken, 400 when it is public and the workspace has no handle',
    body: RepoCreate,
    answer: one,
  },
  list: {
    summary: 'Prompts of the workspace; with is_public, tenant_handle or tenant_id also public ones of others',
    query: RepoListQuery,
    answer: z.object({ repos: z.array(Repo), total: z.int() }),
  },
  listTags: {
    summary: 'Tags of the prompts that a list would have, and how many have them',
    query: RepoConditions,
    answer: z.object({ tags: z.array(z.object({ tag: z.string(), count: z.int() })) }),
  },
  deleteMany: {
    summary: 'Delete up to 100 prompts; 207 names those that are not there',
    query: z.object({ repo_ids: queryList(Uuid) }),
    answer: z.object({
      deleted: z.array(z.string()),
      errors: z.array(z.object({ repo_id: z.string(), error: z.string() })),
    }),
  },
  read: {
    summary: 'One prompt; public ones need no key',
    params: repoPath,
    answer: one,
  },
  update: {
    summary: 'Change what is said about a prompt, archive it, or open it to everyone',
    params: repoPath,
    body: RepoUpdate,
    answer: one,
  },
  delete: {
    summary: 'Delete a prompt with its commits',
    params: repoPath,
    answer: z.object({}),
  },
  fork: {
    summary: 'Copy a prompt with its newest commit into the caller’s workspace',
    params: repoPath,
    body: RepoFork,
    answer: one,
  },
  like: {
    summary: 'Like a prompt, or no longer; a workspace likes once',
    params: repoPath,
    body: z.object({ like: z.boolean() }),
    answer: z.object({ likes: z.int() }),
  },
  listComments: {
    summary: 'Comments on a prompt, newest first',
    params: repoPath,
    query: z.object(hubPage),
    answer: CommentPage,
  },
  comment: {
    summary: 'Comment on a prompt',
    params: repoPath,
    body: CommentCreate,
    answer: Comment,
  },
  listReplies: {
    summary: 'Replies to a comment, newest first',
    params: commentPath,
    query: z.object(hubPage),
    answer: CommentPage,
  },
  reply: {
    summary: 'Reply to a comment',
    params: commentPath,
    body: CommentCreate,
    answer: Comment,
  },
  likeComment: {
    summary: 'Like a comment',
    params: commentPath,
    answer: z.object({}),
  },
  unlikeComment: {
    summary: 'Take a like of a comment back',
    params: commentPath,
    answer: z.object({}),
  },
})
