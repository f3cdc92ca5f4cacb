import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { clamped, offsetPage, QueryFlag } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { FeedbackCategory, FeedbackConfig, FeedbackKey, MAX_CATEGORIES } from './feedback.ts'

export const FeedbackConfigEntry = z.object({
  id: z.string(),
  feedback_key: z.string(),
  feedback_config: FeedbackConfig,
  tenant_id: z.string(),
  modified_at: z.string(),
  /** All configs of a key have the same direction. */
  is_lower_score_better: z.boolean(),
  /** Whether it is the enforced config of the key, which only admins change. */
  is_enforced: z.boolean(),
  /** Whether the key had no config before. */
  is_first: z.boolean(),
  is_deleted: z.boolean(),
})
export type FeedbackConfigEntry = z.infer<typeof FeedbackConfigEntry>

/** Validates a config of a request. A config that arrives with feedback is stored without this validation. */
const SoundConfig = FeedbackConfig.refine(({ min, max }) => min == null || max == null || min <= max, {
  error: 'is greater than max',
  path: ['min'],
}).refine(({ type, allows_multiple_categories: allowsMultiple }) => !allowsMultiple || type === 'categorical', {
  error: 'is for categorical configs only',
  path: ['allows_multiple_categories'],
})

export const FeedbackConfigCreate = z.object({
  feedback_key: FeedbackKey,
  feedback_config: SoundConfig,
  /** When omitted, a key with a config keeps its direction; for a new key it is false. */
  is_lower_score_better: z.boolean().nullish(),
  /** For admins: creates the enforced config of the key, in addition to its other config. */
  is_enforced: z.boolean().nullish(),
})
export type FeedbackConfigCreate = z.output<typeof FeedbackConfigCreate>

/**
 * Null fields stay unchanged. Without `id` it changes the enforced config of the key, else the first, else the latest
 * modified. A given config replaces the whole config; then categories are removed, then added.
 */
export const FeedbackConfigUpdate = z.object({
  feedback_key: z.string(),
  id: Uuid.nullish(),
  feedback_config: SoundConfig.nullish(),
  is_lower_score_better: z.boolean().nullish(),
  add_categories: z.array(FeedbackCategory).max(MAX_CATEGORIES).nullish(),
  /** Values of categories; values that the config does not have are ignored. */
  remove_categories: z.array(z.number()).max(MAX_CATEGORIES).nullish(),
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. An extension of ours.
   */
  expected: z.object({ feedback_config: FeedbackConfig, is_lower_score_better: z.boolean() }).partial().nullish(),
})
export type FeedbackConfigUpdate = z.output<typeof FeedbackConfigUpdate>

export const FeedbackConfigListQuery = z.object({
  key: z.preprocess(
    (value) => (value === undefined ? undefined : [value].flat()),
    z.array(z.string()).max(50, 'names more than 50 keys').optional(),
  ),
  /** Every config of each key, including deleted ones; otherwise one per key. */
  include_all_configs: QueryFlag.default(false),
  is_enforced: QueryFlag.optional(),
  name_contains: z.string().optional(),
  /** Sort by key in descending order. */
  sort_by_desc: QueryFlag.default(false),
  /** Accepted for compatibility: reads always return what was written. */
  read_after_write: QueryFlag.optional(),
  ...offsetPage,
  limit: clamped(1, 100, 100),
})
export type FeedbackConfigListQuery = z.output<typeof FeedbackConfigListQuery>

/** `feedback_key` deletes all configs of the key, `id` one config. */
export const FeedbackConfigDeletion = z
  .object({ feedback_key: z.string().optional(), id: Uuid.optional() })
  .refine(({ feedback_key: key, id }) => (key === undefined) !== (id === undefined), {
    error: 'or id is required, and not both',
    path: ['feedback_key'],
  })
export type FeedbackConfigDeletion = z.output<typeof FeedbackConfigDeletion>

/** How often a key was used, on runs and on projects, with or without a config. */
export const FeedbackKeyUsage = z.object({
  feedback_key: z.string(),
  feedback_count: z.int(),
  last_given_at: z.string(),
})
export type FeedbackKeyUsage = z.infer<typeof FeedbackKeyUsage>

/** A workspace with more keys gets a flag instead of all keys. */
export const MAX_FEEDBACK_KEYS = 1000

const tag = 'feedback'

export const feedbackConfigRoutes = describeRoutes(routes.feedbackConfigs, tag, {
  create: {
    summary:
      'Say what the scores of a key mean; an identical repeat is fine, another config is refused unless it is enforced',
    body: FeedbackConfigCreate,
    answer: FeedbackConfigEntry,
  },
  list: {
    summary: 'Feedback configs of the workspace, by key: one for each key unless all are asked for',
    query: FeedbackConfigListQuery,
    answer: z.array(FeedbackConfigEntry),
  },
  update: {
    summary: 'Change a feedback config, or some of its categories; null leaves a field as it is',
    body: FeedbackConfigUpdate,
    answer: FeedbackConfigEntry,
  },
  delete: {
    summary: 'Delete the configs of a key, or one by its id; feedback of the key stays',
    query: FeedbackConfigDeletion,
    status: 204,
  },
  usage: {
    extension: true,
    summary: 'How often each key was given, most used first; at most 1,000 keys',
    answer: z.object({ keys: z.array(FeedbackKeyUsage), has_more: z.boolean() }),
  },
})
