import { z } from 'zod'
import { unlessMissing } from './datasets.ts'
import { Example } from './examples.ts'
import { Uuid } from './ids.ts'
import { JsonRecord } from './json-record.ts'
import { QueryFlag, queryList, strictPage } from './page.ts'
import { route } from './route.ts'
import { Run } from './runs.ts'
import { Time } from './time.ts'

export const QueueType = z.enum(['single', 'pairwise'])
export type QueueType = z.infer<typeof QueueType>

/** Who may review: everybody of the workspace, or the assigned reviewers alone. */
export const ReviewerAccess = z.enum(['any', 'assigned'])

/** One question of a rubric; feedback of its key answers it. Kept as it came, unknown members too. */
export const RubricItem = z.looseObject({
  feedback_key: z.string().min(1),
  description: z.string().nullish(),
  /** Value → what it means. */
  value_descriptions: z.record(z.string(), z.string()).nullish(),
  /** Score → what it means. */
  score_descriptions: z.record(z.string(), z.string()).nullish(),
  is_required: z.boolean().nullish(),
  is_assertion: z.boolean().nullish(),
})
export type RubricItem = z.infer<typeof RubricItem>

/** Who reviews. An identity is an API key, by its id and description; whoever calls an open server without one is a single identity. */
export const Reviewer = z.object({ id: z.string(), name: z.string().nullable(), email: z.string().nullable() })
export type Reviewer = z.infer<typeof Reviewer>

/** Runs and threads that wait for people. */
export const AnnotationQueue = z.object({
  id: z.string(),
  tenant_id: z.string(),
  /** Not unique. */
  name: z.string(),
  description: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  queue_type: QueueType,
  /** Where corrections go. */
  default_dataset: z.string().nullable(),
  /** How many different reviewers complete an item before it is archived; null: all who may. */
  num_reviewers_per_item: z.int().nullable(),
  /** Whether an item that is looked at is kept from others for a while. */
  enable_reservations: z.boolean(),
  reservation_minutes: z.int(),
  reviewer_access_mode: ReviewerAccess,
  source_rule_id: z.string().nullable(),
  run_rule_id: z.string().nullable(),
  metadata: JsonRecord.nullable(),
  assigned_reviewers: z.array(Reviewer),
})
export type AnnotationQueue = z.infer<typeof AnnotationQueue>

/** In a list, a queue tells how many of its runs are not completed. */
export const ListedAnnotationQueue = AnnotationQueue.extend({ total_runs: z.int() })
export type ListedAnnotationQueue = z.infer<typeof ListedAnnotationQueue>

/** Alone, a queue shows its rubric. */
export const AnnotationQueueWithRubric = AnnotationQueue.extend({
  rubric_instructions: z.string().nullable(),
  rubric_items: z.array(RubricItem).nullable(),
})
export type AnnotationQueueWithRubric = z.infer<typeof AnnotationQueueWithRubric>

const ReviewersPerItem = z.int().min(1).max(1000)
const ReservationMinutes = z.int().min(1).max(43_200)

export const AnnotationQueueCreate = z.object({
  name: z.string().min(1),
  /** 409 when taken. */
  id: Uuid.nullish(),
  description: z.string().nullish(),
  rubric_instructions: z.string().nullish(),
  rubric_items: z.array(RubricItem).nullish(),
  default_dataset: Uuid.nullish(),
  /** @default 1; null: all who may review */
  num_reviewers_per_item: ReviewersPerItem.nullish(),
  /** @default true */
  enable_reservations: z.boolean().nullish(),
  /** @default 1 */
  reservation_minutes: ReservationMinutes.nullish(),
  /** @default any */
  reviewer_access_mode: ReviewerAccess.nullish(),
  /** Experiments whose root runs fill the queue; two make it pairwise. */
  session_ids: z.array(Uuid).max(2).nullish(),
  metadata: JsonRecord.nullish(),
  created_at: Time.nullish(),
  updated_at: Time.nullish(),
})
export type AnnotationQueueCreate = z.output<typeof AnnotationQueueCreate>

/**
 * Absent means unchanged, as does the sentinel `{"__missing__": "__missing__"}`. Null clears what may be null, means all
 * reviewers in `num_reviewers_per_item`, and leaves the rest. `rubric_items: []` clears the rubric.
 */
export const AnnotationQueueUpdate = z.object({
  name: unlessMissing(z.string().min(1)),
  description: unlessMissing(z.string()),
  rubric_instructions: unlessMissing(z.string()),
  rubric_items: unlessMissing(z.array(RubricItem)),
  default_dataset: unlessMissing(Uuid),
  num_reviewers_per_item: unlessMissing(ReviewersPerItem),
  enable_reservations: unlessMissing(z.boolean()),
  reservation_minutes: unlessMissing(ReservationMinutes),
  reviewer_access_mode: unlessMissing(ReviewerAccess),
  metadata: unlessMissing(JsonRecord),
})
export type AnnotationQueueUpdate = z.output<typeof AnnotationQueueUpdate>

