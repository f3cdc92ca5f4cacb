import type { StorageReport } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { blobSweeps } from '../../storage/relational/tables/lifecycle.ts'

/** What the last sweep found in the blob store; null before the first. */
export async function readLastSweep({ relational }: Pick<Deps, 'relational'>): Promise<StorageReport['blobs']> {
  const [row] = await relational.db.select().from(blobSweeps)
  if (row === undefined) return null
  return {
    count: row.blobs,
    bytes: row.bytes,
    unreferenced_count: row.unreferenced,
    unreferenced_bytes: row.unreferenced_bytes,
    measured_at: row.ended_at,
  }
}
