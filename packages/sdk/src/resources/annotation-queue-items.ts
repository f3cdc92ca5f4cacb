import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  AnnotationQueueAgreement,
  AnnotationQueueItem,
  AnnotationQueueItemPage,
  AnnotationQueueItemPlacement,
  AnnotationQueueItemSection,
  AnnotationQueueProgress,
  AnnotationQueueReview,
} from '../schemas.ts'
import { toQueueParams } from './annotation-queues.ts'
import type { ReviewRunParams } from './annotation-reviews.ts'
import { Calls } from './calls.ts'

export interface QueryAnnotationQueueItemsParams {
  /** A section as the caller sees it. */
  status: AnnotationQueueItemSection
  /** @default 100 */
  pageSize?: number | undefined
  /** From an earlier page, or from a placement. */
  cursor?: string | undefined
}

/** Items of queues, which are runs or threads, and how far they are reviewed; all calls of this file are extensions of ours. */
export class AnnotationQueueItemCalls extends Calls {
  /** One page of the items of a section, in the caller's order. */
  async queryAnnotationQueueItems(
    queueId: string,
    { status, pageSize, cursor }: QueryAnnotationQueueItemsParams,
    options: CallOptions = {},
  ): Promise<AnnotationQueueItemPage> {
    return await this.transport.call(routes.annotationQueueItems.list, {
      params: toQueueParams(queueId),
      query: { status, page_size: pageSize, cursor },
      doing: 'list annotation queue items',
      ...options,
    })
  }

  /** Reserves the first item that needs the caller's review; `undefined` when none does. */
  async takeAnnotationQueueItem(queueId: string, options: CallOptions = {}): Promise<AnnotationQueueItem | undefined> {
    const request = { params: toQueueParams(queueId), doing: 'take annotation queue item', ...options }
    return (await this.transport.call(routes.annotationQueueItems.takeNext, request)) ?? undefined
  }

  /** Section and place, from 0, of an item, and the cursor of the page that begins with it. */
  async readAnnotationQueueItemPlacement(
    queueId: string,
    itemId: string,
    options: CallOptions = {},
  ): Promise<AnnotationQueueItemPlacement> {
    assertUuid(itemId, 'itemId')
    const params = { ...toQueueParams(queueId), item_id: itemId }
    const doing = 'read annotation queue item placement'
    return await this.transport.call(routes.annotationQueueItems.placement, { params, doing, ...options })
  }

  /**
   * Changes the status of an item for the caller.
   *
   * @throws ConflictError while as many others hold it as may
   */
  async reviewAnnotationQueueItem(
    itemId: string,
    { status, overrideAddedAt }: ReviewRunParams,
    options: CallOptions = {},
  ): Promise<AnnotationQueueReview> {
    assertUuid(itemId, 'itemId')
    return await this.transport.call(routes.annotationQueueItems.updateReview, {
      params: { item_id: itemId },
      body: {
        status,
        override_added_at: overrideAddedAt instanceof Date ? overrideAddedAt.toISOString() : overrideAddedAt,
      },
      doing: 'review annotation queue item',
      ...options,
    })
  }

  /** Takes items out of a queue; their runs and threads stay. */
  async deleteAnnotationQueueItems(
    queueId: string,
    itemIds: readonly string[],
    options: CallOptions = {},
  ): Promise<void> {
    for (const [index, id] of itemIds.entries()) assertUuid(id, `itemIds[${index}]`)
    await this.transport.send(routes.annotationQueueItems.delete, {
      params: toQueueParams(queueId),
      body: { item_ids: [...itemIds] },
      doing: 'delete annotation queue items',
      ...options,
    })
  }

  /** Lets a person or a key review a queue whose access is `assigned`. */
  async addAnnotationQueueReviewer(queueId: string, identityId: string, options: CallOptions = {}): Promise<void> {
    assertUuid(identityId, 'identityId')
    await this.transport.send(routes.annotationQueueItems.addReviewer, {
      params: toQueueParams(queueId),
      body: { identity_id: identityId },
      doing: 'add annotation queue reviewer',
      ...options,
    })
  }

  async removeAnnotationQueueReviewer(queueId: string, identityId: string, options: CallOptions = {}): Promise<void> {
    assertUuid(identityId, 'identityId')
    await this.transport.send(routes.annotationQueueItems.removeReviewer, {
      params: { ...toQueueParams(queueId), identity_id: identityId },
      doing: 'remove annotation queue reviewer',
      ...options,
    })
  }

  /** How many items wait for the caller, wait for others and are completed, for up to 100 queues, in their order. */
  async readAnnotationQueueProgress(
    queueIds: readonly string[],
    options: CallOptions = {},
  ): Promise<AnnotationQueueProgress[]> {
    for (const [index, id] of queueIds.entries()) assertUuid(id, `queueIds[${index}]`)
    const request = { query: { ids: [...queueIds] }, doing: 'read annotation queue progress', ...options }
    return await this.transport.call(routes.annotationQueues.progress, request)
  }

  /** How far the reviewers agree on each question of the rubric, as Krippendorff's alpha. */
  async readAnnotationQueueAgreement(queueId: string, options: CallOptions = {}): Promise<AnnotationQueueAgreement> {
    const request = { params: toQueueParams(queueId), doing: 'read annotation queue agreement', ...options }
    return await this.transport.call(routes.annotationQueues.agreement, request)
  }
}
