import type { QueueItemType } from '@touchstone/contract'
import { and, asc, isNotNull, isNull } from 'drizzle-orm'
import type { Database } from '../../storage/relational/port.ts'
import { type QueueItemRow, queueItems } from '../queue-items/index.ts'
import type { Desk } from './desk.ts'
import { type ItemFilter, matches } from './read-items.ts'
import { isMine, mine } from './sections.ts'

/**
 * The first item that needs the review of the caller, locked until the transaction ends. What others have locked this
 * moment is passed over: it is most likely taken, and whoever waits while holding locks may wait for ever.
 */
export async function lockFirst(tx: Database, desk: Desk, type?: QueueItemType): Promise<QueueItemRow | undefined> {
  for (;;) {
    // What the caller put back stands elsewhere. Apart, the others are read in the order of an index, and no further
    // than to the first: a queue of thousands need not be sorted for each reviewer.
    const candidates = [await lockCandidate(tx, desk, type, true), await lockCandidate(tx, desk, type, false)]
    const first = candidates.filter((one) => one !== undefined).sort(byPlace)[0]
    if (first === undefined) return undefined
    // The row is ours now, but its reviews may have changed since the statement began that found it.
    if (await needsMe(tx, desk, { ids: [first.item.id] })) return first.item
  }
}

/** Whether an item needs the review of the caller. */
export async function needsMe(db: Database, desk: Desk, which: ItemFilter): Promise<boolean> {
  const rows = await db
    .select({ id: queueItems.id })
    .from(queueItems)
    .leftJoin(mine, isMine(desk))
    .where(matches(desk, { ...which, section: 'needs_my_review' }))
    .limit(1)
  return rows.length > 0
}

interface Candidate {
  readonly item: QueueItemRow
  readonly at: string | null
}

async function lockCandidate(
  tx: Database,
  desk: Desk,
  type: QueueItemType | undefined,
  isPutBack: boolean,
): Promise<Candidate | undefined> {
  const at = isPutBack ? mine.override_added_at : queueItems.added_at
  const [row] = await tx
    .select({ item: queueItems, at })
    .from(queueItems)
    .leftJoin(mine, isMine(desk))
    .where(
      and(
        matches(desk, { section: 'needs_my_review', type }),
        (isPutBack ? isNotNull : isNull)(mine.override_added_at),
      ),
    )
    .orderBy(asc(at), asc(queueItems.number))
    .limit(1)
    .for('update', { of: queueItems, skipLocked: true })
  return row
}

function byPlace(a: Candidate, b: Candidate): number {
  if (a.at === b.at) return a.item.number - b.item.number
  return a.at! < b.at! ? -1 : 1
}
