import { z } from 'zod'

/** Most queues whose progress one request reads. */
export const MAX_QUEUES_OF_PROGRESS = 100

/** Items of a queue by section, for the caller; threads included. */
export const QueueProgress = z.object({
  queue_id: z.string(),
  needs_my_review: z.int(),
  needs_others_review: z.int(),
  completed: z.int(),
  /** Items whose review the caller has completed, whether or not others have to. */
  completed_by_me: z.int(),
  /** Items that someone has reserved at the moment. */
  reserved: z.int(),
  last_reviewed_time: z.string().nullable(),
})
export type QueueProgress = z.infer<typeof QueueProgress>

/** How far reviewers agree on one question. */
export const KeyAgreement = z.object({
  key: z.string(),
  /** `nominal`: answers are equal or not. `interval`: the distance between scores counts. */
  level: z.enum(['nominal', 'interval']),
  /** Items that at least two reviewers answered. */
  items: z.int(),
  reviewers: z.int(),
  /** Krippendorff's alpha: 1 is agreement, 0 is chance. Null when there is nothing to compare, or all answers are equal. */
  alpha: z.number().nullable(),
  /** Share of the pairs of answers that are equal; null without pairs. */
  equal_share: z.number().nullable(),
})
export type KeyAgreement = z.infer<typeof KeyAgreement>

/** The questions of a rubric in order. */
export const QueueAgreement = z.object({
  keys: z.array(KeyAgreement),
  /** Items that at least two reviewers completed. */
  items: z.int(),
  /** How many of them were read, the latest first. */
  items_read: z.int(),
})
export type QueueAgreement = z.infer<typeof QueueAgreement>
