import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'

/** US dollars of a month. */
const Limit = z.number().min(0).max(1_000_000_000)

const spent = {
  /** US dollars; null for no limit. */
  limit_usd: z.number().nullable(),
  /** US dollars of this month. Calls under way count with their estimates. */
  spent_usd: z.number(),
  calls: z.int(),
  /** Calls of unknown cost. They count with their estimate, or with `unpriced_call_usd` when their model has no price. */
  unknown_calls: z.int(),
}

/** What the calls of models by playground, previews, judges and jobs cost in a calendar month (UTC), and the limits of it. */
export const Spending = z.object({
  /** As in `2026-11`. */
  month: z.string(),
  /** When the next month begins, and all sums with it. */
  resets_at: z.string(),
  workspace: z.object(spent),
  /** By name. */
  providers: z.array(
    z.object({
      provider_id: z.string(),
      /** Null for a deleted provider. */
      name: z.string().nullable(),
      ...spent,
    }),
  ),
  /** US dollars that a call counts whose model has no price. */
  unpriced_call_usd: z.number(),
})
export type Spending = z.infer<typeof Spending>

const limits = z
  .object({
    /** US dollars of the whole workspace; null removes the limit. */
    workspace_usd: Limit.nullish(),
    /** US dollars by provider id; null removes a limit. */
    providers_usd: z.record(Uuid, Limit.nullable()),
    unpriced_call_usd: z.number().min(0).max(1_000),
  })
  .partial()

/** Absent fields stay. */
export const SpendingLimitsUpdate = limits.extend({
  /** The same fields as they were read: when one has another value by now, nothing is changed and the response is 409. */
  expected: limits.nullish(),
})
export type SpendingLimitsUpdate = z.output<typeof SpendingLimitsUpdate>

const tag = 'model providers'
const extension = true

export const spendingRoutes = describeRoutes(routes.spending, tag, {
  read: { extension, summary: 'What calls of models cost this month, and the monthly limits', answer: Spending },
  setLimits: {
    extension,
    summary:
      'Set monthly limits of the workspace and of providers; 404 for an unknown provider, 409 when an expected limit was changed',
    body: SpendingLimitsUpdate,
    answer: Spending,
  },
})
