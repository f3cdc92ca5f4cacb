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
import { platformPath } from './platform-path.ts'
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
  /** What reviewers are told about the whole. */
  rubricInstructions?: string | undefined
  /** `[]` clears them. */
  rubricItems?: AnnotationQueueRubricItem[] | undefined
  /** Where corrections go. An extension of ours, as are all below. */
  defaultDataset?: string | undefined
  /** How many different reviewers complete an item; null: all who may. @default 1 */
  numReviewersPerItem?: number | null | undefined
  /** @default true */
  enableReservations?: boolean | undefined
  /** @default 1 */
  reservationMinutes?: number | undefined
  /** @default any */
  reviewerAccessMode?: 'any' | 'assigned' | undefined
  metadata?: KVMap | undefined
}

export interface CreateAnnotationQueueParams extends UpdateAnnotationQueueParams {
  name: string
  /** @default a random one */
  queueId?: string | undefined
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
    const path = '/annotation-queues'
    const query = {
      ids: queueIds,
      name: name || undefined,
      name_contains: nameContains || undefined,
      include_rubric_keys: includeRubricKeys,
    }
    const call = { method: 'GET', path, query, doing: `fetch ${path}`, ...options } as const
    yield* offsetPages<AnnotationQueue>(this.transport, call, { limit })
  }

  /** @throws ConflictError when a queue with this id exists */
  async createAnnotationQueue(
    params: CreateAnnotationQueueParams,
    options: CallOptions = {},
  ): Promise<AnnotationQueueWithDetails> {
    const { queueId, ...rest } = params
    if (queueId !== undefined) assertUuid(queueId, 'queueId')
    return await this.transport.json({
      method: 'POST',
      path: '/annotation-queues',
      // With an id of ours, a repeated attempt meets its own queue rather than making a second one.
      body: { id: queueId ?? globalThis.crypto.randomUUID(), ...bodyOf(rest) },
      doing: 'create annotation queue',
      ...options,
    })
  }

  async readAnnotationQueue(queueId: string, options: CallOptions = {}): Promise<AnnotationQueueWithDetails> {
    const doing = 'read annotation queue'
    return await this.transport.json({ method: 'GET', path: pathOf(queueId), doing, ...options })
  }

  /** Changes what is given and leaves the rest. */
  async updateAnnotationQueue(
    queueId: string,
    params: UpdateAnnotationQueueParams,
    options: CallOptions = {},
  ): Promise<void> {
    const doing = 'update annotation queue'
    await this.transport.send({ method: 'PATCH', path: pathOf(queueId), body: bodyOf(params), doing, ...options })
  }

  /** The runs stay. */
  async deleteAnnotationQueue(queueId: string, options: CallOptions = {}): Promise<void> {
    const doing = 'delete annotation queue'
    await this.transport.send({ method: 'DELETE', path: pathOf(queueId), doing, ...options })
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
    const path = `${pathOf(queueId)}/runs`
    const isOfIds = runs.every((run) => typeof run === 'string')
    const body = isOfIds ? runs.map(checkedId) : (runs as readonly RunKey[]).map(checkedKey)
    const doing = 'add runs to annotation queue'
    await this.transport.send({ method: 'POST', path: isOfIds ? path : `${path}/by-key`, body, doing, ...options })
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
    await this.transport.send({
      method: 'POST',
      path: platformPath(this.transport, `/annotation-queues/${queueId}/items`),
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
    const path = `${pathOf(queueId)}/run/${index}`
    const call = { method: 'GET', path, doing: 'get run from annotation queue', ...options } as const
    return readable(await this.transport.json<RunWithAnnotationQueueInfo>(call))
  }

  /**
   * Runs of a queue in the caller's order, fetched a page at a time. Whoever completes runs while listing those of one
   * `status` should collect them first: what leaves the section moves the next page up.
   */
  async *listRunsFromAnnotationQueue(
    queueId: string,
    params: { status?: ReviewStatus | undefined; limit?: number | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<RunWithAnnotationQueueInfo> {
    const { status, limit } = params
    const path = `${pathOf(queueId)}/runs`
    const call = { method: 'GET', path, query: { status }, doing: `fetch ${path}`, ...options } as const
    for await (const run of offsetPages<RunWithAnnotationQueueInfo>(this.transport, call, { limit })) {
      yield readable(run)
    }
  }

  /**
   * Takes a run out of a queue; the run stays.
   *
   * @param queueRunId of its entry in the queue (`queue_run_id`), or of the run itself
   */
  async deleteRunFromAnnotationQueue(queueId: string, queueRunId: string, options: CallOptions = {}): Promise<void> {
    const queue = pathOf(queueId)
    assertUuid(queueRunId, 'queueRunId')
    const doing = 'delete run from annotation queue'
    await this.transport.send({ method: 'DELETE', path: `${queue}/runs/${queueRunId}`, doing, ...options })
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
    const path = `${pathOf(queueId)}/size`
    const doing = 'get size from annotation queue'
    return await this.transport.json({ method: 'GET', path, query: { status }, doing, ...options })
  }
}

/** @throws for what is no id, before any request */
export function pathOf(queueId: string): string {
  assertUuid(queueId, 'queueId')
  return `/annotation-queues/${queueId}`
}

function bodyOf(params: UpdateAnnotationQueueParams) {
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
