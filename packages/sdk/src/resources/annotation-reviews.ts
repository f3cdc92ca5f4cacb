import { withByteOrderMark } from '@touchstone/contract/csv-line'
import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { AnnotationQueueReview, Example, KVMap, RunWithAnnotationQueueInfo } from '../schemas.ts'
import { toQueueParams } from './annotation-queues.ts'
import { Calls } from './calls.ts'
import { readable as readableExample } from './list-examples.ts'
import { readable } from './runs.ts'

export interface ReviewRunParams {
  /** `viewed` keeps the item for the caller for a while, `completed` ends the caller's part, null takes either back. */
  status: 'viewed' | 'completed' | null
  /** Where the item moves in the caller's order; now is the end of the queue. */
  overrideAddedAt?: Date | string | undefined
}

export interface PopulateAnnotationQueueParams {
  /** Projects, so also experiments, whose root runs are added. */
  projectIds: string[]
  /** Narrow them as they do in `listRuns`. */
  filter?: string | undefined
  traceFilter?: string | undefined
  treeFilter?: string | undefined
  startTime?: Date | undefined
  endTime?: Date | undefined
}

export interface ExportAnnotationQueueParams {
  /** Completed then or later. */
  startTime?: Date | undefined
  /** Completed before. */
  endTime?: Date | undefined
  /** Every score rather than their mean, and who gave it. @default false */
  includeAnnotatorDetail?: boolean | undefined
  /** An apostrophe disarms cells that a spreadsheet would take for formulas. @default cells as stored */
  for?: 'spreadsheet' | undefined
}

/** Absent parts are those of the run. */
export interface QueueCorrection {
  inputs?: KVMap | undefined
  outputs?: KVMap | undefined
  metadata?: KVMap | undefined
  split?: string | string[] | undefined
}

/** What reviewers do with the runs of a queue; all calls of this file are extensions of ours. */
export class AnnotationReviewCalls extends Calls {
  /** Reserves the first run that needs the caller's review, and reads it; `undefined` when none does. */
  async takeRunFromAnnotationQueue(
    queueId: string,
    options: CallOptions = {},
  ): Promise<RunWithAnnotationQueueInfo | undefined> {
    const request = { params: toQueueParams(queueId), doing: 'take run from annotation queue', ...options }
    const run = await this.transport.call(routes.annotationQueues.takeNext, request)
    return run ? readable(run) : undefined
  }

  /**
   * Changes the status of a run of a queue for the caller.
   *
   * @param queueRunId of its entry in the queue (`queue_run_id`)
   * @throws ConflictError while as many others hold it as may
   */
  async reviewRunOfAnnotationQueue(
    queueRunId: string,
    { status, overrideAddedAt }: ReviewRunParams,
    options: CallOptions = {},
  ): Promise<AnnotationQueueReview> {
    assertUuid(queueRunId, 'queueRunId')
    return await this.transport.call(routes.annotationQueues.updateReview, {
      params: { queue_run_id: queueRunId },
      body: {
        status,
        override_added_at: overrideAddedAt instanceof Date ? overrideAddedAt.toISOString() : overrideAddedAt,
      },
      doing: 'review run of annotation queue',
      ...options,
    })
  }

  /** Writes a run, corrected, into the default dataset of its queue; once more replaces the example. */
  async addExampleFromAnnotationQueue(
    queueId: string,
    queueRunId: string,
    correction: QueueCorrection = {},
    options: CallOptions = {},
  ): Promise<Example> {
    const params = { ...toQueueParams(queueId), queue_run_id: queueRunId }
    assertUuid(queueRunId, 'queueRunId')
    const request = { params, body: correction, doing: 'add example from annotation queue', ...options }
    return readableExample(await this.transport.call(routes.annotationQueues.addExample, request))
  }

  /** Adds the root runs of projects. @returns how many were not in the queue before */
  async populateAnnotationQueue(
    queueId: string,
    params: PopulateAnnotationQueueParams,
    options: CallOptions = {},
  ): Promise<number> {
    assertUuid(queueId, 'queueId')
    for (const [index, id] of params.projectIds.entries()) assertUuid(id, `projectIds[${index}]`)
    const answer = await this.transport.call(routes.annotationQueues.populate, {
      body: {
        queue_id: queueId,
        session_ids: params.projectIds,
        filter: params.filter,
        trace_filter: params.traceFilter,
        tree_filter: params.treeFilter,
        start_time: params.startTime?.toISOString(),
        end_time: params.endTime?.toISOString(),
      },
      doing: 'populate annotation queue',
      ...options,
    })
    return answer.added
  }

  /** How many items there are, and how many of them are completed. */
  async getTotalsFromAnnotationQueue(
    queueId: string,
    options: CallOptions = {},
  ): Promise<{ total: number; archived: number }> {
    const request = { params: toQueueParams(queueId), doing: 'get totals from annotation queue', ...options }
    const [total, archived] = await Promise.all([
      this.transport.call(routes.annotationQueues.totalSize, request),
      this.transport.call(routes.annotationQueues.totalArchived, request),
    ])
    return { total: total.size, archived: archived.size }
  }

  /** Completed runs with their feedback as the text of a CSV file, whole in memory. */
  async exportAnnotationQueue(
    queueId: string,
    { startTime, endTime, includeAnnotatorDetail, for: reader }: ExportAnnotationQueueParams = {},
    options: CallOptions = {},
  ): Promise<string> {
    const { text } = await this.transport.send(routes.annotationQueues.export, {
      params: toQueueParams(queueId),
      body: {
        start_time: startTime?.toISOString(),
        end_time: endTime?.toISOString(),
        include_annotator_detail: includeAnnotatorDetail,
        for: reader,
      },
      doing: 'export annotation queue',
      ...options,
    })
    return reader === 'spreadsheet' ? withByteOrderMark(text) : text
  }
}
