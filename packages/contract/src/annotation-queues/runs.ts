import { z } from 'zod'
import { Run } from '../runs/runs.ts'
import { CsvReader } from '../wire/csv.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { Time } from '../wire/time.ts'

/**
 * Section of an item for the caller. `needs_my_review`: the caller can take it. `needs_others_review`: it is not
 * completed, and the caller has completed their part, may not review it, or others have reserved it. `completed`:
 * enough reviewers completed it.
 */
export const ReviewStatus = z.enum(['needs_my_review', 'needs_others_review', 'completed'])
export type ReviewStatus = z.infer<typeof ReviewStatus>

/** Most runs or items that one request adds or removes. */
export const MAX_QUEUE_ADDITIONS = 10_000

/** A run by id, or with further fields that clients send; only the id and the proposed example are used. */
export const RunToReview = z.preprocess(
  (value) => (typeof value === 'string' ? { run_id: value } : value),
  z.object({ run_id: Uuid, source_proposed_example_id: Uuid.nullish() }),
)

/** An entry of a run in a queue. */
export const QueueEntry = z.object({
  id: z.string(),
  queue_id: z.string(),
  run_id: z.string(),
  added_at: z.string(),
  last_reviewed_time: z.string().nullable(),
  source_proposed_example_id: z.string().nullable(),
})
export type QueueEntry = z.infer<typeof QueueEntry>

/** A run in a queue, for the caller. */
export const QueueRun = Run.extend({
  /** Never null here. */
  inputs: z.record(z.string(), z.unknown()),
  /** Id of the entry, for updates, completion and removal. */
  queue_run_id: z.string(),
  added_at: z.string(),
  /** Sort key: when the caller postponed it, else `added_at`. */
  effective_added_at: z.string(),
  last_reviewed_time: z.string().nullable(),
  /** Identities that have reserved it. */
  reserved_by: z.array(z.string()),
  completed_by: z.array(z.string()),
  source_proposed_example_id: z.string().nullable(),
})
export type QueueRun = z.infer<typeof QueueRun>

/** Null and absent fields stay unchanged. */
export const QueueItemUpdate = z.object({ added_at: Time.nullish(), last_reviewed_time: Time.nullish() })
export type QueueItemUpdate = z.output<typeof QueueItemUpdate>

/**
 * `viewed` reserves the item for the caller or extends the reservation; `completed` completes the caller's part; null
 * undoes either. `override_added_at` moves the item in the caller's order: now is the end of the queue.
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

/** Some runs by id (of the run or of the entry), or all except some. */
export const QueueRunDeletion = z.object({
  run_ids: z.array(Uuid).max(MAX_QUEUE_ADDITIONS).nullish(),
  delete_all: z.boolean().nullish(),
  exclude_run_ids: z.array(Uuid).max(MAX_QUEUE_ADDITIONS).nullish(),
})

export const QueueExportQuery = z
  .object({
    /** Completed at or after. */
    start_time: Time.nullish(),
    /** Completed before. */
    end_time: Time.nullish(),
    /** Every score instead of their mean, and who completed the run. */
    include_annotator_detail: z.boolean().nullish(),
    for: CsvReader.nullish(),
  })
  .nullish()
export type QueueExportQuery = z.output<typeof QueueExportQuery>

/** Root runs of experiments or of any projects; the filters work as in `POST /runs/query`. */
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

/** A corrected run for the default dataset. Absent parts are those of the run. */
export const QueueCorrection = z
  .object({
    inputs: JsonRecord.nullish(),
    outputs: JsonRecord.nullish(),
    metadata: JsonRecord.nullish(),
    split: z.union([z.string(), z.array(z.string())]).nullish(),
  })
  .nullish()
export type QueueCorrection = z.output<typeof QueueCorrection>
