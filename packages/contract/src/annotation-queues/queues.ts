import { z } from 'zod'
import { unlessMissing } from '../datasets/datasets.ts'
import { FeedbackConfigEntry } from '../feedback/configs.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { QueryFlag, queryList, strictPage } from '../wire/page.ts'
import { repairedText } from '../wire/text.ts'
import { Time } from '../wire/time.ts'

export const QueueType = z.enum(['single', 'pairwise'])
export type QueueType = z.infer<typeof QueueType>

/** Who may review: all members of the workspace, or the assigned reviewers only. */
export const ReviewerAccess = z.enum(['any', 'assigned'])

/** Conditions on the answers to earlier questions, for when a question is shown or required. */
export const RubricConditions = z.object({
  join: z.enum(['all', 'any']),
  rules: z
    .array(
      z.object({
        /** Feedback key of an earlier question. */
        key: z.string().min(1).max(1000),
        op: z.enum(['is', 'is_one_of', 'is_empty', 'is_not_empty']),
        /** Scores, for `is` and `is_one_of`. */
        values: z.array(z.number()).max(1000).nullish(),
      }),
    )
    .max(50),
})
export type RubricConditions = z.infer<typeof RubricConditions>

/** Most questions of one rubric. */
export const MAX_RUBRIC_ITEMS = 500

/** One question of a rubric; feedback with its key answers it. Unknown members are kept. */
export const RubricItem = z.looseObject({
  feedback_key: z.string().min(1),
  description: z.string().nullish(),
  /** Value → its meaning. */
  value_descriptions: z.record(z.string(), z.string()).nullish(),
  /** Score → its meaning. */
  score_descriptions: z.record(z.string(), z.string()).nullish(),
  is_required: z.boolean().nullish(),
  is_assertion: z.boolean().nullish(),
  /**
   * When the answer is required. In an update, absent keeps the conditions of the item with the same key, null clears
   * them.
   */
  required_if: RubricConditions.nullish(),
  /** When the question is shown; absent and null as above. */
  visible_if: RubricConditions.nullish(),
  /** Pattern that must match somewhere in a free text. */
  regex_validator: z.string().max(500).nullish(),
  /** The config of the key that it uses; an enforced config takes precedence. */
  feedback_config_id: Uuid.nullish(),
  /** Ignored in writes; added by reads. */
  feedback_config: z.unknown().optional(),
})
export type RubricItem = z.infer<typeof RubricItem>

/** With the config that it uses: null when that was deleted, absent when its key has none. */
export const ReadRubricItem = RubricItem.extend({ feedback_config: FeedbackConfigEntry.nullish() })
export type ReadRubricItem = z.infer<typeof ReadRubricItem>

/**
 * A reviewer. An identity is an API key, with its id and description; anonymous callers of an open server share one
 * identity.
 */
export const Reviewer = z.object({ id: z.string(), name: z.string().nullable(), email: z.string().nullable() })
export type Reviewer = z.infer<typeof Reviewer>

/** Runs and threads for people to review. */
export const AnnotationQueue = z.object({
  id: z.string(),
  tenant_id: z.string(),
  /** Not unique. */
  name: z.string(),
  description: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  queue_type: QueueType,
  /** Dataset that receives corrections. */
  default_dataset: z.string().nullable(),
  /** Number of different reviewers that complete an item before it is archived; null: all that may review. */
  num_reviewers_per_item: z.int().nullable(),
  /** Whether an item is reserved for the reviewer who opens it. */
  enable_reservations: z.boolean(),
  reservation_minutes: z.int(),
  reviewer_access_mode: ReviewerAccess,
  /** Whether reviewers see the feedback of other people on an item only after they have completed it. */
  hide_others_scores: z.boolean(),
  source_rule_id: z.string().nullable(),
  run_rule_id: z.string().nullable(),
  metadata: JsonRecord.nullable(),
  assigned_reviewers: z.array(Reviewer),
})
export type AnnotationQueue = z.infer<typeof AnnotationQueue>

