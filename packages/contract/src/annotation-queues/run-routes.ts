import { z } from 'zod'
import { Example } from '../examples.ts'
import { Uuid } from '../ids.ts'
import { QueryFlag, strictPage } from '../page.ts'
import { BODY_LIMITS, route } from '../route.ts'
import { Time } from '../time.ts'
import { AnnotationQueue } from './queues.ts'
import {
  MAX_QUEUE_ADDITIONS,
  QueueCorrection,
  QueueEntry,
  QueueExportQuery,
  QueueItemUpdate,
  QueuePopulation,
  QueueRun,
  QueueRunDeletion,
  Review,
  ReviewStatus,
  ReviewUpdate,
  RunToReview,
} from './runs.ts'

const queueId = z.object({ queue_id: Uuid })
const queueRunId = queueId.extend({ queue_run_id: Uuid })
const ofStatus = z.object({ status: ReviewStatus.optional() })
/** Everything is kept for good here, so there is nothing to extend. */
const retention = z.object({ extend_trace_retention: QueryFlag.optional() })
const tag = 'annotation queues'

export const queueRunRoutes = {
  populate: route({
    method: 'POST',
    path: '/annotation-queues/populate',
    access: 'write',
    tag,
    summary: 'Add the root runs of experiments to a queue, those that a filter matches',
    body: QueuePopulation,
    answer: z.object({ added: z.int() }),
  }),
  updateReview: route({
    method: 'POST',
    path: '/annotation-queues/status/{queue_run_id}',
    access: 'write',
    tag,
    summary: 'Say that the caller looks at a run, has completed it, or neither; 409 while others hold it',
    params: z.object({ queue_run_id: Uuid }),
    body: ReviewUpdate,
    answer: Review,
  }),
  addRuns: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/runs',
    access: 'write',
    tag,
    summary: 'Add runs to a queue, all or none; a run that is in it stays as it is',
    params: queueId,
    query: retention,
    body: z.array(RunToReview).max(MAX_QUEUE_ADDITIONS),
    answer: z.array(QueueEntry),
  }),
  addRunsByKey: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/runs/by-key',
    access: 'write',
    tag,
    summary: 'The same by id, project and start',
    params: queueId,
    query: retention,
    body: z
      .array(
        z.object({
          run_id: Uuid,
          session_id: Uuid,
          start_time: Time,
          source_proposed_example_id: Uuid.nullish(),
        }),
      )
      .max(MAX_QUEUE_ADDITIONS),
    answer: z.array(QueueEntry),
  }),
  listRuns: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/runs',
    tag,
    summary: 'Runs of a queue in the order of the caller',
    params: queueId,
    query: ofStatus.extend({
      /** Completed ones, or those that are not. @default both */
      archived: QueryFlag.optional(),
      /** Figures of feedback with each run. @default true */
      include_stats: QueryFlag.default(true),
      ...strictPage,
    }),
    answer: z.array(QueueRun),
  }),
  readRun: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/run/{index}',
    tag,
    summary: 'The run at a place, from 0, of those that are not completed',
    params: queueId.extend({ index: z.coerce.number().pipe(z.int().min(0)) }),
    query: z.object({
      include_extra: QueryFlag.default(true),
      /** Counts among the runs of one section. */
      status: ReviewStatus.optional(),
    }),
    answer: QueueRun,
  }),
  takeNext: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/runs/next',
    access: 'write',
    tag,
    extension: true,
    summary: 'Reserve the first run that needs the review of the caller, and read it; null when there is none',
    params: queueId,
    answer: QueueRun.nullable(),
  }),
  updateRun: route({
    method: 'PATCH',
    path: '/annotation-queues/{queue_id}/runs/{queue_run_id}',
    access: 'write',
    tag,
    summary: 'Change when a run was added or last reviewed',
    params: queueRunId,
    body: QueueItemUpdate,
    answer: QueueEntry,
  }),
  deleteRun: route({
    method: 'DELETE',
    path: '/annotation-queues/{queue_id}/runs/{queue_run_id}',
    access: 'write',
    tag,
    summary: 'Remove a run from a queue, by the id of its entry or its own; the run stays',
    params: queueRunId,
    answer: z.null(),
  }),
  deleteRuns: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/runs/delete',
    access: 'write',
    tag,
    summary: 'Remove some runs from a queue, or all but some; the runs stay',
    params: queueId,
    body: QueueRunDeletion,
    answer: z.object({ removed: z.int() }),
  }),
  addExample: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/runs/{queue_run_id}/example',
    maxBodyBytes: BODY_LIMITS.record,
    access: 'write',
    tag,
    extension: true,
    summary: 'Write a run, corrected, into the default dataset of its queue; once more replaces the example',
    params: queueRunId,
    body: QueueCorrection,
    answer: Example,
  }),
  export: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/export',
    tag,
    summary: 'Completed runs with their feedback as a CSV file',
    params: queueId,
    body: QueueExportQuery,
  }),
  queuesOfRun: route({
    method: 'GET',
    path: '/annotation-queues/{run_id}/queues',
    tag,
    summary: 'Queues that hold a run',
    params: z.object({ run_id: Uuid }),
    answer: z.array(AnnotationQueue),
  }),
  resolveRun: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/runs/resolve/{queue_run_id}',
    tag,
    summary: 'Section and place, from 0, of a run in the order of the caller',
    params: queueRunId,
    answer: z.object({ section: ReviewStatus, position: z.int() }),
  }),
}
