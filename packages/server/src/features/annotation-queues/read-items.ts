import { ApiError, parseTime, type QueueItemType, type ReviewStatus } from '@touchstone/contract'
import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { isAnyOf } from '../../storage/relational/columns.ts'
import type { Database } from '../../storage/relational/port.ts'
import { type QueueItemRow, queueItems, queueReviews } from '../../storage/relational/tables/annotation-queues.ts'
import type { ReviewContext } from './review-item.ts'

/** An item from the view of the caller. */
export interface ItemView {
  readonly item: QueueItemRow
  readonly effectiveAddedAt: string
  /** Identities with a reservation. */
  readonly reservedBy: readonly string[]
  readonly completedBy: readonly string[]
}

/** A selection of the items of a queue; absent fields have no effect. */
export interface ItemFilter {
  readonly section?: ReviewStatus | undefined
  readonly isCompleted?: boolean | undefined
  readonly type?: QueueItemType | undefined
  readonly ids?: readonly string[] | undefined
  /** Completed at this time or later. */
  readonly completedFrom?: string | undefined
  /** Completed after this time. */
  readonly completedAfter?: string | undefined
  readonly completedBefore?: string | undefined
  /** Started at this time or later. */
  readonly startedFrom?: string | undefined
  /** Started at this time or earlier. */
  readonly startedUntil?: string | undefined
}

export interface ItemPage {
  readonly limit: number
  readonly offset?: number
  /** The page begins with this key. */
  readonly from?: ItemSortKey | undefined
  /** The page ends before this key. */
  readonly before?: ItemSortKey | undefined
}

/** A page of items in the order of the caller. */
export async function readItems(
  db: Database,
  context: ReviewContext,
  filter: ItemFilter,
  page: ItemPage,
): Promise<ItemView[]> {
  const direction = page.before === undefined ? asc : desc
  const rows = await db
    .select({ item: getTableColumns(queueItems), effectiveAddedAt })
    .from(queueItems)
    .leftJoin(mine, isMine(context))
    .where(
      and(
        matches(context, filter),
        page.from && sql`${ORDER} >= ${bindSortKey(page.from)}`,
        page.before && sql`${ORDER} < ${bindSortKey(page.before)}`,
      ),
    )
    .orderBy(direction(effectiveAddedAt), direction(queueItems.number))
    .offset(page.offset ?? 0)
    .limit(page.limit)
  const inOrder = page.before === undefined ? rows : rows.reverse()
  return withReviewers(db, context, inOrder)
}

export async function countItems(db: Database, context: ReviewContext, filter: ItemFilter): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(queueItems)
    .leftJoin(mine, isMine(context))
    .where(matches(context, filter))
  return row?.n ?? 0
}

export interface ItemPosition extends ItemSortKey {
  readonly item: QueueItemRow
  readonly section: ReviewStatus
  /** From 0, in its section. */
  readonly position: number
}

/**
 * Finds the position of an item for the caller.
 *
 * @param type  counts only items of this type before it
 */
export async function findItemPosition(
  db: Database,
  context: ReviewContext,
  itemId: string,
  type?: QueueItemType,
): Promise<ItemPosition | undefined> {
  const [row] = await db
    .select({ item: getTableColumns(queueItems), effectiveAddedAt, section: selectSection(context) })
    .from(queueItems)
    .leftJoin(mine, isMine(context))
    .where(and(matches(context, { ids: [itemId] })))
  if (row === undefined) return undefined
  const key = { effectiveAddedAt: row.effectiveAddedAt, number: row.item.number }
  const [before] = await db
    .select({ n: count() })
    .from(queueItems)
    .leftJoin(mine, isMine(context))
    .where(and(matches(context, { section: row.section, type }), sql`${ORDER} < ${bindSortKey(key)}`))
  return { ...row, ...key, position: before?.n ?? 0 }
}

/** The review of the caller; join it by `isMine`. */
export const mine = alias(queueReviews, 'mine')

export const isMine = ({ identityId }: ReviewContext) =>
  and(eq(mine.item_id, queueItems.id), eq(mine.identity_id, identityId))

/** Time that orders the items of the caller. */
const effectiveAddedAt = sql<string>`coalesce(${mine.override_added_at}, ${queueItems.added_at})`.mapWith(
  queueItems.added_at,
)

const ORDER = sql`(${effectiveAddedAt}, ${queueItems.number})`
const bindSortKey = (key: ItemSortKey) => sql`(${key.effectiveAddedAt}::timestamptz, ${key.number}::bigint)`

