import type { FeedbackConfigSchema, KVMap, Run } from '../schemas.ts'

/** Runs and threads that wait for people. */
export interface AnnotationQueue {
  id: string
  tenant_id: string
  /** Not unique. */
  name: string
  description: string | null
  created_at: string
  updated_at: string
  queue_type?: 'single' | 'pairwise' | undefined
  /** Where corrections go. */
  default_dataset?: string | null | undefined
  /** How many different reviewers complete an item before it is archived; null: all who may. */
  num_reviewers_per_item?: number | null | undefined
  /** Whether an item that is looked at is kept from others for a while. */
  enable_reservations?: boolean | undefined
  reservation_minutes?: number | undefined
  reviewer_access_mode?: 'any' | 'assigned' | undefined
  source_rule_id?: string | null | undefined
  run_rule_id?: string | null | undefined
  metadata?: KVMap | null | undefined
  assigned_reviewers?: { id: string; name: string | null; email: string | null }[] | undefined
  /** Items that are not completed. In lists only. */
  total_runs?: number | undefined
  /** Feedback keys of the rubric, in order. In lists that asked for them. */
  rubric_keys?: string[] | undefined
}

/** One question of a rubric; feedback of its key answers it. */
export interface AnnotationQueueRubricItem {
  feedback_key: string
  description?: string | null | undefined
  /** Value → what it means. */
  value_descriptions?: Record<string, string> | null | undefined
  /** Score → what it means. */
  score_descriptions?: Record<string, string> | null | undefined
  is_required?: boolean | null | undefined
  is_assertion?: boolean | null | undefined
  /** When it has to be answered. In an update, absent leaves the conditions of the key's item, null clears them. */
  required_if?: RubricItemConditions | null | undefined
  /** When it is asked; absent and null as above. */
  visible_if?: RubricItemConditions | null | undefined
  /** Pattern that a free text has to match anywhere; at most 500 characters. */
  regex_validator?: string | null | undefined
  /** Which config of the key it uses; the enforced one wins. */
  feedback_config_id?: string | null | undefined
  /** The config that it uses, null when that was deleted. Only read: ignored in what is written. */
  feedback_config?: FeedbackConfigSchema | null | undefined
}

/** Answers to other questions under which a question is asked, or has to be answered. */
export interface RubricItemConditions {
  join: 'all' | 'any'
  rules: {
    /** Feedback key of a question before it. */
    key: string
    op: 'is' | 'is_one_of' | 'is_empty' | 'is_not_empty'
    /** Scores; for `is` and `is_one_of`. */
    values?: number[] | null | undefined
  }[]
}

/** A queue with its rubric, as it is read alone; the answer to its creation has none. */
export interface AnnotationQueueWithDetails extends AnnotationQueue {
  rubric_instructions?: string | null | undefined
  rubric_items?: AnnotationQueueRubricItem[] | null | undefined
}

/** A run by all that tells where it is stored. */
export interface RunKey {
  runId: string
  sessionId: string
  /** Epoch milliseconds, when it is a number. */
  startTime: string | number | Date
  sourceProposedExampleId?: string | undefined
}

/**
 * Where an item stands for the caller. `needs_my_review`: the caller can take it. `needs_others_review`: the caller's part
 * is done, and others' is not. `completed`: enough reviewers completed it.
 */
export type ReviewStatus = 'needs_my_review' | 'needs_others_review' | 'completed'

/** A run as a queue shows it to the caller. */
export interface RunWithAnnotationQueueInfo extends Run {
  /** Of its entry in the queue: by this it is completed and removed. */
  queue_run_id: string
  added_at: string
  /** What the order of the queue follows: when the caller put it back, else `added_at`. */
  effective_added_at: string
  last_reviewed_time: string | null
  /** Who holds it now, and who has completed it. */
  reserved_by: string[]
  completed_by: string[]
  source_proposed_example_id: string | null
}

/** What became of a reviewer's part. */
export interface AnnotationQueueReview {
  queue_item_id: string
  status: 'viewed' | 'completed' | null
  /** Whether enough reviewers have completed the item. */
  is_archived: boolean
  override_added_at: string | null
}
