import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type {
  AnnotationQueue,
  AnnotationQueueRubricItem,
  AnnotationQueueWithDetails,
  KVMap,
  ReviewStatus,
  RunKey,
  RunWithAnnotationQueueInfo,
} from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'
import { readable } from './runs.ts'

export interface ListAnnotationQueuesParams {
  queueIds?: string[] | undefined
  /** Exact. */
  name?: string | undefined
  /** Part of the name, in any case. */
  nameContains?: string | undefined
  /** Adds `rubric_keys` to each queue. @default false */
  includeRubricKeys?: boolean | undefined
  /** Caps the total. */
  limit?: number | undefined
}

export interface UpdateAnnotationQueueParams {
  name?: string | undefined
  description?: string | undefined
  /** Instructions for reviewers of the whole queue. */
  rubricInstructions?: string | undefined
  /** `[]` clears them. */
  rubricItems?: AnnotationQueueRubricItem[] | undefined
  /** Where corrections go; null: nowhere. An extension of ours, as are all below. */
  defaultDataset?: string | null | undefined
  /** How many different reviewers complete an item; null: all who may. @default 1 */
  numReviewersPerItem?: number | null | undefined
  /** @default true */
  enableReservations?: boolean | undefined
  /** @default 1 */
  reservationMinutes?: number | undefined
  /** @default any */
  reviewerAccessMode?: 'any' | 'assigned' | undefined
  /** Whether reviewers see the feedback of other people on an item only after they have completed it. @default false */
  hideOthersScores?: boolean | undefined
  metadata?: KVMap | undefined
}

export interface CreateAnnotationQueueParams extends UpdateAnnotationQueueParams {
  name: string
  /** @default a random one */
  queueId?: string | undefined
  /** Experiments whose root runs fill the queue; two make it pairwise. */
  sessionIds?: string[] | undefined
}

