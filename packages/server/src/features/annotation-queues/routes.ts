import { ApiError, contract } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type App, RawJson, serve } from '../../http/serve.ts'
import { toIdentityId } from '../accounts/auth/index.ts'
import type { RunViewDeps } from '../runs/index.ts'
import type { AddDeps } from './add-items.ts'
import { queueItemRoutes } from './item-routes.ts'
import { populateQueue } from './populate-queue.ts'
import { listRubricKeys, presentQueue, presentWithRubric, readReviewers } from './present.ts'
import { readAgreement } from './read-agreement.ts'
import { readProgress } from './read-progress.ts'
import { assignReviewer, releaseReviewer } from './review-item.ts'
import { queueRunRoutes } from './run-routes.ts'
import { changeQueue, createQueue } from './save-queue.ts'
import { deleteQueues, getQueue, selectQueues, selectQueuesOfRun } from './store.ts'

export function annotationQueueRoutes(app: App, deps: AddDeps & RunViewDeps & Pick<Deps, 'config'>): void {
  queueRoutes(app, deps)
  queueRunRoutes(app, deps)
  queueItemRoutes(app, deps)
}

type QueueDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids'>

const MAX_DELETED = 100

function queueRoutes(app: App, deps: QueueDeps): void {
  const { annotationQueues: routes, annotationQueueItems } = contract
  const { db } = deps.relational

  serve(app, routes.list, async ({ caller, query }) => {
    const rows = await selectQueues(db, caller.tenantId, query, toIdentityId(caller))
    const ids = rows.map(({ queue }) => queue.id)
    const reviewers = await readReviewers(deps, caller.tenantId, ids)
    const texts = rows.map(({ queue, totalRuns }) =>
      presentQueue(queue, reviewers, {
        total_runs: String(totalRuns),
        ...(query.include_rubric_keys && { rubric_keys: JSON.stringify(listRubricKeys(queue)) }),
      }),
    )
    return new RawJson(`[${texts.join(',')}]`)
  })

  serve(app, routes.create, async ({ caller, body, bodyText }) => {
    const row = await createQueue(deps, caller.tenantId, body, bodyText)
    return new RawJson(presentQueue(row, () => []))
  })

  serve(app, routes.read, async ({ caller, params }) => {
    const row = await getQueue(db, caller.tenantId, params.queue_id)
    return new RawJson(await presentWithRubric(deps, row))
  })

  serve(app, routes.update, async ({ caller, params, body, bodyText }) => {
    const row = await changeQueue(deps, caller.tenantId, params.queue_id, body, bodyText)
    return new RawJson(await presentWithRubric(deps, row))
  })

  serve(app, routes.delete, async ({ caller, params }) => {
    await getQueue(db, caller.tenantId, params.queue_id)
    await deleteQueues(db, caller.tenantId, [params.queue_id])
    return new RawJson('null')
  })

  serve(app, routes.deleteMany, async ({ caller, query, reply }) => {
    const ids = [...new Set(query.queue_ids ?? [])]
    if (ids.length === 0 || ids.length > MAX_DELETED) {
      throw new ApiError('INVALID_REQUEST', `Name 1 to ${MAX_DELETED} queues by queue_ids.`)
    }
    const deleted = await deleteQueues(db, caller.tenantId, ids)
    if (deleted.length === 0) throw new ApiError('NOT_FOUND', 'Annotation queue not found')
    if (deleted.length === ids.length) return { deleted }
    const failed = ids.filter((id) => !deleted.includes(id)).map((id) => ({ id, error: 'Annotation queue not found' }))
    return reply.code(207).header('content-type', 'application/json').send(JSON.stringify({ deleted, failed }))
  })

  serve(app, routes.progress, ({ caller, query }) => readProgress(deps, caller, [...new Set(query.ids ?? [])]))

  serve(app, routes.agreement, async ({ caller, params }) =>
    readAgreement(deps, await getQueue(db, caller.tenantId, params.queue_id)),
  )

  serve(app, routes.populate, async ({ caller, body }) => ({
    added: await populateQueue(deps, caller.tenantId, body.queue_id, body),
  }))

  serve(app, routes.queuesOfRun, async ({ caller, params }) => {
    const rows = await selectQueuesOfRun(db, caller.tenantId, params.run_id)
    const ids = rows.map((row) => row.id)
    const reviewers = await readReviewers(deps, caller.tenantId, ids)
    return new RawJson(`[${rows.map((row) => presentQueue(row, reviewers)).join(',')}]`)
  })

  serve(app, annotationQueueItems.addReviewer, async ({ caller, params, body }) => {
    await assignReviewer(deps, caller.tenantId, params.queue_id, body.identity_id)
    return { identity_id: body.identity_id }
  })

  serve(app, annotationQueueItems.removeReviewer, ({ caller, params }) =>
    releaseReviewer(deps, caller.tenantId, params.queue_id, params.identity_id),
  )
}
