import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import { and, eq, lt } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { Jobs } from '../../jobs/open-jobs.ts'
import { createJumpWatch } from '../../steady-clock.ts'
import { sql, uint } from '../../storage/analytics/sql.ts'
import { deletions } from '../../storage/relational/tables/lifecycle.ts'
import { BLOB_REMOVALS } from '../../storage/relational/write-locks.ts'
import { ANY_ROW } from '../../storage/rows.ts'
import { type SweepBlobsDeps, settleDeletedBlobs, sweepBlobs } from './blobs.ts'
import { eraseDeletedRows } from './erase-rows.ts'

export type SweepDeps = SweepBlobsDeps & Pick<Deps, 'log' | 'config'>

const HALF_AN_HOUR_SECONDS = 1_800
const HOUR_MS = 3_600_000
const DAYS_TO_KEEP_RECORDS = 400

/**
 * Defines the job that finishes deletions: when the server starts and then every half hour, or twice per grace period
 * if that is shorter. After a stop or a crash the next run finds everything again.
 */
export function defineSweepJob(deps: SweepDeps & { readonly jobs: Jobs }): void {
  const { blobGraceSeconds, eraseAfterSeconds } = deps.config.deletion
  const everySeconds = Math.ceil(Math.min(blobGraceSeconds / 2, eraseAfterSeconds / 2, HALF_AN_HOUR_SECONDS))
  const hasJumped = createJumpWatch(deps.clock)
  deps.jobs.define(
    'deletion-sweep',
    async (_data, { signal }) => {
      // A blob, or a deletion that runs, of this moment must not look like one that is an hour old.
      if (hasJumped()) {
        deps.log.warn('the clock was set; nothing is removed by its age for an hour')
        return
      }
      await expireRecords(deps)
      await removeOrphanedAttachments(deps)
      const sweep = () => sweepBlobs(deps, { graceMs: blobGraceSeconds * 1000, signal })
      const { removed, removedBytes } = await unlessBackup(deps, sweep)
      if (removed > 0) deps.log.info({ removed, removedBytes }, 'blobs that nothing refers to were removed')
      await settleDeletedBlobs(deps)
      signal.throwIfAborted()
      await eraseDeletedRows(deps, { afterMs: eraseAfterSeconds * 1000 })
    },
    { everySeconds, expireInSeconds: HOUR_MS / 1000, retryLimit: 0 },
  )
}

const NOTHING_REMOVED = { removed: 0, removedBytes: 0 }

/** A backup of another process copies blobs meanwhile; the next sweep removes them. */
async function unlessBackup({ relational, log }: SweepDeps, sweep: () => Promise<typeof NOTHING_REMOVED>) {
  if (relational.locks === undefined) return sweep()
  try {
    return await relational.locks.hold([BLOB_REMOVALS], async () => [], sweep)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'UNAVAILABLE')) throw error
    log.info({ err: error }, 'blobs are not removed while a backup or another sweep is running')
    return NOTHING_REMOVED
  }
}

/** Deletes old records, and marks those that a crash left running as failed, so that a user repeats them. */
async function expireRecords({ relational, clock }: SweepDeps): Promise<void> {
  const { db } = relational
  const now = clock()
  const oldest = timeOfEpochMs(now - DAYS_TO_KEEP_RECORDS * 24 * HOUR_MS)
  await db.delete(deletions).where(lt(deletions.created_at, oldest))
  const error = 'The server stopped during the deletion. Repeat the deletion to finish it.'
  const anHourAgo = timeOfEpochMs(now - HOUR_MS)
  await db
    .update(deletions)
    .set({ status: 'failed', error, ended_at: timeOfEpochMs(now) })
    .where(and(eq(deletions.status, 'running'), lt(deletions.updated_at, anHourAgo)))
}

const ONE_DAY_MS = 24 * 60 * 60 * 1000

/**
 * Removes attachment rows that have had no run for a day: the run was never sent, or was deleted while they arrived.
 * The next sweep removes their bytes.
 */
export async function removeOrphanedAttachments({
  analytics,
  clock,
}: Pick<Deps, 'analytics' | 'clock'>): Promise<void> {
  // The version of a row is its time in microseconds.
  const orphans = sql`
    version < ${uint((clock() - ONE_DAY_MS) * 1000)} and (tenant_id, run_id) not in (
      select tenant_id, id from run_keys final
      where (tenant_id, id) in (select tenant_id, run_id from run_attachments))`
  const found = await analytics.query(sql`select 1 from run_attachments where ${orphans} limit 1`, ANY_ROW)
  if (found.length > 0) await analytics.command(sql`delete from run_attachments where ${orphans}`)
}
