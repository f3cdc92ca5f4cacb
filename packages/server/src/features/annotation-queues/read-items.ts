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

/** An item as the caller sees it. */
export interface ItemView {
  readonly item: QueueItemRow
  readonly effectiveAddedAt: string
  /** Identities that hold it now. */
  readonly reservedBy: readonly string[]
  readonly completedBy: readonly string[]
}

/** Which items of a queue; absent fields narrow nothing. */
export interface ItemFilter {
  readonly section?: ReviewStatus | undefined
  readonly isCompleted?: boolean | undefined
  readonly type?: QueueItemType | undefined
  readonly ids?: readonly string[] | undefined
  /** Completed then or later. */
  readonly completedFrom?: string | undefined
  /** Completed later than that. */
  readonly completedAfter?: string | undefined
  readonly completedBefore?: string | undefined
  /** Started then or later. */
  readonly startedFrom?: string | undefined
  /** Started then or earlier. */
  readonly startedUntil?: string | undefined
}

export interface ItemPage {
  readonly limit: number
  readonly offset?: number
  /** The page begins with this place. */
  readonly from?: ItemPlace | undefined
  /** The page ends before this place. */
  readonly before?: ItemPlace | undefined
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
        page.from && sql`${ORDER} >= ${placed(page.from)}`,
        page.before && sql`${ORDER} < ${placed(page.before)}`,
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

export interface Placement extends ItemPlace {
  readonly item: QueueItemRow
  readonly section: ReviewStatus
  /** From 0, in its section. */
  readonly position: number
}

/**
 * Where an item stands for the caller.
 *
 * @param type  counts only items of that type before it
 */
export async function placeItem(
  db: Database,
  context: ReviewContext,
  itemId: string,
  type?: QueueItemType,
): Promise<Placement | undefined> {
  const [row] = await db
    .select({ item: getTableColumns(queueItems), effectiveAddedAt, section: selectSection(context) })
    .from(queueItems)
    .leftJoin(mine, isMine(context))
    .where(and(matches(context, { ids: [itemId] })))
  if (row === undefined) return undefined
  const place = { effectiveAddedAt: row.effectiveAddedAt, number: row.item.number }
  const [before] = await db
    .select({ n: count() })
    .from(queueItems)
    .leftJoin(mine, isMine(context))
    .where(and(matches(context, { section: row.section, type }), sql`${ORDER} < ${placed(place)}`))
  return { ...row, ...place, position: before?.n ?? 0 }
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
const placed = (place: ItemPlace) => sql`(${place.effectiveAddedAt}::timestamptz, ${place.number}::bigint)`

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

/** Adds who holds and who completed each item. */
export async function withReviewers<Row extends { readonly item: QueueItemRow }>(
  db: Database,
  { queue, now }: ReviewContext,
  rows: readonly Row[],
): Promise<(Row & Pick<ItemView, 'reservedBy' | 'completedBy'>)[]> {
  if (rows.length === 0) return []
  const ofItems = isAnyOf(
    queueReviews.item_id,
    rows.map(({ item }) => item.id),
  )
  const isHeld = sql<boolean>`coalesce(${queueReviews.reserved_until} > ${now}::timestamptz, false)`
  const reviews = await db
    .select({ itemId: queueReviews.item_id, by: queueReviews.identity_id, at: queueReviews.completed_at, isHeld })
    .from(queueReviews)
    .where(and(ofItems, or(isNotNull(queueReviews.completed_at), isHeld)))
    .orderBy(queueReviews.completed_at, queueReviews.identity_id)
  return rows.map((row) => {
    const ofItem = reviews.filter((review) => review.itemId === row.item.id)
    const done = ofItem.filter((review) => review.at !== null)
    const held = queue.enable_reservations ? ofItem.filter((review) => review.at === null) : []
    return { ...row, reservedBy: held.map((review) => review.by), completedBy: done.map((review) => review.by) }
  })
}

/** Where an item stands in the order of a caller. */
interface ItemPlace {
  readonly effectiveAddedAt: string
  readonly number: number
}

export function printItemCursor({ effectiveAddedAt, number }: ItemPlace): string {
  return Buffer.from(`${effectiveAddedAt} ${number}`).toString('base64url')
}

/** @throws ApiError INVALID_REQUEST for what is no cursor of ours */
export function parseItemCursor(text: string): ItemPlace {
  const [time, number = ''] = Buffer.from(text, 'base64url').toString().split(' ')
  const effectiveAddedAt = parseTime(time)
  if (effectiveAddedAt !== undefined && /^\d{1,15}$/.test(number)) return { effectiveAddedAt, number: Number(number) }
  throw new ApiError('INVALID_REQUEST', 'The cursor is none that this server gave out.')
}

/** The three sections divide the items of a queue for a caller. */
function inSection(context: ReviewContext, section: ReviewStatus): SQL {
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

/** The caller has not completed the item, and others leave a place. */
function canTake(context: ReviewContext): SQL {
  return sql`(${isNull(mine.completed_at)} and ${hasPlace(context)})`
}

/** The caller may review, and fewer others than the queue asks for have completed the item or hold it. */
export function hasPlace(context: ReviewContext): SQL {
  return context.mayReview ? sql`${placesTaken(context)} < ${context.required}::int` : sql`false`
}

/** How many others have completed an item or hold it. */
function placesTaken({ queue, identityId, now }: ReviewContext): SQL {
  const held = queue.enable_reservations ? sql`or other.reserved_until > ${now}::timestamptz` : sql``
  return sql`(
    select count(*) from annotation_queue_reviews as other
    where other.item_id = ${queueItems.id} and other.identity_id <> ${identityId}::uuid
      and (other.completed_at is not null ${held}))`
}
