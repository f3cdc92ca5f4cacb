import { z } from 'zod'
import { MAX_ALERT_CHANNELS } from '../alerts/definition.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { clamped, strictPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'
import { TimeZone } from '../wire/time-zone.ts'

/** Most budgets of a workspace. */
export const MAX_BUDGETS = 200
/** Shares of the amount, in percent, at which a budget gives notice. */
export const BUDGET_STEPS = [50, 80, 100] as const

const value = identifierText(1000).min(1)

/** Whose cost counts. `user` is the metadata key `user_id` or `user`. */
export const BudgetScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('workspace') }),
  z.object({ kind: z.literal('project'), project_id: Uuid }),
  z.object({ kind: z.literal('model'), model: value }),
  z.object({ kind: z.literal('user'), user: value }),
  z.object({ kind: z.literal('metadata'), key: value, value }),
])
export type BudgetScope = z.output<typeof BudgetScope>

export const BUDGET_PERIODS = ['day', 'week', 'month'] as const
export const BudgetPeriod = z.enum(BUDGET_PERIODS)
export type BudgetPeriod = z.infer<typeof BudgetPeriod>

/** Spend of one period. */
export const BudgetSpend = z.object({
  /** Weeks begin on Monday, all periods at midnight of the time zone. */
  period_start: z.string(),
  period_end: z.string(),
  /** US dollars. */
  spent_usd: z.number(),
  /** Model calls. */
  calls: z.int(),
  /** Of them, those without a price. They are not in the sum. */
  unpriced_calls: z.int(),
})
export type BudgetSpend = z.infer<typeof BudgetSpend>

export const Budget = z.object({
  id: z.string(),
  tenant_id: z.string(),
  /** Unique in the workspace. */
  name: z.string(),
  is_enabled: z.boolean(),
  scope: BudgetScope,
  period: BudgetPeriod,
  time_zone: z.string(),
  amount_usd: z.number(),
  channel_ids: z.array(z.string()),
  /** Of the period that lasts. Null before it was read for the first time, within a minute. */
  current: BudgetSpend.extend({
    /** Spend so far ÷ share of the period that has passed; null in the first tenth. */
    forecast_usd: z.number().nullable(),
    /** Steps that gave notice: 50, 80, 100. */
    steps: z.array(z.int()),
    /** Whether notice was given that the forecast exceeds the amount. */
    is_forecast_sent: z.boolean(),
    /** One sentence: how much of it, what is missing in the sum, where it leads. */
    summary: z.string(),
    measured_at: z.string(),
  }).nullable(),
  created_at: z.string(),
  modified_at: z.string(),
  created_by: z.string().nullable(),
})
export type Budget = z.infer<typeof Budget>

const fields = {
  name: repairedText(200).trim().min(1, 'is empty'),
  amount_usd: z.number().min(0.01).max(1_000_000_000),
  channel_ids: z
    .array(Uuid)
    .max(MAX_ALERT_CHANNELS)
    .refine((ids) => new Set(ids).size === ids.length, 'has a channel twice'),
}

export const BudgetCreate = z.object({
  name: fields.name,
  /** @default true */
  is_enabled: z.boolean().nullish(),
  scope: BudgetScope,
  period: BudgetPeriod.default('month'),
  time_zone: TimeZone.default('UTC'),
  amount_usd: fields.amount_usd,
  channel_ids: fields.channel_ids.default([]),
})
export type BudgetCreate = z.output<typeof BudgetCreate>

/** Absent and null mean unchanged. A greater amount may give notice of the same steps again. */
export const BudgetUpdate = z.object({
  name: fields.name.nullish(),
  is_enabled: z.boolean().nullish(),
  scope: BudgetScope.nullish(),
  period: BudgetPeriod.nullish(),
  time_zone: TimeZone.nullish(),
  amount_usd: fields.amount_usd.nullish(),
  channel_ids: fields.channel_ids.nullish(),
  /** The value that was read; after a later change by another caller the answer is 409. */
  modified_at: z.string().nullish(),
})
export type BudgetUpdate = z.output<typeof BudgetUpdate>

const tag = 'budgets'
const extension = true
const params = z.object({ budget_id: Uuid })

export const budgetRoutes = describeRoutes(routes.budgets, tag, {
  list: {
    extension,
    summary: 'Budgets by name, with the spend of the period that lasts',
    query: z.object({
      /** Budgets of this project, of the workspace, and of models, users and metadata. */
      project_id: Uuid.optional(),
      ...strictPage,
    }),
    answer: z.object({ budgets: z.array(Budget), total: z.int() }),
  },
  create: {
    extension,
    summary: 'Create a budget; 409 for a name that is taken, 429 at the most budgets of a workspace',
    body: BudgetCreate,
    status: 201,
    answer: Budget,
  },
  read: { extension, summary: 'One budget', params, answer: Budget },
  update: { extension, summary: 'Change a budget', params, body: BudgetUpdate, answer: Budget },
  delete: { extension, summary: 'Delete a budget', params, status: 204 },
  history: {
    extension,
    summary: 'Spend of the period that lasts and of those before, oldest first, from the runs that are stored',
    params,
    query: z.object({ periods: clamped(1, 60, 12) }),
    answer: z.object({ periods: z.array(BudgetSpend) }),
  },
})
