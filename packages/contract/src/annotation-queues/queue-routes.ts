import { z } from 'zod'
import { Example } from '../datasets/examples.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { QueryFlag, queryList, strictPage } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'
import { QueueAgreement, QueueProgress } from './progress.ts'
import {
  AnnotationQueue,
  AnnotationQueueCreate,
  AnnotationQueueListQuery,
  AnnotationQueueUpdate,
  AnnotationQueueWithRubric,
  ListedAnnotationQueue,
} from './queues.ts'
import {
  MAX_QUEUE_ADDITIONS,
  QueueCorrection,
  QueueEntry,
  QueueExportQuery,
  QueueItemUpdate,
  QueuePopulation,
  QueueRun,
  QueueRunDeletion,
  QueueSize,
  Review,
  ReviewStatus,
  ReviewUpdate,
  RunToReview,
} from './runs.ts'

const queueId = z.object({ queue_id: Uuid })
const queueRunId = queueId.extend({ queue_run_id: Uuid })
const ofStatus = z.object({ status: ReviewStatus.optional() })
/** Accepted for compatibility; this server keeps traces in queues anyway. */
const retention = z.object({ extend_trace_retention: QueryFlag.optional() })
const tag = 'annotation queues'

export const annotationQueueRoutes = describeRoutes(routes.annotationQueues, tag, {
  list: {
    summary: 'Annotation queues of the workspace',
    query: AnnotationQueueListQuery,
    answer: z.array(ListedAnnotationQueue),
  },
  create: {
    summary: 'Create an annotation queue; 409 when the id is taken',
    body: AnnotationQueueCreate,
    answer: AnnotationQueue,
  },
  deleteMany: {
    summary: 'Delete up to 100 annotation queues; 207 when some of them are not there',
    query: z.object({ queue_ids: queryList(Uuid) }),
  },
  read: {
    summary: 'One annotation queue with its rubric',
    params: queueId,
    answer: AnnotationQueueWithRubric,
  },
  update: {
    summary: 'Change an annotation queue',
    params: queueId,
    body: AnnotationQueueUpdate,
    answer: AnnotationQueueWithRubric,
  },
  delete: {
    summary: 'Delete an annotation queue; its runs stay',
    params: queueId,
    answer: z.null(),
  },
  size: {
    summary: 'How many runs are in a section for the caller; without one, how many are not completed',
    params: queueId,
    query: ofStatus,
    answer: QueueSize,
  },
  totalSize: {
    summary: 'How many runs a queue has, the completed ones too',
    params: queueId,
    answer: QueueSize,
  },
  totalArchived: {
    summary: 'How many runs of a queue are completed, from `start_time` on and before `end_time`',
    params: queueId,
    query: z.object({ start_time: Time.optional(), end_time: Time.optional() }),
    answer: QueueSize,
  },
  progress: {
    extension: true,
    summary: 'How many items of queues wait for the caller, wait for others, and are completed',
    query: z.object({ ids: queryList(Uuid) }),
    answer: z.array(QueueProgress),
  },
  agreement: {
    extension: true,
    summary: 'How far the reviewers of a queue agree on each question of its rubric',
    params: queueId,
    answer: QueueAgreement,
  },
  populate: {
    summary: 'Add the root runs of experiments to a queue, those that a filter matches',
    body: QueuePopulation,
    answer: z.object({ added: z.int() }),
  },
  updateReview: {
    summary: 'Say that the caller looks at a run, has completed it, or neither; 409 while others hold it',
    params: z.object({ queue_run_id: Uuid }),
    body: ReviewUpdate,
    answer: Review,
  },
  addRuns: {
    summary: 'Add runs to a queue, all or none; a run that is in it stays as it is',
    params: queueId,
    query: retention,
    body: z.array(RunToReview).max(MAX_QUEUE_ADDITIONS),
    answer: z.array(QueueEntry),
  },
  addRunsByKey: {
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
  },
  listRuns: {
    summary: 'Runs of a queue in the order of the caller',
    params: queueId,
    query: ofStatus.extend({
      /** Completed runs, or the others. @default both */
      archived: QueryFlag.optional(),
      /** Adds feedback statistics to each run. @default true */
      include_stats: QueryFlag.default(true),
      ...strictPage,
    }),
    answer: z.array(QueueRun),
  },
  readRun: {
    summary: 'The run at a place, from 0, of those that are not completed',
    params: queueId.extend({ index: z.coerce.number().pipe(z.int().min(0)) }),
    query: z.object({
      include_extra: QueryFlag.default(true),
      /** Restricts the count to one section. */
      status: ReviewStatus.optional(),
    }),
    answer: QueueRun,
  },
  takeNext: {
    extension: true,
    summary: 'Reserve the first run that needs the review of the caller, and read it; null when there is none',
    params: queueId,
    answer: QueueRun.nullable(),
  },
  updateRun: {
    summary: 'Change when a run was added or last reviewed',
    params: queueRunId,
    body: QueueItemUpdate,
    answer: QueueEntry,
  },
  deleteRun: {
    summary: 'Remove a run from a queue, by the id of its entry or its own; the run stays',
    params: queueRunId,
    answer: z.null(),
  },
  deleteRuns: {
    summary: 'Remove some runs from a queue, or all but some; the runs stay',
    params: queueId,
    body: QueueRunDeletion,
    answer: z.object({ removed: z.int() }),
  },
  addExample: {
    maxBodyBytes: BODY_LIMITS.record,
    extension: true,
    summary: 'Write a run, corrected, into the default dataset of its queue; once more replaces the example',
    params: queueRunId,
    body: QueueCorrection,
    answer: Example,
  },
  export: {
    summary: 'Completed runs with their feedback as a CSV file',
    params: queueId,
    body: QueueExportQuery,
  },
  queuesOfRun: {
    summary: 'Queues that hold a run',
    params: z.object({ run_id: Uuid }),
    answer: z.array(AnnotationQueue),
  },
  resolveRun: {
    summary: 'Section and place, from 0, of a run in the order of the caller',
    params: queueRunId,
    answer: z.object({ section: ReviewStatus, position: z.int() }),
  },
})
