import { z } from 'zod'
import { FeedbackConfig, FeedbackKey } from './feedback.ts'
import { clamped, offsetPage, QueryFlag } from './page.ts'
import { route } from './route.ts'

export const FeedbackConfigEntry = z.object({
  feedback_key: z.string(),
  feedback_config: FeedbackConfig,
  tenant_id: z.string(),
  modified_at: z.string(),
  is_lower_score_better: z.boolean(),
})
export type FeedbackConfigEntry = z.infer<typeof FeedbackConfigEntry>

/** A config that is set on purpose; one that comes along with feedback is taken as it is. */
const SoundConfig = FeedbackConfig.refine(({ min, max }) => min == null || max == null || min <= max, {
  error: 'is greater than max',
  path: ['min'],
})

export const FeedbackConfigCreate = z.object({
  feedback_key: FeedbackKey,
  feedback_config: SoundConfig,
  is_lower_score_better: z.boolean().nullish(),
})
export type FeedbackConfigCreate = z.output<typeof FeedbackConfigCreate>

/** Null means unchanged. */
export const FeedbackConfigUpdate = z.object({
  feedback_key: z.string(),
  feedback_config: SoundConfig.nullish(),
  is_lower_score_better: z.boolean().nullish(),
})
export type FeedbackConfigUpdate = z.output<typeof FeedbackConfigUpdate>

export const FeedbackConfigListQuery = z.object({
  key: z.preprocess(
    (value) => (value === undefined ? undefined : [value].flat()),
    z.array(z.string()).max(50, 'names more than 50 keys').optional(),
  ),
  name_contains: z.string().optional(),
  /** By key, upwards unless true. */
  sort_by_desc: QueryFlag.default(false),
  /** Reads always see what was written. */
  read_after_write: QueryFlag.optional(),
  ...offsetPage,
  limit: clamped(1, 100, 100),
})
export type FeedbackConfigListQuery = z.output<typeof FeedbackConfigListQuery>

/** How often a key was used, on runs and on projects, whether it has a config or not. */
export const FeedbackKeyUsage = z.object({
  feedback_key: z.string(),
  feedback_count: z.int(),
  last_given_at: z.string(),
})
export type FeedbackKeyUsage = z.infer<typeof FeedbackKeyUsage>

/** A workspace with more keys is told so instead of being sent all of them. */
export const MAX_FEEDBACK_KEYS = 1000

const tag = 'feedback'

export const feedbackConfigRoutes = {
  create: route({
    method: 'POST',
    path: '/feedback-configs',
    access: 'write',
    tag,
    summary: 'Say what the scores of a key mean; an identical repeat is fine, another config for the key is refused',
    body: FeedbackConfigCreate,
    answer: FeedbackConfigEntry,
  }),
  list: route({
    method: 'GET',
    path: '/feedback-configs',
    tag,
    summary: 'Feedback configs of the workspace, by key',
    query: FeedbackConfigListQuery,
    answer: z.array(FeedbackConfigEntry),
  }),
  update: route({
    method: 'PATCH',
    path: '/feedback-configs',
    access: 'write',
    tag,
    summary: 'Change a feedback config; null leaves a field as it is',
    body: FeedbackConfigUpdate,
    answer: FeedbackConfigEntry,
  }),
  delete: route({
    method: 'DELETE',
    path: '/feedback-configs',
    access: 'write',
    tag,
    summary: 'Delete a feedback config; feedback of the key stays',
    query: z.object({ feedback_key: z.string() }),
    status: 204,
  }),
  usage: route({
    method: 'GET',
    path: '/feedback-configs/usage',
    extension: true,
    tag,
    summary: 'How often each key was given, most used first; at most 1,000 keys',
    answer: z.object({ keys: z.array(FeedbackKeyUsage), has_more: z.boolean() }),
  }),
}
