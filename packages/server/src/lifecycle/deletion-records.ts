import { ApiError, type Deletion, type DeletionList } from '@touchstone/contract'
import { and, count, desc, eq, or, sql } from 'drizzle-orm'
import type { Caller } from '../http/serve.ts'
import type { Database } from '../storage/relational/port.ts'
import { type DeletionRow, deletionBlobs, deletions } from '../storage/relational/tables/lifecycle.ts'

/** Deletion records of the caller's workspace and, for server administrators, of deleted workspaces; newest first. */
export async function listDeletions(
  db: Database,
  caller: Caller,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<DeletionList> {
  const ofDeleted = caller.isServerAdmin ? eq(deletions.kind, 'workspace') : undefined
  const mine = or(eq(deletions.tenant_id, caller.tenantId), ofDeleted)
  const [counted] = await db.select({ total: count() }).from(deletions).where(mine)
  const rows = await db
    .select({ row: deletions, waiting: waitingBlobs })
    .from(deletions)
    .where(mine)
    .orderBy(desc(deletions.created_at), desc(deletions.id))
    .offset(offset)
    .limit(limit)
  return { deletions: rows.map(({ row, waiting }) => present(row, Number(waiting))), total: counted?.total ?? 0 }
}

/** @throws ApiError NOT_FOUND */
export async function getDeletion(db: Database, caller: Caller, id: string): Promise<Deletion> {
  const [found] = await db
    .select({ row: deletions, waiting: waitingBlobs })
    .from(deletions)
    .where(and(matchesReadable(caller), eq(deletions.id, id)))
  if (found === undefined) throw new ApiError('NOT_FOUND', 'Deletion not found')
  return present(found.row, Number(found.waiting))
}

/** The record of a deleted workspace is visible to its requester and to server administrators. */
function matchesReadable({ tenantId, actorId, isServerAdmin }: Caller) {
  const isOwn = actorId === undefined ? undefined : eq(deletions.requester_id, actorId)
  const ofDeleted = eq(deletions.kind, 'workspace')
  const others = isServerAdmin ? ofDeleted : isOwn && and(ofDeleted, isOwn)
  return or(eq(deletions.tenant_id, tenantId), others)
}

const waitingBlobs = sql<number>`(
  select count(*) from ${deletionBlobs} where ${deletionBlobs.deletion_id} = ${deletions.id})`

function present(row: DeletionRow, waiting: number): Deletion {
  const { runs, feedback, attachments, attachment_bytes, examples, queue_items, shares } = row
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    requested_by: row.requested_by,
    status: row.status,
    error: row.error,
    analytics: { runs, feedback, attachments, attachment_bytes },
    relational: { examples, queue_items, shares },
    blobs: { removed: row.blobs_removed, removed_bytes: row.blob_bytes_removed, kept: row.blobs_kept, waiting },
    remaining: row.remaining,
    verified_at: row.verified_at,
    erased_at: row.erased_at,
    created_at: row.created_at,
    ended_at: row.ended_at,
  }
}
