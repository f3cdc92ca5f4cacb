import { ApiError, type Deletion, type DeletionList } from '@touchstone/contract'
import { and, count, desc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type DeletionRow, deletionBlobs, deletions } from './tables.ts'

/** Records of a workspace, newest first. */
export async function listDeletions(
  db: Database,
  tenantId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<DeletionList> {
  const mine = eq(deletions.tenant_id, tenantId)
  const [counted] = await db.select({ total: count() }).from(deletions).where(mine)
  const rows = await db
    .select({ row: deletions, waiting: waitingBlobs })
    .from(deletions)
    .where(mine)
    .orderBy(desc(deletions.created_at), desc(deletions.id))
    .offset(offset)
    .limit(limit)
  return { deletions: rows.map(({ row, waiting }) => present(row, Number(waiting))), total: counted!.total }
}

/** @throws ApiError NOT_FOUND */
export async function getDeletion(db: Database, tenantId: string, id: string): Promise<Deletion> {
  const [found] = await db
    .select({ row: deletions, waiting: waitingBlobs })
    .from(deletions)
    .where(and(eq(deletions.tenant_id, tenantId), eq(deletions.id, id)))
  if (found === undefined) throw new ApiError('NOT_FOUND', 'Deletion not found')
  return present(found.row, Number(found.waiting))
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
