import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { SweptBlobs } from '../../../http/metrics.ts'
import type { StoredBlob } from '../../../storage/blobs/port.ts'
import { blobSweeps } from '../../../storage/relational/tables/lifecycle.ts'
import { referencedBlobs } from './referenced-blobs.ts'

export type SweepBlobsDeps = Pick<Deps, 'analytics' | 'relational' | 'blobs' | 'clock' | 'metrics'>

/** Blobs for which references are looked up together. */
const AT_ONCE = 10_000

/**
 * Removes every blob that nothing refers to and that was put last before the grace period, and keeps what it found for
 * the usage page.
 *
 * Nothing is written when a blob is stored. What makes this safe: a row that refers to a blob is written within the grace
 * period after the blob was put or touched, and `Blobs.remove` spares what is put or touched meanwhile.
 */
export async function sweepBlobs(
  deps: SweepBlobsDeps,
  { graceMs, signal }: { readonly graceMs: number; readonly signal?: AbortSignal },
): Promise<SweptBlobs> {
  const notSinceMs = deps.clock() - graceMs
  const sum = { blobs: 0, bytes: 0, unreferenced: 0, unreferencedBytes: 0, removed: 0, removedBytes: 0 }
  for await (const some of gathered(deps.blobs.list())) {
    signal?.throwIfAborted()
    const referenced = await referencedBlobs(deps, some[0]!.key, some.at(-1)!.key)
    for (const { key, size, lastPutMs } of some) {
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
  await keep(deps, found)
  deps.metrics.sweptBlobs(found)
  return found
}

/** Whole batches in the order of keys, so that each is a range of keys. */
async function* gathered(lists: AsyncIterable<readonly StoredBlob[]>): AsyncGenerator<readonly StoredBlob[]> {
  let waiting: StoredBlob[] = []
  for await (const some of lists) {
    waiting.push(...some)
    if (waiting.length < AT_ONCE) continue
    yield waiting
    waiting = []
  }
  if (waiting.length > 0) yield waiting
}

async function keep({ relational }: SweepBlobsDeps, found: SweptBlobs): Promise<void> {
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