/** A queue in a list, with the number of its runs that are not completed. */
export const ListedAnnotationQueue = AnnotationQueue.extend({
  total_runs: z.int(),
  /** On request: feedback keys of its rubric, in order. */
  rubric_keys: z.array(z.string()).optional(),
})
export type ListedAnnotationQueue = z.infer<typeof ListedAnnotationQueue>

/** A single queue with its rubric. */
export const AnnotationQueueWithRubric = AnnotationQueue.extend({
  rubric_instructions: z.string().nullable(),
  rubric_items: z.array(ReadRubricItem).nullable(),
})
export type AnnotationQueueWithRubric = z.infer<typeof AnnotationQueueWithRubric>

const ReviewersPerItem = z.int().min(1).max(1000)
const ReservationMinutes = z.int().min(1).max(43_200)

export const AnnotationQueueCreate = z.object({
  name: repairedText().min(1),
  /** 409 when the id exists. */
  id: Uuid.nullish(),
  description: repairedText().nullish(),
  rubric_instructions: repairedText().nullish(),
  rubric_items: z.array(RubricItem).max(MAX_RUBRIC_ITEMS).nullish(),
  default_dataset: Uuid.nullish(),
  /** @default 1; null: all reviewers */
  num_reviewers_per_item: ReviewersPerItem.nullish(),
  /** @default true */
  enable_reservations: z.boolean().nullish(),
  /** @default 1 */
  reservation_minutes: ReservationMinutes.nullish(),
  /** @default any */
  reviewer_access_mode: ReviewerAccess.nullish(),
  /** @default false */
  hide_others_scores: z.boolean().nullish(),
  /** Experiments whose root runs fill the queue; two make it pairwise. */
  session_ids: z.array(Uuid).max(2).nullish(),
  metadata: JsonRecord.nullish(),
  created_at: Time.nullish(),
  updated_at: Time.nullish(),
})
export type AnnotationQueueCreate = z.output<typeof AnnotationQueueCreate>

const QueueSettings = z.object({
  name: unlessMissing(repairedText().min(1)),
  description: unlessMissing(repairedText()),
  rubric_instructions: unlessMissing(repairedText()),
  rubric_items: unlessMissing(z.array(RubricItem).max(MAX_RUBRIC_ITEMS)),
  default_dataset: unlessMissing(Uuid),
  num_reviewers_per_item: unlessMissing(ReviewersPerItem),
  enable_reservations: unlessMissing(z.boolean()),
  reservation_minutes: unlessMissing(ReservationMinutes),
  reviewer_access_mode: unlessMissing(ReviewerAccess),
  hide_others_scores: unlessMissing(z.boolean()),
  metadata: unlessMissing(JsonRecord),
})

/** The settings of a queue that an update can change. */
export type QueueSettings = z.output<typeof QueueSettings>

/**
 * Absent fields stay unchanged, as does the sentinel `{"__missing__": "__missing__"}`. Null clears nullable fields,
 * means all reviewers in `num_reviewers_per_item`, and leaves other fields unchanged. `rubric_items: []` clears the
 * rubric.
 */
export const AnnotationQueueUpdate = QueueSettings.extend({
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. An extension of ours.
   */
  expected: QueueSettings.nullish(),
})
export type AnnotationQueueUpdate = z.output<typeof AnnotationQueueUpdate>

export const ANNOTATION_QUEUE_SORTS = ['created_at', 'updated_at', 'name', 'total_runs'] as const

export const AnnotationQueueListQuery = z.object({
  ids: queryList(Uuid),
  /** Exact name. */
  name: repairedText().optional(),
  /** Part of the name, case-insensitive. */
  name_contains: repairedText().optional(),
  /** Queues whose corrections go to this dataset. */
  dataset_id: Uuid.optional(),
  queue_type: QueueType.optional(),
  /** Queues with the caller as an assigned reviewer. */
  assigned_to_me: QueryFlag.default(false),
  include_rubric_keys: QueryFlag.default(false),
  sort_by: z.enum(ANNOTATION_QUEUE_SORTS).catch('created_at').default('created_at'),
  sort_by_desc: QueryFlag.default(true),
  ...strictPage,
})
export type AnnotationQueueListQuery = z.output<typeof AnnotationQueueListQuery>