export const ANNOTATION_QUEUE_SORTS = ['created_at', 'updated_at', 'name', 'total_runs'] as const

export const AnnotationQueueListQuery = z.object({
  ids: queryList(Uuid),
  /** Exact. */
  name: z.string().optional(),
  /** Part of the name, in any case. */
  name_contains: z.string().optional(),
  /** Whose corrections go to this dataset. */
  dataset_id: Uuid.optional(),
  queue_type: QueueType.optional(),
  /** Queues that the caller is an assigned reviewer of. */
  assigned_to_me: QueryFlag.default(false),
  sort_by: z.enum(ANNOTATION_QUEUE_SORTS).catch('created_at').default('created_at'),
  sort_by_desc: QueryFlag.default(true),
  ...strictPage,
})
export type AnnotationQueueListQuery = z.output<typeof AnnotationQueueListQuery>

/**
 * Where an item stands for the caller. `needs_my_review`: the caller can take it. `needs_others_review`: it is not
 * completed, and the caller has done what it needs, may not, or others hold it. `completed`: enough reviewers completed it.
 */
export const ReviewStatus = z.enum(['needs_my_review', 'needs_others_review', 'completed'])
export type ReviewStatus = z.infer<typeof ReviewStatus>

/** Most runs or items that one request adds or removes. */
export const MAX_QUEUE_ADDITIONS = 10_000

/** A run by id, or with what else clients tell of it; only the id and the proposed example count. */
const RunToReview = z.preprocess(
  (value) => (typeof value === 'string' ? { run_id: value } : value),
  z.object({ run_id: Uuid, source_proposed_example_id: Uuid.nullish() }),
)

/** That a run is in a queue. */
export const QueueEntry = z.object({
  id: z.string(),
  queue_id: z.string(),
  run_id: z.string(),
  added_at: z.string(),
  last_reviewed_time: z.string().nullable(),
  source_proposed_example_id: z.string().nullable(),
})
export type QueueEntry = z.infer<typeof QueueEntry>

/** A run as a queue shows it to the caller. */
export const QueueRun = Run.extend({
  /** Never null here. */
  inputs: z.record(z.string(), z.unknown()),
  /** Of the entry: what is updated, completed and removed by it. */
  queue_run_id: z.string(),
  added_at: z.string(),
  /** What the order follows: when the caller put it back, else `added_at`. */
  effective_added_at: z.string(),
  last_reviewed_time: z.string().nullable(),
  /** Identities that hold it now. */
  reserved_by: z.array(z.string()),
  completed_by: z.array(z.string()),
  source_proposed_example_id: z.string().nullable(),
})
export type QueueRun = z.infer<typeof QueueRun>

/** Null and absent leave what there is. */
export const QueueItemUpdate = z.object({ added_at: Time.nullish(), last_reviewed_time: Time.nullish() })
export type QueueItemUpdate = z.output<typeof QueueItemUpdate>

/**
 * `viewed` reserves the item for the caller, or extends the reservation; `completed` ends the caller's part; null takes
 * either back. With `override_added_at` the item moves there in the caller's order: now is the end of the queue.
 */
export const ReviewUpdate = z.object({
  status: z.enum(['viewed', 'completed']).nullish(),
  override_added_at: Time.nullish(),
})
export type ReviewUpdate = z.output<typeof ReviewUpdate>

export const Review = z.object({
  queue_item_id: z.string(),
  status: z.enum(['viewed', 'completed']).nullable(),
  /** Whether enough reviewers have completed the item. */
  is_archived: z.boolean(),
  override_added_at: z.string().nullable(),
})
export type Review = z.infer<typeof Review>

export const QueueSize = z.object({ size: z.int() })

/** Some runs by id (of the run or of the entry), or all of them but a few. */
export const QueueRunDeletion = z.object({
  run_ids: z.array(Uuid).max(MAX_QUEUE_ADDITIONS).nullish(),
  delete_all: z.boolean().nullish(),
  exclude_run_ids: z.array(Uuid).max(MAX_QUEUE_ADDITIONS).nullish(),
})

export const QueueExportQuery = z
  .object({
    /** Completed then or later. */
    start_time: Time.nullish(),
    /** Completed before. */
    end_time: Time.nullish(),
    /** Every score rather than their mean, and who completed the run. */
    include_annotator_detail: z.boolean().nullish(),
  })
  .nullish()
export type QueueExportQuery = z.output<typeof QueueExportQuery>

