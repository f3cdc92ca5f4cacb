import { timeOfEpochMs } from '@touchstone/contract'
import { sql as pg } from 'drizzle-orm'
import type { Deps } from '../../deps.ts'
import type { SweptBlobs } from '../../http/metrics.ts'
import { sql, text } from '../../storage/analytics/sql.ts'
import type { StoredBlob } from '../../storage/blobs/port.ts'
import { toRows } from '../../storage/relational/migrate.ts'
import { blobSweeps } from '../../storage/relational/tables/lifecycle.ts'
import { columns, text as string } from '../../storage/rows.ts'

export type SweepBlobsDeps = Pick<Deps, 'analytics' | 'relational' | 'blobs' | 'clock' | 'metrics'>

/** Blobs whose references are read together. */
const AT_ONCE = 10_000

/**
 * Removes every blob without references that was last put before the grace period, and stores the totals for the
 * usage page.
 *
 * Storing a blob writes no row. This is safe because a row that references a blob is written within the grace period
 * after the blob was put or touched, and `Blobs.remove` keeps a blob that is put or touched meanwhile.
 */
export async function sweepBlobs(
  deps: SweepBlobsDeps,
  { graceMs, signal }: { readonly graceMs: number; readonly signal?: AbortSignal },
): Promise<SweptBlobs> {
  const notSinceMs = deps.clock() - graceMs
  const sum = { blobs: 0, bytes: 0, unreferenced: 0, unreferencedBytes: 0, removed: 0, removedBytes: 0 }
  for await (const blobs of toBatches(deps.blobs.list())) {
    signal?.throwIfAborted()
    const [first, last] = [blobs.at(0), blobs.at(-1)]
    if (first === undefined || last === undefined) continue
    const referenced = await selectReferencedBlobs(deps, first.key, last.key)
    for (const { key, size, lastPutMs } of blobs) {
      sum.blobs++
      sum.bytes += size
      if (referenced.has(key)) continue
      if (lastPutMs < notSinceMs && (await deps.blobs.remove(key, notSinceMs))) {
        sum.blobs--
        sum.bytes -= size
        sum.removed++
        sum.removedBytes += size
      } else {
        sum.unreferenced++
        sum.unreferencedBytes += size
      }
    }
  }
  await deps.blobs.removeLeftovers(notSinceMs)
  const found = { ...sum, endedAtMs: deps.clock() }
  await upsertSweep(deps, found)
  deps.metrics.sweptBlobs(found)
  return found
}

/** Joins lists into larger batches, ordered by key, so that each batch is a range of keys. */
async function* toBatches(lists: AsyncIterable<readonly StoredBlob[]>): AsyncGenerator<readonly StoredBlob[]> {
  let waiting: StoredBlob[] = []
  for await (const some of lists) {
    waiting.push(...some)
    if (waiting.length < AT_ONCE) continue
    yield waiting
    waiting = []
  }
  if (waiting.length > 0) yield waiting
}

async function upsertSweep({ relational }: SweepBlobsDeps, found: SweptBlobs): Promise<void> {
  const { endedAtMs, unreferencedBytes, removedBytes, ...same } = found
  const row = {
    ...same,
    ended_at: timeOfEpochMs(endedAtMs),
    unreferenced_bytes: unreferencedBytes,
    removed_bytes: removedBytes,
  }
  await relational.db
    .insert(blobSweeps)
    .values({ id: true, ...row })
    .onConflictDoUpdate({ target: blobSweeps.id, set: row })
}

const BLOB_ROW = columns({ blob: string })

const SETTLED_AT_ONCE = 2_000

/**
 * Records in each deletion whether its blobs were removed, or kept because of another reference. Blobs within their
 * grace period are checked again after the next sweep.
 */
export async function settleDeletedBlobs(deps: SweepBlobsDeps): Promise<void> {
  const { db } = deps.relational
  for (let after = ''; ; ) {
    const result = await db.execute(pg`
      select distinct blob from deletion_blobs where blob > ${after} order by blob limit ${SETTLED_AT_ONCE}`)
    const keys = toRows(result, BLOB_ROW).map((row) => row.blob)
    const [first, last] = [keys.at(0), keys.at(-1)]
    if (first === undefined || last === undefined) return
    const present = new Set<string>()
    for (const key of keys) if (await deps.blobs.has(key)) present.add(key)
    const referenced = present.size === 0 ? present : await selectReferencedBlobs(deps, first, last)
    const removed = keys.filter((key) => !present.has(key))
    const kept = keys.filter((key) => present.has(key) && referenced.has(key))
    await recordOutcome(deps, removed, 'removed')
    await recordOutcome(deps, kept, 'kept')
    after = last
  }
}

async function recordOutcome(
  { relational }: SweepBlobsDeps,
  keys: readonly string[],
  outcome: 'removed' | 'kept',
): Promise<void> {
  if (keys.length === 0) return
  const sums =
    outcome === 'removed'
      ? pg`blobs_removed = blobs_removed + sums.n, blob_bytes_removed = blob_bytes_removed + sums.bytes`
      : pg`blobs_kept = blobs_kept + sums.n`
  await relational.db.execute(pg`
    with settled as (
      delete from deletion_blobs where blob = any(string_to_array(${keys.join(',')}::text, ','))
      returning deletion_id, bytes
    ), sums as (
      select deletion_id, count(*) as n, sum(bytes)::bigint as bytes from settled group by deletion_id
    )
    update deletions set ${sums} from sums where deletions.id = sums.deletion_id`)
}

/**
 * Keys between `first` and `last`, both included, that a run, an example version or an exported file references. Covers all workspaces:
 * equal bytes are stored once for all of them.
 */
async function selectReferencedBlobs(
  { analytics, relational }: Pick<Deps, 'analytics' | 'relational'>,
  first: string,
  last: string,
): Promise<Set<string>> {
  const [ofRuns, ofExamples, ofExports] = await Promise.all([
    analytics.query(
      sql`select distinct blob from run_attachments final where blob >= ${text(first)} and blob <= ${text(last)}`,
      BLOB_ROW,
    ),
    // As text: a name may hold characters that jsonb rejects. A quotation mark in a name is escaped and does not
    // match.
    relational.db.execute(pg`
      select distinct found.blob
      from example_states, lateral (
        select (regexp_matches(attachments, '"hash":"([0-9a-f]{64})"', 'g'))[1] as blob) as found
      where attachments <> '[]' and found.blob >= ${first} and found.blob <= ${last}`),
    relational.db.execute(pg`select blob from bulk_job_parts where blob >= ${first} and blob <= ${last}`),
  ])
  const inTables = [ofExamples, ofExports].flatMap((found) => toRows(found, BLOB_ROW))
  return new Set([...ofRuns, ...inTables].map((row) => row.blob))
}