export function matches(context: ReviewContext, filter: ItemFilter): SQL | undefined {
  const { section, isCompleted, type, ids, completedFrom, completedAfter, completedBefore } = filter
  const { startedFrom, startedUntil } = filter
  return and(
    eq(queueItems.queue_id, context.queue.id),
    eq(queueItems.tenant_id, context.queue.tenant_id),
    type && (type === 'RUN' ? isNotNull : isNull)(queueItems.run_id),
    ids && isAnyOf(queueItems.id, ids),
    isCompleted === undefined ? undefined : (isCompleted ? isNotNull : isNull)(queueItems.completed_at),
    completedFrom ? gte(queueItems.completed_at, completedFrom) : undefined,
    completedAfter ? sql`${queueItems.completed_at} > ${completedAfter}::timestamptz` : undefined,
    completedBefore ? lt(queueItems.completed_at, completedBefore) : undefined,
    startedFrom ? gte(queueItems.start_time, startedFrom) : undefined,
    startedUntil ? lte(queueItems.start_time, startedUntil) : undefined,
    section && inSection(context, section),
  )
}

/** Adds the reviewers who hold or have completed each item. */
export async function withReviewers<Row extends { readonly item: QueueItemRow }>(
  db: Database,
  { queue, now }: ReviewContext,
  rows: readonly Row[],
): Promise<(Row & Pick<ItemView, 'reservedBy' | 'completedBy'>)[]> {
  if (rows.length === 0) return []
  const inItems = isAnyOf(
    queueReviews.item_id,
    rows.map(({ item }) => item.id),
  )
  const isHeld = sql<boolean>`coalesce(${queueReviews.reserved_until} > ${now}::timestamptz, false)`
  const reviews = await db
    .select({ itemId: queueReviews.item_id, by: queueReviews.identity_id, at: queueReviews.completed_at, isHeld })
    .from(queueReviews)
    .where(and(inItems, or(isNotNull(queueReviews.completed_at), isHeld)))
    .orderBy(queueReviews.completed_at, queueReviews.identity_id)
  return rows.map((row) => {
    const itemReviews = reviews.filter((review) => review.itemId === row.item.id)
    const done = itemReviews.filter((review) => review.at !== null)
    const held = queue.enable_reservations ? itemReviews.filter((review) => review.at === null) : []
    return { ...row, reservedBy: held.map((review) => review.by), completedBy: done.map((review) => review.by) }
  })
}

/** The key of an item in the order of a caller. */
interface ItemSortKey {
  readonly effectiveAddedAt: string
  readonly number: number
}

export function printItemCursor({ effectiveAddedAt, number }: ItemSortKey): string {
  return Buffer.from(`${effectiveAddedAt} ${number}`).toString('base64url')
}

/** @throws ApiError INVALID_REQUEST for a text that is not a cursor of this server */
export function parseItemCursor(text: string): ItemSortKey {
  const [time, number = ''] = Buffer.from(text, 'base64url').toString().split(' ')
  const effectiveAddedAt = parseTime(time)
  if (effectiveAddedAt !== undefined && /^\d{1,15}$/.test(number)) return { effectiveAddedAt, number: Number(number) }
  throw new ApiError('INVALID_REQUEST', 'The cursor is not valid. Start again without it.')
}

/** Each item is in one of the three sections for a caller. */
export function inSection(context: ReviewContext, section: ReviewStatus): SQL {
  if (section === 'completed') return sql`${queueItems.completed_at} is not null`
  const takes = canTake(context)
  return sql`${queueItems.completed_at} is null and ${section === 'needs_my_review' ? takes : sql`not ${takes}`}`
}

/** Section of an item, as text. */
function selectSection(context: ReviewContext): SQL<ReviewStatus> {
  return sql`case
    when ${queueItems.completed_at} is not null then 'completed'
    when ${canTake(context)} then 'needs_my_review'
    else 'needs_others_review' end`
}

/** The caller has not completed the item, and more reviews are required. */
function canTake(context: ReviewContext): SQL {
  return sql`(${isNull(mine.completed_at)} and ${isAvailable(context)})`
}

/** The caller may review, and fewer other reviewers than required have completed the item or hold it. */
export function isAvailable(context: ReviewContext): SQL {
  return context.mayReview ? sql`${countOtherReviewers(context)} < ${context.required}::int` : sql`false`
}

/** Number of other reviewers who have completed an item or hold it. */
function countOtherReviewers({ queue, identityId, now }: ReviewContext): SQL {
  const held = queue.enable_reservations ? sql`or other.reserved_until > ${now}::timestamptz` : sql``
  return sql`(
    select count(*) from annotation_queue_reviews as other
    where other.item_id = ${queueItems.id} and other.identity_id <> ${identityId}::uuid
      and (other.completed_at is not null ${held}))`
}
