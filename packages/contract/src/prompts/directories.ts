import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { repoPath } from './prompts.ts'

/** Text at a path. */
export const FileEntry = z.object({ type: z.literal('file'), content: z.string() })

/** An agent or skill that stands at a path; without a commit, its newest one. */
export const LinkEntry = z.object({
  type: z.enum(['agent', 'skill']),
  repo_handle: z.string(),
  /** Handle of a workspace. @default that of the tree */
  owner: z.string().nullish(),
  commit_id: Uuid.nullish(),
  commit_hash: z.string().nullish(),
})

export const DirectoryEntry = z.discriminatedUnion('type', [FileEntry, LinkEntry])
export type DirectoryEntry = z.output<typeof DirectoryEntry>

/** The whole tree of an agent or skill at one commit. */
export const Directory = z.object({
  commit_id: z.string(),
  commit_hash: z.string(),
  /** Path → what stands there. */
  files: z.record(z.string(), z.looseObject({ type: z.enum(['file', 'agent', 'skill']) })),
  /** The trust mark, ours: the tree belongs to another workspace than the reader's. */
  is_foreign: z.boolean(),
})
export type Directory = z.infer<typeof Directory>

export const DirectoryCommitCreate = z.object({
  /** Path → what shall stand there, null for nothing; every other path stays as it is. */
  files: z.record(z.string(), DirectoryEntry.nullable()),
  /** Hash of the newest commit, or the beginning of it; absent, whichever that is. */
  parent_commit: z
    .string()
    .min(8, 'parent_commit must be 8-64 characters')
    .max(64, 'parent_commit must be 8-64 characters')
    .nullish(),
  description: repairedText(1000).nullish(),
  skip_webhooks: z.union([z.boolean(), z.array(Uuid)]).nullish(),
})
export type DirectoryCommitCreate = z.output<typeof DirectoryCommitCreate>

const tag = 'hub directories'

export const hubDirectoryRoutes = describeRoutes(routes.hubDirectories, tag, {
  read: {
    summary: 'Files of an agent or skill at a commit; answers If-None-Match',
    params: repoPath,
    query: z.object({
      repo_type: z.enum(['agent', 'skill']).optional(),
      /** Hash, beginning of a hash, tag or `latest`. */
      commit: z.string().default('latest'),
    }),
    answer: Directory,
  },
  commit: {
    maxBodyBytes: BODY_LIMITS.record,
    summary: 'Commit changes of files; 409 when the parent is no longer the newest commit',
    params: repoPath,
    body: DirectoryCommitCreate,
    answer: z.object({ commit: z.object({ id: z.string(), commit_hash: z.string(), created_at: z.string() }) }),
  },
  delete: {
    summary: 'Delete an agent or skill with its files',
    params: repoPath,
    status: 204,
  },
})
