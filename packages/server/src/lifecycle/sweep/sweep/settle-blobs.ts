import { sql } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { rowsOf } from '../../../storage/relational/migrate.ts'
import { referencedBlobs } from './referenced-blobs.ts'

type SettleDeps = Pick<Deps, 'analytics' | 'relational' | 'blobs'>

const AT_ONCE = 2_000

/**
 * Tells the records of deletions what became of their bytes: removed, or kept because something else refers to them.
 * What still waits for its grace period is asked about again after the next sweep.
 */
export async function settleBlobs(deps: SettleDeps): Promise<void> {
  const { db } = deps.relational
  for (let after = ''; ; ) {
    const result = await db.execute(sql`
      select distinct blob from deletion_blobs where blob > ${after} order by blob limit ${AT_ONCE}`)
    const keys = rowsOf<{ blob: string }>(result).map((row) => row.blob)
    if (keys.length === 0) return
    const present = new Set<string>()
    for (const key of keys) if (await deps.blobs.has(key)) present.add(key)
    const referenced = present.size === 0 ? present : await referencedBlobs(deps, keys[0]!, keys.at(-1)!)
    await settle(
      deps,
      keys.filter((key) => !present.has(key)),
      'removed',
    )
    await settle(
      deps,
      keys.filter((key) => present.has(key) && referenced.has(key)),
      'kept',
    )
    after = keys.at(-1)!
  }
}

async function settle({ relational }: SettleDeps, keys: readonly string[], fate: 'removed' | 'kept'): Promise<void> {
  if (keys.length === 0) return
  const sums =
    fate === 'removed'
      ? sql`blobs_removed = blobs_removed + sums.n, blob_bytes_removed = blob_bytes_removed + sums.bytes`
      : sql`blobs_kept = blobs_kept + sums.n`
  await relational.db.execute(sql`
    with settled as (
      delete from deletion_blobs where blob = any(string_to_array(${keys.join(',')}::text, ','))
      returning deletion_id, bytes
    ), sums as (
      select deletion_id, count(*) as n, sum(bytes)::bigint as bytes from settled group by deletion_id
    )
    update deletions set ${sums} from sums where deletions.id = sums.deletion_id`)
}
