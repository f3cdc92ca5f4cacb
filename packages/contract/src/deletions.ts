import { z } from 'zod'
import { Uuid } from './ids.ts'
import { historyPage } from './page.ts'
import { describeRoutes } from './route.ts'
import * as routes from './routes.ts'

export const DELETION_KINDS = ['traces', 'project', 'dataset', 'examples', 'retention', 'workspace'] as const
export const DeletionKind = z.enum(DELETION_KINDS)
export type DeletionKind = z.infer<typeof DeletionKind>

/** What one deletion removed from each store, and whether a query found anything left. */
export const Deletion = z.object({
  id: z.string(),
  kind: DeletionKind,
  /** What was to be deleted, e.g. `Project "checkout"`. */
  subject: z.string(),
  /** Name of the person or key that asked; null for retention, and while the server is open to everybody. */
  requested_by: z.string().nullable(),
  /** `failed`: it stopped half way, and deleting the same again finishes it. */
  status: z.enum(['running', 'done', 'failed']),
  error: z.string().nullable(),
  /** Rows removed from the store of runs. */
  analytics: z.object({
    runs: z.int(),
    feedback: z.int(),
    attachments: z.int(),
    /** Bytes of those attachments, counted once for each of them. */
    attachment_bytes: z.int(),
  }),
  /** Rows removed from the relational store. */
  relational: z.object({
    /** Versions of examples. */
    examples: z.int(),
    queue_items: z.int(),
    /** Public links. */
    shares: z.int(),
  }),
  /** What became of the files of its attachments; each holds the bytes that equal attachments share. */
  blobs: z.object({
    removed: z.int(),
    removed_bytes: z.int(),
    /** Kept, because something that was not deleted refers to the same bytes. */
    kept: z.int(),
    /** Not decided yet: the grace period since their last upload is not over. */
    waiting: z.int(),
  }),
  /** Rows that the verification query found after the deletion; null before it. */
  remaining: z.int().nullable(),
  verified_at: z.string().nullable(),
  /** When the files of the store of runs that held the text had been rewritten without it. */
  erased_at: z.string().nullable(),
  created_at: z.string(),
  ended_at: z.string().nullable(),
})
export type Deletion = z.infer<typeof Deletion>

export const DeletionList = z.object({ deletions: z.array(Deletion), total: z.int() })
export type DeletionList = z.infer<typeof DeletionList>

const tag = 'retention'

export const deletionRoutes = describeRoutes(routes.deletions, tag, {
  list: {
    extension: true,
    summary:
      'What was deleted in the last 400 days, newest first: counts per store, and whether anything is left; for server administrators also deleted workspaces',
    query: z.object(historyPage),
    answer: DeletionList,
  },
  read: {
    extension: true,
    summary:
      'What one deletion removed from each store, and whether anything is left; of a deleted workspace for server administrators and the caller that asked for it',
    params: z.object({ deletion_id: Uuid }),
    answer: Deletion,
  },
})
