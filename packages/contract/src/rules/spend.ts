import { z } from 'zod'

/** What the evaluators of a rule have spent. */
export const RuleSpend = z.object({
  /** Of the limit, or an ISO week without one. */
  window: z.enum(['day', 'week']),
  starts_at: z.string(),
  resets_at: z.string(),
  /** Null without a limit. */
  limit_usd: z.number().nullable(),
  /** US dollars of the window, with calls that are under way at their estimate. */
  spent_usd: z.number(),
  calls: z.int(),
  /** Of them, those of models without a price; they are not in `spent_usd`. */
  unpriced_calls: z.int(),
  /** The last 30 days with calls, oldest first. */
  days: z.array(
    z.object({
      /** As YYYY-MM-DD in UTC. */
      day: z.string(),
      spent_usd: z.number(),
      calls: z.int(),
      unpriced_calls: z.int(),
    }),
  ),
})
export type RuleSpend = z.infer<typeof RuleSpend>
