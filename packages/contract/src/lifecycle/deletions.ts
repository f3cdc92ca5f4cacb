import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'

export const DELETION_KINDS = ['traces', 'project', 'dataset', 'examples', 'retention', 'workspace'] as const
export const DeletionKind = z.enum(DELETION_KINDS)
export type DeletionKind = z.infer<typeof DeletionKind>

/** What a deletion removed from each store, and the result of its verification. */
export const Deletion = z.object({
  id: z.string(),
  kind: DeletionKind,
  /** The deleted object, e.g. `Project "checkout"`. */
  subject: z.string(),
  /** Name of the person or key that requested it; null for retention, and on an open server. */
  requested_by: z.string().nullable(),
  /** `failed`: it stopped before the end; repeating the deletion finishes it. */
  status: z.enum(['running', 'done', 'failed']),
  error: z.string().nullable(),
  /** Rows removed from the analytics store. */
  analytics: z.object({
    runs: z.int(),
    feedback: z.int(),
    attachments: z.int(),
    /** Bytes of those attachments, counted once for each of them. */
    attachment_bytes: z.int(),
  }),
  /** Rows removed from the relational store. */
  relational: z.object({
    /** Number of versions of examples. */
    examples: z.int(),
    queue_items: z.int(),
    /** Number of public links. */
    shares: z.int(),
  }),
  /** Result for the files of its attachments; each file contains the bytes that equal attachments share. */
  blobs: z.object({
    removed: z.int(),
    removed_bytes: z.int(),
    /** Kept, because another object refers to the same bytes. */
    kept: z.int(),
    /** Undecided: the grace period since their last upload has not passed. */
    waiting: z.int(),
  }),
  /** Rows that the verification query found after the deletion; null before it. */
  remaining: z.int().nullable(),
  verified_at: z.string().nullable(),
  /** When the files of the analytics store were rewritten without the deleted text. */
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
