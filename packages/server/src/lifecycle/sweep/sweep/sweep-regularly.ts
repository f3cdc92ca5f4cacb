import { timeOfEpochMs } from '@touchstone/contract'
import { and, eq, lt } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import type { Jobs } from '../../../jobs/index.ts'
import { deletions } from '../../../storage/relational/tables/lifecycle.ts'
import { eraseDeletedRows } from './erase-rows.ts'
import { removeOrphanedAttachments } from './remove-orphans.ts'
import { settleBlobs } from './settle-blobs.ts'
import { type SweepBlobsDeps, sweepBlobs } from './sweep-blobs.ts'

export type SweepDeps = SweepBlobsDeps & Pick<Deps, 'log' | 'config'>

const HALF_AN_HOUR_SECONDS = 1_800
const HOUR_MS = 3_600_000
const DAYS_TO_KEEP_RECORDS = 400

/**
 * Defines the job that finishes deletions: at the start of the server and then every half an hour, or twice per grace
 * period if that is shorter. A stop or a crash leaves nothing that the next time does not find again.
 */
export function sweepRegularly(deps: SweepDeps & { readonly jobs: Jobs }): void {
  const { blobGraceSeconds, eraseAfterSeconds } = deps.config.deletion
  const everySeconds = Math.ceil(Math.min(blobGraceSeconds / 2, eraseAfterSeconds / 2, HALF_AN_HOUR_SECONDS))
  deps.jobs.define(
    'deletion-sweep',
    async (_data, { signal }) => {
      await forgetOldRecords(deps)
      await removeOrphanedAttachments(deps)
      const { removed, removedBytes } = await sweepBlobs(deps, { graceMs: blobGraceSeconds * 1000, signal })
      if (removed > 0) deps.log.info({ removed, removedBytes }, 'blobs that nothing refers to were removed')
      await settleBlobs(deps)
      signal.throwIfAborted()
      await eraseDeletedRows(deps, { afterMs: eraseAfterSeconds * 1000 })
    },
    { everySeconds, expireInSeconds: HOUR_MS / 1000, retryLimit: 0 },
  )
}

/** Old records go; what a crash left as running is marked as failed, so that somebody deletes it again. */
async function forgetOldRecords({ relational, clock }: SweepDeps): Promise<void> {
  const { db } = relational
  const now = clock()
  const oldest = timeOfEpochMs(now - DAYS_TO_KEEP_RECORDS * 24 * HOUR_MS)
  await db.delete(deletions).where(lt(deletions.created_at, oldest))
  const error = 'The server stopped half way. Delete the same again to finish.'
  const anHourAgo = timeOfEpochMs(now - HOUR_MS)
  await db
    .update(deletions)
    .set({ status: 'failed', error, ended_at: timeOfEpochMs(now) })
    .where(and(eq(deletions.status, 'running'), lt(deletions.updated_at, anHourAgo)))
}
