import type { KVMap } from '../schemas.ts'
import type { Role } from './people.ts'

export type RepoType = 'prompt' | 'file' | 'agent' | 'skill'
/** What holds files rather than a prompt. */
export type HubRepoType = 'agent' | 'skill'

/** A prompt (or agent, skill, file) of the hub without its commits. */
export interface Prompt {
  id: string
  tenant_id: string
  repo_handle: string
  /** Handle of the workspace; null while it has none. */
  owner: string | null
  /** `owner/repo_handle`; `-/repo_handle` while the workspace has no handle. */
  full_name: string
  description: string | null
  readme: string | null
  tags: string[]
  is_public: boolean
  is_archived: boolean
  repo_type?: RepoType | undefined
  source?: 'internal' | 'external' | null | undefined
  restricted_mode?: boolean | undefined
  created_at: string
  /** Moves with the metadata and with every commit. */
  updated_at: string
  created_by?: string | null | undefined
  num_likes: number
  num_downloads: number
  num_views: number
  num_commits: number
  /** Null to a reader without a key. */
  liked_by_auth_user: boolean | null
  last_commit_hash: string | null
  /** Names of its commit tags, in order. */
  commit_tags?: string[] | undefined
  /** Root of the chain of forks. */
  original_repo_id: string | null
  original_repo_full_name: string | null
  /** What it was forked from. */
  upstream_repo_id: string | null
  upstream_repo_full_name: string | null
  latest_commit_manifest?: { commit_hash: string; manifest: KVMap; examples: unknown[] } | null | undefined
  /** It belongs to another workspace: read its manifests before a program revives them. */
  is_foreign?: boolean | undefined
}

export type PromptSortField = 'num_downloads' | 'num_views' | 'updated_at' | 'num_likes'

export interface LikePromptResponse {
  likes: number
}

/** A commit as it is pulled, under the names it was asked by. */
export interface PromptCommit {
  owner: string
  repo: string
  commit_hash: string
  /** As it was committed, without its model unless that was asked for. Plain data: nothing here revives it. */
  manifest: KVMap
  examples: KVMap[]
  description?: string | null | undefined
  /** Settings and class of the model; null unless it was asked for. */
  hub_model_config?: KVMap | null | undefined
  hub_model_provider?: string | null | undefined
  /** It belongs to another workspace: read the manifest before a program revives it. */
  is_foreign?: boolean | undefined
}

/** A commit as lists have it. */
export interface ListedPromptCommit {
  id: string
  commit_hash: string
  parent_id: string | null
  parent_commit_hash: string | null
  repo_id: string
  manifest: KVMap
  created_at: string
  updated_at: string
  example_run_ids: string[]
  num_downloads: number
  num_views: number
  /** Name of the author. */
  full_name: string | null
  description: string | null
}

export interface ListPromptsResponse {
  repos: Prompt[]
  total: number
}

export interface ListCommitsResponse {
  commits: ListedPromptCommit[]
  total: number
}

/** A movable name of one commit, e.g. `production`. */
export interface CommitTag {
  id: string
  repo_id: string
  commit_id: string
  commit_hash: string
  tag_name: string
  created_at: string
  updated_at: string
}

/** That a tag was made (no `from`), moved, or removed (no `to`). */
export interface CommitTagTransition {
  id: string
  repo_id: string
  tag_name: string
  from_commit_id: string | null
  from_commit_hash: string | null
  to_commit_id: string | null
  to_commit_hash: string | null
  performed_by: string | null
  performed_by_name: string | null
  /** As it was then; null for moves before roles were kept. */
  performed_by_role: Role | null
  created_at: string
}

/** A stage that prompts go through: a commit tag, and the least role that may make, move or remove it. */
export interface PromptEnvironment {
  name: string
  least_role: 'member' | 'admin'
}

export interface PromptEnvironments {
  /** That of the workspace. */
  id: string
  environments: PromptEnvironment[]
  /** Null while the workspace has what it began with: `production`, which admins move. */
  updated_at: string | null
  updated_by_name: string | null
}

/** What a webhook of prompts may hear of. */
export type PromptWebhookTrigger = 'commit' | 'tag:create' | 'tag:update' | 'tag:delete'

/** A URL that is called when prompts change. */
export interface PromptWebhook {
  id: string
  tenant_id: string
  url: string
  /** Each value is `********`. */
  headers: Record<string, string>
  include_prompts: string[]
  exclude_prompts: string[]
  triggers: PromptWebhookTrigger[]
  created_at: string
  updated_at: string
  /** What deliveries are signed with; told when it is made, null afterwards. */
  secret: string | null
  /** Names of headers that an update removed, because the URL now leads to another origin. */
  cleared_headers: string[]
}

/** One event on its way to one webhook. */
export interface PromptWebhookDelivery {
  /** Also the `webhook-id` header, the same at each try. */
  id: string
  webhook_id: string
  event: PromptWebhookTrigger
  prompt_id: string
  prompt_name: string
  commit_hash: string
  tag_name: string | null
  /** `pending` until the receiver has answered with 2xx, or was tried too often. */
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  /** Status of the last answer. */
  response_status: number | null
  /** Its first 1000 characters. */
  response_text: string | null
  /** Why the last try failed. */
  error: string | null
  created_at: string
  attempted_at: string | null
}

/** What a receiver did with a test. */
export interface PromptWebhookTestAnswer {
  delivered: boolean
  response_status: number | null
  response_text: string | null
  error: string | null
}

/** Text at a path. */
export interface FileEntry {
  type: 'file'
  content: string
}

interface LinkEntry {
  repo_handle: string
  /** Handle of a workspace. @default that of the tree */
  owner?: string | null | undefined
  commit_id?: string | null | undefined
  /** Without a commit, the newest one. */
  commit_hash?: string | null | undefined
}

/** An agent that stands at a path. */
export interface AgentEntry extends LinkEntry {
  type: 'agent'
}

/** A skill that stands at a path. */
export interface SkillEntry extends LinkEntry {
  type: 'skill'
}

export type Entry = FileEntry | AgentEntry | SkillEntry

/** The files of an agent at one commit, by path. */
export interface AgentContext {
  commit_id: string
  commit_hash: string
  files: Record<string, Entry>
  /** It belongs to another workspace. */
  is_foreign?: boolean | undefined
}

export type SkillContext = AgentContext

export interface DirectoryCommitResponse {
  commit: { id: string; commit_hash: string; created_at: string }
}
