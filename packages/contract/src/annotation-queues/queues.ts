import { z } from 'zod'
import { unlessMissing } from '../datasets.ts'
import { FeedbackConfigEntry } from '../feedback-configs.ts'
import { Uuid } from '../ids.ts'
import { JsonRecord } from '../json-record.ts'
import { QueryFlag, queryList, strictPage } from '../page.ts'
import { Time } from '../time.ts'

export const QueueType = z.enum(['single', 'pairwise'])
export type QueueType = z.infer<typeof QueueType>

/** Who may review: everybody of the workspace, or the assigned reviewers alone. */
export const ReviewerAccess = z.enum(['any', 'assigned'])

/** Answers to other questions under which a question is asked, or has to be answered. */
export const RubricConditions = z.object({
  join: z.enum(['all', 'any']),
  rules: z
    .array(
      z.object({
        /** Feedback key of a question before it. */
        key: z.string().min(1).max(1000),
        op: z.enum(['is', 'is_one_of', 'is_empty', 'is_not_empty']),
        /** Scores; for `is` and `is_one_of`. */
        values: z.array(z.number()).max(1000).nullish(),
      }),
    )
    .max(50),
})
export type RubricConditions = z.infer<typeof RubricConditions>

/** Questions that one rubric has at most. */
export const MAX_RUBRIC_ITEMS = 500

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
  /** When it has to be answered. In an update, absent leaves the conditions of the key's item, null clears them. */
  required_if: RubricConditions.nullish(),
  /** When it is asked; absent and null as above. */
  visible_if: RubricConditions.nullish(),
  /** Pattern that a free text has to match anywhere. */
  regex_validator: z.string().max(500).nullish(),
  /** Which config of the key it uses; the enforced one wins. */
  feedback_config_id: Uuid.nullish(),
  /** Ignored: reading adds it. */
  feedback_config: z.unknown().optional(),
})
export type RubricItem = z.infer<typeof RubricItem>

/** As it is read: with the config that it uses, null when that was deleted, absent when its key has none. */
export const ReadRubricItem = RubricItem.extend({ feedback_config: FeedbackConfigEntry.nullish() })
export type ReadRubricItem = z.infer<typeof ReadRubricItem>

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
export const ListedAnnotationQueue = AnnotationQueue.extend({
  total_runs: z.int(),
  /** When asked for: feedback keys of its rubric, in order. */
  rubric_keys: z.array(z.string()).optional(),
})
export type ListedAnnotationQueue = z.infer<typeof ListedAnnotationQueue>

/** Alone, a queue shows its rubric. */
export const AnnotationQueueWithRubric = AnnotationQueue.extend({
  rubric_instructions: z.string().nullable(),
  rubric_items: z.array(ReadRubricItem).nullable(),
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
  rubric_items: z.array(RubricItem).max(MAX_RUBRIC_ITEMS).nullish(),
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
  rubric_items: unlessMissing(z.array(RubricItem).max(MAX_RUBRIC_ITEMS)),
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
  include_rubric_keys: QueryFlag.default(false),
  sort_by: z.enum(ANNOTATION_QUEUE_SORTS).catch('created_at').default('created_at'),
  sort_by_desc: QueryFlag.default(true),
  ...strictPage,
})
export type AnnotationQueueListQuery = z.output<typeof AnnotationQueueListQuery>