/** Queues and the runs in them; what reviewers do with a run is in `annotation-reviews.ts`. */
export class AnnotationQueueCalls extends Calls {
  /** Queues of the workspace, newest first, fetched a page at a time. */
  async *listAnnotationQueues(
    params: ListAnnotationQueuesParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<AnnotationQueue> {
    const { queueIds = [], name, nameContains, includeRubricKeys, limit } = params
    for (const [index, id] of queueIds.entries()) assertUuid(id, `queueIds[${index}]`)
    const query = {
      ids: queueIds,
      name: name || undefined,
      name_contains: nameContains || undefined,
      include_rubric_keys: includeRubricKeys,
    }
    const request = { query, ...options }
    yield* offsetPages(this.transport, routes.annotationQueues.list, request, { limit })
  }

  /** @throws ConflictError when a queue with this id exists */
  async createAnnotationQueue(
    params: CreateAnnotationQueueParams,
    options: CallOptions = {},
  ): Promise<AnnotationQueueWithDetails> {
    const { queueId, sessionIds, ...rest } = params
    if (queueId !== undefined) assertUuid(queueId, 'queueId')
    for (const [index, id] of (sessionIds ?? []).entries()) assertUuid(id, `sessionIds[${index}]`)
    return await this.transport.call(routes.annotationQueues.create, {
      body: {
        id: queueId ?? globalThis.crypto.randomUUID(),
        ...toBody(rest),
        name: params.name,
        session_ids: sessionIds,
      },
      doing: 'create annotation queue',
      ...options,
    })
  }

  async readAnnotationQueue(queueId: string, options: CallOptions = {}): Promise<AnnotationQueueWithDetails> {
    const doing = 'read annotation queue'
    return await this.transport.call(routes.annotationQueues.read, {
      params: toQueueParams(queueId),
      doing,
      ...options,
    })
  }

  /**
   * Changes what is given and leaves the rest.
   *
   * @param params  `expected`: what the change is based on, field by field. An extension of ours
   * @throws ConflictError when a field does not have its expected value
   */
  async updateAnnotationQueue(
    queueId: string,
    { expected, ...params }: UpdateAnnotationQueueParams & { expected?: UpdateAnnotationQueueParams | undefined },
    options: CallOptions = {},
  ): Promise<void> {
    const doing = 'update annotation queue'
    const body = { ...toBody(params), ...(expected && { expected: toBody(expected) }) }
    const request = { params: toQueueParams(queueId), body, doing, ...options }
    await this.transport.call(routes.annotationQueues.update, request)
  }

  /** The runs stay. */
  async deleteAnnotationQueue(queueId: string, options: CallOptions = {}): Promise<void> {
    const doing = 'delete annotation queue'
    await this.transport.call(routes.annotationQueues.delete, { params: toQueueParams(queueId), doing, ...options })
  }

  /**
   * Adds runs to a queue, all or none; a run that is in it stays where it is.
   *
   * @param runs ids, or keys with project and start
   */
  async addRunsToAnnotationQueue(
    queueId: string,
    runs: readonly string[] | readonly RunKey[],
    options: CallOptions = {},
  ): Promise<void> {
    const request = { params: toQueueParams(queueId), doing: 'add runs to annotation queue', ...options }
    if (runs.every((run) => typeof run === 'string')) {
      await this.transport.call(routes.annotationQueues.addRuns, { ...request, body: runs.map(checkedId) })
    } else {
      const body = (runs as readonly RunKey[]).map(checkedKey)
      await this.transport.call(routes.annotationQueues.addRunsByKey, { ...request, body })
    }
  }

  /**
   * Adds whole threads to a queue, all or none; one that is in it stays where it is. An extension of ours.
   *
   * @param threads each by the project that holds it and by its own id, which is any text
   */
  async addThreadsToAnnotationQueue(
    queueId: string,
    threads: readonly { projectId: string; threadId: string }[],
    options: CallOptions = {},
  ): Promise<void> {
    assertUuid(queueId, 'queueId')
    const items = threads.map(({ projectId, threadId }, at) => {
      assertUuid(projectId, `threads[${at}].projectId`)
      return { item_type: 'THREAD', project_id: projectId, thread_id: threadId }
    })
    await this.transport.send(routes.annotationQueueItems.add, {
      params: { queue_id: queueId },
      body: { items },
      doing: 'add threads to annotation queue',
      ...options,
    })
  }

  /**
   * The run at a place, from 0, of those that are not completed.
   *
   * @throws NotFoundError past the end
   */
  async getRunFromAnnotationQueue(
    queueId: string,
    index: number,
    options: CallOptions = {},
  ): Promise<RunWithAnnotationQueueInfo> {
    const params = { ...toQueueParams(queueId), index: String(index) }
    const request = { params, doing: 'get run from annotation queue', ...options }
    return readable(await this.transport.call(routes.annotationQueues.readRun, request))
  }

  /**
   * Runs of a queue in the caller's order, fetched a page at a time. To complete runs of one `status`, collect them first:
   * each completed run leaves the list and shifts the next page.
   */
  async *listRunsFromAnnotationQueue(
    queueId: string,
    params: { status?: ReviewStatus | undefined; limit?: number | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<RunWithAnnotationQueueInfo> {
    const { status, limit } = params
    const route = routes.annotationQueues.listRuns
    const request = { params: toQueueParams(queueId), query: { status } }
    for await (const run of offsetPages(this.transport, route, { ...request, ...options }, { limit })) {
      yield readable(run)
    }
  }

  /**
   * Takes a run out of a queue; the run stays.
   *
   * @param queueRunId of its entry in the queue (`queue_run_id`), or of the run itself
   */
  async deleteRunFromAnnotationQueue(queueId: string, queueRunId: string, options: CallOptions = {}): Promise<void> {
    const params = { ...toQueueParams(queueId), queue_run_id: queueRunId }
    assertUuid(queueRunId, 'queueRunId')
    const doing = 'delete run from annotation queue'
    await this.transport.call(routes.annotationQueues.deleteRun, { params, doing, ...options })
  }

  /**
   * How many items wait.
   *
   * @param params a section as the caller sees it. @default all that is not completed
   */
  async getSizeFromAnnotationQueue(
    queueId: string,
    { status }: { status?: ReviewStatus | undefined } = {},
    options: CallOptions = {},
  ): Promise<{ size: number }> {
    const request = { params: toQueueParams(queueId), query: { status }, doing: 'get size from annotation queue' }
    return await this.transport.call(routes.annotationQueues.size, { ...request, ...options })
  }
}

/** @throws before any request when the id is not a UUID */
export function toQueueParams(queueId: string): { queue_id: string } {
  assertUuid(queueId, 'queueId')
  return { queue_id: queueId }
}

function toBody(params: UpdateAnnotationQueueParams) {
  return {
    name: params.name,
    description: params.description,
    rubric_instructions: params.rubricInstructions,
    rubric_items: params.rubricItems,
    default_dataset: params.defaultDataset,
    num_reviewers_per_item: params.numReviewersPerItem,
    enable_reservations: params.enableReservations,
    reservation_minutes: params.reservationMinutes,
    reviewer_access_mode: params.reviewerAccessMode,
    hide_others_scores: params.hideOthersScores,
    metadata: params.metadata,
  }
}

function checkedId(id: string, index: number): string {
  assertUuid(id, `runs[${index}]`)
  return id
}

function checkedKey({ runId, sessionId, startTime, sourceProposedExampleId }: RunKey, index: number) {
  assertUuid(runId, `runs[${index}].runId`)
  assertUuid(sessionId, `runs[${index}].sessionId`)
  if (sourceProposedExampleId != null) assertUuid(sourceProposedExampleId, `runs[${index}].sourceProposedExampleId`)
  return {
    run_id: runId,
    session_id: sessionId,
    start_time: typeof startTime === 'string' ? startTime : new Date(startTime).toISOString(),
    source_proposed_example_id: sourceProposedExampleId ?? undefined,
  }
}
