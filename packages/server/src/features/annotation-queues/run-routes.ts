import { contract, type QueueEntry } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { withOrigin } from '../../http/request-origin.ts'
import { sendText } from '../../http/responses.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import type { QueueItemRow } from '../../storage/relational/tables/annotation-queues.ts'
import { presentExample } from '../datasets/examples/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { addExample } from './add-example.ts'
import { type AddDeps, addItems, removeItems } from './add-items.ts'
import { changeItem, getItem, removeRuns } from './change-items.ts'
import { writeQueueCsv } from './export-runs.ts'
import { listQueueRuns, readQueueRun } from './queue-runs.ts'
import { countItems, findItemPosition, type ItemFilter } from './read-items.ts'
import { itemNotFound, openReviewContext, reviewItem, takeNext } from './review-item.ts'
import { getQueue } from './store.ts'

/** Routes of older clients for the runs of queues; threads are omitted. */
export function queueRunRoutes(app: App, deps: AddDeps & RunViewDeps & Pick<Deps, 'config'>): void {
  const { annotationQueues: routes } = contract
  const { db } = deps.relational

  for (const route of [routes.addRuns, routes.addRunsByKey] as const) {
    serve(app, route, async ({ caller, params, body }) => {
      const runs = body.map((one) => ({
        runId: one.run_id,
        sourceProposedExampleId: one.source_proposed_example_id,
      }))
      return (await addItems(deps, caller.tenantId, params.queue_id, runs)).map(presentEntry)
    })
  }

  serve(app, routes.listRuns, async ({ caller, params, query, request }) => {
    const context = await openReviewContext(deps, caller, params.queue_id)
    const filter = { section: query.status, isCompleted: query.archived }
    const page = { offset: query.offset, limit: query.limit }
    const texts = await listQueueRuns(withOrigin(deps, request), context, filter, page, {
      withStats: query.include_stats,
    })
    return new RawJson(`[${texts.join(',')}]`)
  })

  serve(app, routes.readRun, async ({ caller, params, query, request }) => {
    const context = await openReviewContext(deps, caller, params.queue_id)
    const options = { withExtra: query.include_extra }
    return new RawJson(
      await readQueueRun(withOrigin(deps, request), context, sectionOrOpen(query.status), params.index, options),
    )
  })

  serve(app, routes.takeNext, async ({ caller, params, request }) => {
    for (;;) {
      const itemId = await takeNext(deps, caller, params.queue_id, 'RUN')
      if (itemId === undefined) return new RawJson('null')
      const context = await openReviewContext(deps, caller, params.queue_id)
      const [text] = await listQueueRuns(withOrigin(deps, request), context, { ids: [itemId] }, { limit: 1 })
      if (text !== undefined) return new RawJson(text) // otherwise the run was deleted, and its item was removed
    }
  })

  serve(app, routes.updateReview, ({ caller, params, body }) => reviewItem(deps, caller, params.queue_run_id, body))

  serve(app, routes.updateRun, async ({ caller, params, body }) => {
    return presentEntry(await changeItem(db, toQueueKey(caller.tenantId, params), body))
  })

  serve(app, routes.deleteRun, async ({ caller, params }) => {
    await getQueue(db, caller.tenantId, params.queue_id)
    const item = await getItem(db, toQueueKey(caller.tenantId, params))
    await removeItems(db, caller.tenantId, params.queue_id, [item.id])
    return new RawJson('null')
  })

  serve(app, routes.deleteRuns, async ({ caller, params, body }) => {
    await getQueue(db, caller.tenantId, params.queue_id)
    return { removed: await removeRuns(db, { tenantId: caller.tenantId, queueId: params.queue_id }, body) }
  })

  serve(app, routes.addExample, async ({ caller, params, body, bodyText }) => {
    await getQueue(db, caller.tenantId, params.queue_id)
    const item = await getItem(db, toQueueKey(caller.tenantId, params))
    const key = { queueId: params.queue_id, itemId: item.id }
    return new RawJson(presentExample(await addExample(deps, caller.tenantId, key, body, bodyText)))
  })

  serve(app, routes.size, async ({ caller, params, query }) => {
    const context = await openReviewContext(deps, caller, params.queue_id)
    return { size: await countItems(db, context, { ...sectionOrOpen(query.status), type: 'RUN' }) }
  })

  serve(app, routes.totalSize, async ({ caller, params }) => {
    const context = await openReviewContext(deps, caller, params.queue_id)
    return { size: await countItems(db, context, { type: 'RUN' }) }
  })

  serve(app, routes.totalArchived, async ({ caller, params, query }) => {
    const context = await openReviewContext(deps, caller, params.queue_id)
    const window = { completedFrom: query.start_time, completedBefore: query.end_time }
    return { size: await countItems(db, context, { type: 'RUN', isCompleted: true, ...window }) }
  })

  serve(app, routes.export, async ({ caller, params, body, reply }) => {
    const context = await openReviewContext(deps, caller, params.queue_id)
    const file = { contentType: 'text/csv; charset=utf-8', fileName: `${context.queue.name}.csv` }
    return sendText(reply, writeQueueCsv(deps, context, body), file)
  })

  serve(app, routes.resolveRun, async ({ caller, params }) => {
    const context = await openReviewContext(deps, caller, params.queue_id)
    const item = await getItem(db, toQueueKey(caller.tenantId, params))
    const placement = await findItemPosition(db, context, item.id, 'RUN')
    if (placement === undefined) throw itemNotFound()
    return { section: placement.section, position: placement.position }
  })
}

/** Without a section, all items that are not completed. */
function sectionOrOpen(section: ItemFilter['section']): ItemFilter {
  return section === undefined ? { isCompleted: false } : { section }
}

function toQueueKey(tenantId: string, params: { readonly queue_id: string; readonly queue_run_id: string }) {
  return { tenantId, queueId: params.queue_id, id: params.queue_run_id }
}

function presentEntry(item: QueueItemRow): QueueEntry {
  return {
    id: item.id,
    queue_id: item.queue_id,
    run_id: item.run_id ?? '',
    added_at: item.added_at,
    last_reviewed_time: item.last_reviewed_time,
    source_proposed_example_id: item.source_proposed_example_id,
  }
}