/** Root runs of experiments, or of any projects; the filters narrow them as they do in `POST /runs/query`. */
export const QueuePopulation = z.object({
  queue_id: Uuid,
  session_ids: z.array(Uuid).min(1).max(100),
  filter: z.string().nullish(),
  trace_filter: z.string().nullish(),
  tree_filter: z.string().nullish(),
  start_time: Time.nullish(),
  end_time: Time.nullish(),
})
export type QueuePopulation = z.output<typeof QueuePopulation>

/** What a reviewer makes of a run for the default dataset. Absent parts are those of the run. */
export const QueueCorrection = z
  .object({
    inputs: JsonRecord.nullish(),
    outputs: JsonRecord.nullish(),
    metadata: JsonRecord.nullish(),
    split: z.union([z.string(), z.array(z.string())]).nullish(),
  })
  .nullish()
export type QueueCorrection = z.output<typeof QueueCorrection>

export const QueueItemType = z.enum(['RUN', 'THREAD'])
export type QueueItemType = z.infer<typeof QueueItemType>

/** A run, or a whole conversation, in a queue. */
export const QueueItem = z.object({
  id: z.string(),
  queue_id: z.string(),
  item_type: QueueItemType,
  run_id: z.string().nullable(),
  thread_id: z.string().nullable(),
  project_id: z.string(),
  /** Of the run, or of the first trace of the thread. */
  start_time: z.string(),
  added_at: z.string(),
  last_reviewed_time: z.string().nullable(),
  source_proposed_example_id: z.string().nullable(),
})
export type QueueItem = z.infer<typeof QueueItem>

export const ListedQueueItem = QueueItem.extend({
  completed_by: z.array(z.string()),
  reserved_by: z.array(z.string()),
  effective_added_at: z.string(),
})
export type ListedQueueItem = z.infer<typeof ListedQueueItem>

const ItemToReview = z
  .object({
    item_type: QueueItemType,
    run_id: Uuid.nullish(),
    thread_id: z.string().nullish(),
    project_id: Uuid.nullish(),
    /** The same as `project_id`. */
    session_id: Uuid.nullish(),
    start_time: Time.nullish(),
    source_proposed_example_id: Uuid.nullish(),
  })
  .refine((item) => item.item_type !== 'RUN' || item.run_id, { error: 'a RUN needs run_id' })
  .refine((item) => item.item_type !== 'THREAD' || (item.thread_id && (item.project_id ?? item.session_id)), {
    error: 'a THREAD needs thread_id and project_id',
  })
export type ItemToReview = z.output<typeof ItemToReview>

/** The same three sections under the names of the items API. */
export const ItemSection = z.enum(['needs_my_review', 'needs_others_review', 'archived'])
export type ItemSection = z.infer<typeof ItemSection>

export const QueueItemListQuery = z
  .object({
    status: ItemSection,
    /** Of a page before, or of a placement. */
    cursor: z.string().optional(),
    /** `backward`: what stands before the cursor, still in the order of the queue. @default forward */
    direction: z.enum(['forward', 'backward']).default('forward'),
    item_type: QueueItemType.optional(),
    page_size: z.coerce.number().pipe(z.int().min(1).max(100)).default(100),
  })
  .refine(({ direction, cursor }) => direction === 'forward' || cursor, { error: 'backward needs a cursor' })
export type QueueItemListQuery = z.output<typeof QueueItemListQuery>

const queueId = z.object({ queue_id: Uuid })
const queueRunId = queueId.extend({ queue_run_id: Uuid })
const itemId = queueId.extend({ item_id: Uuid })
const ofStatus = z.object({ status: ReviewStatus.optional() })
/** Everything is kept for good here, so there is nothing to extend. */
const retention = z.object({ extend_trace_retention: QueryFlag.optional() })
const tag = 'annotation queues'

