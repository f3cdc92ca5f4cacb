import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'
import { AlertOperator, MAX_ALERT_CHANNELS } from './definition.ts'

export const PLATFORM_ALERT_ATTRIBUTES = [
  'latency',
  'error_count',
  'feedback_score',
  'run_latency',
  'run_count',
  'total_cost',
] as const

/** Placeholder of a secret in the configuration of an action. Writing it back keeps the secret. */
export const HIDDEN_SECRET = '********'

const FilterText = repairedText(10_000).nullish()

/** An alert on one project as LangSmith writes it. Its threshold is a critical level. */
export const PlatformAlertRule = z.object({
  id: Uuid.nullish(),
  name: repairedText(200).trim().min(1, 'is empty'),
  description: repairedText(5000),
  type: z.enum(['threshold', 'change']),
  /** `latency` and `run_latency` are seconds, of traces and of runs; `total_cost` is US dollars. */
  attribute: z.enum(PLATFORM_ALERT_ATTRIBUTES),
  /** `pct` is a share from 0 to 1: of failed runs, or of `filter` among `denominator_filter`. */
  aggregation: z.enum(['avg', 'sum', 'pct']),
  operator: AlertOperator,
  window_minutes: z.int().min(1).max(60),
  filter: FilterText,
  denominator_filter: FilterText,
  /** Required for the type `threshold`. */
  threshold: z.number().nullish(),
  /** Required for the type `change`. */
  threshold_multiplier: z.number().positive().nullish(),
  threshold_window_minutes: z.int().min(1).max(60).nullish(),
  /** Key of `feedback_score`. An extension of ours: LangSmith reads it from the filter, as `eq(feedback_key, "…")`. */
  feedback_key: identifierText(180).nullish(),
})
export type PlatformAlertRule = z.output<typeof PlatformAlertRule>

/** `webhook`: `{url, headers?, body?}`. `pagerduty`: `{routing_key, severity?}`. Secrets are sealed and come back hidden. */
export const PlatformAlertAction = z.object({
  id: Uuid.nullish(),
  alert_rule_id: Uuid.nullish(),
  target: z.enum(['pagerduty', 'webhook', 'dynatrace']),
  config: JsonRecord.refine((value) => JSON.stringify(value).length <= 20_000, 'has more than 20,000 characters'),
})
export type PlatformAlertAction = z.output<typeof PlatformAlertAction>

export const PlatformAlertWrite = z.object({
  rule: PlatformAlertRule,
  actions: z.array(PlatformAlertAction).max(MAX_ALERT_CHANNELS),
})
export type PlatformAlertWrite = z.output<typeof PlatformAlertWrite>

const times = { created_at: z.string(), updated_at: z.string() }

export const PlatformAlert = z.object({
  rule: PlatformAlertRule.extend({ id: z.string(), session_id: z.string(), session_name: z.string(), ...times }),
  actions: z.array(PlatformAlertAction.extend({ id: z.string(), alert_rule_id: z.string(), ...times })),
})
export type PlatformAlert = z.infer<typeof PlatformAlert>

const session = z.object({ session_id: Uuid })
const params = session.extend({ alert_rule_id: Uuid })
const message = z.object({ message: z.string() })

export const platformAlertRoutes = describeRoutes(routes.platformAlerts, 'alerts', {
  list: {
    extension: true,
    summary: 'Alerts that these routes wrote for a project, by name',
    params: session,
    answer: z.array(PlatformAlert),
  },
  create: {
    summary: 'Create an alert on a project; 429 at the most alerts of a workspace',
    params: session,
    body: PlatformAlertWrite,
    status: 201,
    answer: PlatformAlert,
  },
  test: {
    summary: 'Send a test notice to the actions of an alert that need not be saved',
    params: session,
    body: PlatformAlertWrite,
    answer: message,
  },
  read: { summary: 'One alert of a project', params, answer: PlatformAlert },
  update: { summary: 'Replace an alert and its actions', params, body: PlatformAlertWrite, answer: message },
  delete: { summary: 'Delete an alert with its history', params, answer: message },
})
