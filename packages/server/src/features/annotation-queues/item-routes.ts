import { contract, type ItemSection, type ItemToReview, type QueueItem, type ReviewStatus } from '@touchstone/contract'
import { type App, RawJson, serve } from '../../http/serve.ts'
import type { QueueItemRow } from '../../storage/relational/tables/annotation-queues.ts'
import { type AddDeps, type Addition, addItems, removeItems } from './add-items.ts'
import { changeItem, getItem } from './change-items.ts'
import {
  countItems,
  findItemPosition,
  type ItemFilter,
  type ItemView,
  parseItemCursor,
  printItemCursor,
  readItems,
} from './read-items.ts'
import { itemNotFound, openReviewContext, type ReviewContext, reviewItem, takeNext } from './review-item.ts'
import { getQueue } from './store.ts'

/** Routes of queue items, which are runs or threads. */
export function queueItemRoutes(app: App, deps: AddDeps): void {
  const { annotationQueueItems: routes } = contract
  const { db } = deps.relational

  serve(app, routes.add, async ({ caller, params, body }) => {
    const items = await addItems(deps, caller.tenantId, params.queue_id, body.items.map(toAddition))
    return { items: items.map(presentItem) }
  })

  serve(app, routes.list, async ({ caller, params, query }) => {
    const context = await openReviewContext(deps, caller, params.queue_id)
    const filter = { section: toReviewStatus(query.status), type: query.item_type, ...toStartFilter(query) }
    const key = query.cursor === undefined ? undefined : parseItemCursor(query.cursor)
    const page = query.direction === 'backward' ? { before: key } : { from: key }
    const found = await readItems(db, context, filter, { ...page, limit: query.page_size + 1 })
    return query.direction === 'backward'
      ? presentPageBackward(found, query.page_size)
      : presentPage(found, query.page_size)
  })

  serve(app, routes.takeNext, async ({ caller, params }) => {
    const itemId = await takeNext(deps, caller, params.queue_id)
    if (itemId === undefined) return new RawJson('null')
    const context = await openReviewContext(deps, caller, params.queue_id)
    const [item] = await readItems(db, context, { ids: [itemId] }, { limit: 1 })
    if (item === undefined) throw itemNotFound()
    return presentListed(item)
  })

  serve(app, routes.count, async ({ caller, params, query }) => {
    const context = await openReviewContext(deps, caller, params.queue_id)
    return { count: await countItems(db, context, toCountFilter(query)) }
  })

  serve(app, routes.update, async ({ caller, params, body }) => {
    await getQueue(db, caller.tenantId, params.queue_id)
    const key = { tenantId: caller.tenantId, queueId: params.queue_id, id: params.item_id }
    return presentItem(await changeItem(db, key, body))
  })

  serve(app, routes.delete, async ({ caller, params, body }) => {
    await getQueue(db, caller.tenantId, params.queue_id)
    await removeItems(db, caller.tenantId, params.queue_id, body.item_ids)
    return {}
  })

  serve(app, routes.placement, async ({ caller, params }) => {
    const context: ReviewContext = await openReviewContext(deps, caller, params.queue_id)
    const item = await getItem(db, { tenantId: caller.tenantId, queueId: params.queue_id, id: params.item_id })
    const found = await findItemPosition(db, context, item.id)
    if (found === undefined) throw itemNotFound()
    const { section, position } = found
    const type = toItemType(found.item)
    return { item_type: type, section: toSectionName(section), position, cursor: printItemCursor(found) }
  })

  serve(app, routes.updateReview, ({ caller, params, body }) => reviewItem(deps, caller, params.item_id, body))
}

/** The cursor is that of the first item of the next page. */
function presentPage(found: readonly ItemView[], pageSize: number) {
  const next = found[pageSize]
  return { items: found.slice(0, pageSize).map(presentListed), next_cursor: next ? toCursor(next) : null }
}

/** @param found  ends before the cursor of the request, with one more item than the page when there are more */
function presentPageBackward(found: readonly ItemView[], pageSize: number) {
  const items = found.slice(-pageSize)
  const [first] = items
  return { items: items.map(presentListed), next_cursor: first && found.length > pageSize ? toCursor(first) : null }
}

const toCursor = ({ effectiveAddedAt, item }: ItemView) => printItemCursor({ effectiveAddedAt, number: item.number })

interface StartBounds {
  readonly min_start_time?: string | undefined
  readonly max_start_time?: string | undefined
}

interface CountQuery extends StartBounds {
  readonly status: 'all' | ItemSection
  readonly start_time?: string | undefined
  readonly end_time?: string | undefined
}

function toCountFilter({ status, start_time, end_time, ...bounds }: CountQuery): ItemFilter {
  const between = toStartFilter(bounds)
  if (status === 'all') return between
  if (status !== 'archived') return { section: status, ...between }
  return { isCompleted: true, completedAfter: start_time, completedBefore: end_time, ...between }
}

function toStartFilter({ min_start_time, max_start_time }: StartBounds): ItemFilter {
  return { startedFrom: min_start_time, startedUntil: max_start_time }
}

const toReviewStatus = (name: ItemSection): ReviewStatus => (name === 'archived' ? 'completed' : name)
const toSectionName = (section: ReviewStatus): ItemSection => (section === 'completed' ? 'archived' : section)
const toItemType = (item: QueueItemRow) => (item.run_id === null ? 'THREAD' : 'RUN')

function toAddition(item: ItemToReview): Addition {
  const sourceProposedExampleId = item.source_proposed_example_id
  if (item.item_type === 'RUN') return { runId: item.run_id ?? '', sourceProposedExampleId }
  const projectId = item.project_id ?? item.session_id ?? ''
  return { threadId: item.thread_id ?? '', projectId, sourceProposedExampleId }
}

function presentItem(item: QueueItemRow): QueueItem {
  return {
    id: item.id,
    queue_id: item.queue_id,
    item_type: toItemType(item),
    run_id: item.run_id,
    thread_id: item.thread_id,
    project_id: item.project_id,
    start_time: item.start_time,
    added_at: item.added_at,
    last_reviewed_time: item.last_reviewed_time,
    source_proposed_example_id: item.source_proposed_example_id,
  }
}

function presentListed({ item, completedBy, reservedBy, effectiveAddedAt }: ItemView) {
  return {
    ...presentItem(item),
    completed_by: completedBy,
    reserved_by: reservedBy,
    effective_added_at: effectiveAddedAt,
    assigned_to: [],
  }
}
