import { statfs } from 'node:fs/promises'
import type { StorageReport } from '@touchstone/contract'
import { sql as pg } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { sql } from '../../../storage/analytics/sql.ts'
import { toRows } from '../../../storage/relational/migrate.ts'
import { blobSweeps } from '../../../storage/relational/tables/lifecycle.ts'

type StorageDeps = Pick<Deps, 'relational' | 'analytics' | 'config'>

const GiB = 1024 ** 3

/** Free space of the disk that holds the data directory, and the size of each store. */
export async function readStorageReport(deps: StorageDeps): Promise<StorageReport> {
  const [disk, relational_bytes, analytics_bytes, blobs] = await Promise.all([
    readDisk(deps.config.dataDir),
    readRelationalBytes(deps).catch(() => null), // a user of a database server may lack the right to ask
    readAnalyticsBytes(deps).catch(() => null),
    readLastSweep(deps),
  ])
  return { disk, relational_bytes, analytics_bytes, blobs }
}

async function readDisk(directory: string): Promise<StorageReport['disk']> {
  const { bavail, blocks, bsize } = await statfs(directory)
  const free = bavail * bsize
  const total = blocks * bsize
  return { free_bytes: free, total_bytes: total, is_low: isLow(free, total) }
}

/** Little in itself, or little of the disk: a large disk fills as fast, but 20 GiB leave time to act. */
export function isLow(freeBytes: number, totalBytes: number): boolean {
  return freeBytes < GiB || (freeBytes < totalBytes / 20 && freeBytes < 20 * GiB)
}

async function readRelationalBytes({ relational }: StorageDeps): Promise<number> {
  const result = await relational.db.execute(pg`select pg_database_size(current_database())::float8 as bytes`)
  return toRows<{ bytes: number }>(result)[0]!.bytes
}

async function readAnalyticsBytes({ analytics }: StorageDeps): Promise<number> {
  const [row] = await analytics.query<{ bytes: string }>(sql`
    select sum(bytes_on_disk) as bytes from system.parts where database = currentDatabase()`)
  return Number(row?.bytes ?? 0)
}

/** The blobs that the last sweep found; null before the first sweep. */
async function readLastSweep({ relational }: StorageDeps): Promise<StorageReport['blobs']> {
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
