import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { AnnotationQueueReview, Example, KVMap, RunWithAnnotationQueueInfo } from '../schemas.ts'
import { pathOf } from './annotation-queues.ts'
import { Calls } from './calls.ts'
import { readable as readableExample, type WireExample } from './example-shape.ts'
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
    const path = `${pathOf(queueId)}/runs/next`
    const call = { method: 'POST', path, doing: 'take run from annotation queue', ...options } as const
    const run = await this.transport.json<RunWithAnnotationQueueInfo | null>(call)
    return run ? readable(run) : undefined
  }

  /**
   * Says what the caller does with a run of a queue.
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
    return await this.transport.json({
      method: 'POST',
      path: `/annotation-queues/status/${queueRunId}`,
      body: { status, override_added_at: overrideAddedAt },
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
    const queue = pathOf(queueId)
    assertUuid(queueRunId, 'queueRunId')
    const path = `${queue}/runs/${queueRunId}/example`
    const doing = 'add example from annotation queue'
    const call = { method: 'POST', path, body: correction, doing, ...options } as const
    return readableExample(await this.transport.json<WireExample>(call))
  }

  /** Adds the root runs of projects. @returns how many were not in the queue before */
  async populateAnnotationQueue(
    queueId: string,
    params: PopulateAnnotationQueueParams,
    options: CallOptions = {},
  ): Promise<number> {
    assertUuid(queueId, 'queueId')
    for (const [index, id] of params.projectIds.entries()) assertUuid(id, `projectIds[${index}]`)
    const answer = await this.transport.json<{ added: number }>({
      method: 'POST',
      path: '/annotation-queues/populate',
      body: {
        queue_id: queueId,
        session_ids: params.projectIds,
        filter: params.filter,
        trace_filter: params.traceFilter,
        tree_filter: params.treeFilter,
        start_time: params.startTime,
        end_time: params.endTime,
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
    const queue = pathOf(queueId)
    const doing = 'get totals from annotation queue'
    const read = (path: string) =>
      this.transport.json<{ size: number }>({ method: 'GET', path: `${queue}/${path}`, doing, ...options })
    const [total, archived] = await Promise.all([read('total_size'), read('total_archived')])
    return { total: total.size, archived: archived.size }
  }

  /** Completed runs with their feedback as the text of a CSV file, whole in memory. */
  async exportAnnotationQueue(
    queueId: string,
    { startTime, endTime, includeAnnotatorDetail, for: reader }: ExportAnnotationQueueParams = {},
    options: CallOptions = {},
  ): Promise<string> {
    const { text } = await this.transport.send({
      method: 'POST',
      path: `${pathOf(queueId)}/export`,
      body: { start_time: startTime, end_time: endTime, include_annotator_detail: includeAnnotatorDetail, for: reader },
      doing: 'export annotation queue',
      ...options,
    })
    return text
  }
}