export const annotationQueueRoutes = {
  list: route({
    method: 'GET',
    path: '/annotation-queues',
    tag,
    summary: 'Annotation queues of the workspace',
    query: AnnotationQueueListQuery,
    answer: z.array(ListedAnnotationQueue),
  }),
  create: route({
    method: 'POST',
    path: '/annotation-queues',
    access: 'write',
    tag,
    summary: 'Create an annotation queue; 409 when the id is taken',
    body: AnnotationQueueCreate,
    answer: AnnotationQueue,
  }),
  deleteMany: route({
    method: 'DELETE',
    path: '/annotation-queues',
    access: 'write',
    tag,
    summary: 'Delete up to 100 annotation queues; 207 when some of them are not there',
    query: z.object({ queue_ids: queryList(Uuid) }),
  }),
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
  read: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}',
    tag,
    summary: 'One annotation queue with its rubric',
    params: queueId,
    answer: AnnotationQueueWithRubric,
  }),
  update: route({
    method: 'PATCH',
    path: '/annotation-queues/{queue_id}',
    access: 'write',
    tag,
    summary: 'Change an annotation queue',
    params: queueId,
    body: AnnotationQueueUpdate,
    answer: AnnotationQueueWithRubric,
  }),
  delete: route({
    method: 'DELETE',
    path: '/annotation-queues/{queue_id}',
    access: 'write',
    tag,
    summary: 'Delete an annotation queue; its runs stay',
    params: queueId,
    answer: z.null(),
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
    access: 'write',
    tag,
    extension: true,
    summary: 'Write a run, corrected, into the default dataset of its queue; once more replaces the example',
    params: queueRunId,
    body: QueueCorrection,
    answer: Example,
  }),
  size: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/size',
    tag,
    summary: 'How many runs are in a section for the caller; without one, how many are not completed',
    params: queueId,
    query: ofStatus,
    answer: QueueSize,
  }),
  totalSize: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/total_size',
    tag,
    summary: 'How many runs a queue has, the completed ones too',
    params: queueId,
    answer: QueueSize,
  }),
  totalArchived: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/total_archived',
    tag,
    summary: 'How many runs of a queue are completed, from `start_time` on and before `end_time`',
    params: queueId,
    query: z.object({ start_time: Time.optional(), end_time: Time.optional() }),
    answer: QueueSize,
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

const family = 'platform'

/** Runs and threads alike, as generated clients of today ask for them. */
export const annotationQueueItemRoutes = {
  add: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/items',
    family,
    access: 'write',
    tag,
    summary: 'Add runs and threads to a queue, all or none; what is in it stays as it is',
    params: queueId,
    query: retention,
    body: z.object({ items: z.array(ItemToReview).max(MAX_QUEUE_ADDITIONS) }),
    answer: z.object({ items: z.array(QueueItem) }),
  }),
  list: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/items',
    family,
    tag,
    summary: 'Items of a section in the order of the caller, a page at a time',
    params: queueId,
    query: QueueItemListQuery,
    answer: z.object({ items: z.array(ListedQueueItem), next_cursor: z.string().nullable() }),
  }),
  takeNext: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/items/next',
    family,
    access: 'write',
    tag,
    extension: true,
    summary: 'Reserve the first item that needs the review of the caller; null when there is none',
    params: queueId,
    answer: ListedQueueItem.nullable(),
  }),
  count: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/items/count',
    family,
    tag,
    summary: 'How many items are in a section, or at all; archived ones between two times, both exclusive',
    params: queueId,
    query: z.object({
      status: z.enum(['all', ...ItemSection.options]),
      start_time: Time.optional(),
      end_time: Time.optional(),
    }),
    answer: z.object({ count: z.int() }),
  }),
  update: route({
    method: 'PATCH',
    path: '/annotation-queues/{queue_id}/items/{item_id}',
    family,
    access: 'write',
    tag,
    summary: 'Change when an item was added or last reviewed',
    params: itemId,
    body: QueueItemUpdate,
    answer: QueueItem,
  }),
  delete: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/items/delete',
    family,
    access: 'write',
    tag,
    summary: 'Remove items from a queue',
    params: queueId,
    body: z.object({ item_ids: z.array(Uuid).max(MAX_QUEUE_ADDITIONS) }),
    answer: z.record(z.string(), z.string()),
  }),
  placement: route({
    method: 'GET',
    path: '/annotation-queues/{queue_id}/items/{item_id}/placement',
    family,
    tag,
    summary: 'Section and place, from 0, of an item, and the cursor of the page that begins with it',
    params: itemId,
    answer: z.object({
      item_type: QueueItemType,
      section: ItemSection,
      position: z.int(),
      cursor: z.string(),
    }),
  }),
  updateReview: route({
    method: 'POST',
    path: '/annotation-queues/items/{item_id}/status',
    family,
    access: 'write',
    tag,
    summary: 'Say that the caller looks at an item, has completed it, or neither; 409 while others hold it',
    params: z.object({ item_id: Uuid }),
    body: ReviewUpdate,
    answer: Review,
  }),
  addReviewer: route({
    method: 'POST',
    path: '/annotation-queues/{queue_id}/reviewers',
    family,
    access: 'write',
    tag,
    summary: 'Assign a reviewer to a queue',
    params: queueId,
    body: z.object({ identity_id: Uuid }),
    status: 201,
    answer: z.object({ identity_id: z.string() }),
  }),
  removeReviewer: route({
    method: 'DELETE',
    path: '/annotation-queues/{queue_id}/reviewers/{identity_id}',
    family,
    access: 'write',
    tag,
    summary: 'Assign a reviewer to a queue no longer',
    params: queueId.extend({ identity_id: Uuid }),
    status: 204,
  }),
}
