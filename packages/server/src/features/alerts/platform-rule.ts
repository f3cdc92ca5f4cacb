import {
  AlertDefinition,
  type AlertDefinitionInput,
  ApiError,
  HIDDEN_SECRET,
  PlatformAlertAction,
  PlatformAlertRule,
} from '@touchstone/contract'
import { z } from 'zod'

/** What an alert keeps of LangSmith's form of it: secrets are in its channels. */
const StoredPlatform = z.object({
  rule: PlatformAlertRule,
  actions: z.array(PlatformAlertAction.extend({ id: z.string(), created_at: z.string(), updated_at: z.string() })),
})
export type StoredPlatform = z.output<typeof StoredPlatform>

export const readPlatform = (text: string): StoredPlatform => StoredPlatform.parse(JSON.parse(text))

type Measured = Pick<AlertDefinitionInput, 'metric' | 'statistic' | 'scope'>

/** The metric of an attribute by its aggregation. */
const METRICS: Readonly<
  Record<PlatformAlertRule['attribute'], Partial<Record<PlatformAlertRule['aggregation'], Measured>>>
> = {
  latency: { avg: { metric: 'latency', statistic: 'avg', scope: 'traces' } },
  run_latency: { avg: { metric: 'latency', statistic: 'avg', scope: 'runs' } },
  error_count: {
    sum: { metric: 'errors', statistic: 'count', scope: 'runs' },
    avg: { metric: 'error_rate', statistic: 'share', scope: 'runs' },
    pct: { metric: 'error_rate', statistic: 'share', scope: 'runs' },
  },
  run_count: {
    sum: { metric: 'runs', statistic: 'count', scope: 'runs' },
    pct: { metric: 'runs', statistic: 'share', scope: 'runs' },
  },
  feedback_score: {
    avg: { metric: 'feedback', statistic: 'avg', scope: 'runs' },
    sum: { metric: 'feedback', statistic: 'sum', scope: 'runs' },
  },
  total_cost: {
    avg: { metric: 'cost', statistic: 'avg', scope: 'traces' },
    sum: { metric: 'cost', statistic: 'sum', scope: 'traces' },
  },
}

/**
 * LangSmith's rule as a definition.
 *
 * @throws ApiError INVALID_REQUEST
 */
export function toDefinition(rule: PlatformAlertRule, projectId: string): AlertDefinition {
  const measured = METRICS[rule.attribute][rule.aggregation]
  if (measured === undefined) {
    const known = Object.keys(METRICS[rule.attribute]).join(', ')
    throw new ApiError('INVALID_REQUEST', `rule.aggregation: of ${rule.attribute} is ${known}`)
  }
  const isShareOfRuns = measured.metric === 'runs' && measured.statistic === 'share'
  const parsed = AlertDefinition.safeParse({
    ...measured,
    project_ids: [projectId],
    filter: rule.filter ?? null,
    denominator_filter: isShareOfRuns ? (rule.denominator_filter ?? null) : null,
    feedback_key: measured.metric === 'feedback' ? findFeedbackKey(rule) : null,
    window_minutes: rule.window_minutes,
    operator: rule.operator,
    recovery_minutes: 0,
    ...toLevel(rule),
  } satisfies AlertDefinitionInput)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new ApiError('INVALID_REQUEST', `rule.${issue?.path.join('.')}: ${issue?.message}`)
}

function toLevel(rule: PlatformAlertRule): Pick<AlertDefinitionInput, 'kind' | 'critical' | 'compare_minutes'> {
  if (rule.type === 'threshold') {
    if (rule.threshold == null) throw new ApiError('INVALID_REQUEST', 'rule.threshold: is required for a threshold')
    return { kind: 'threshold', critical: rule.threshold }
  }
  if (rule.threshold_multiplier == null) {
    throw new ApiError('INVALID_REQUEST', 'rule.threshold_multiplier: is required for a change')
  }
  return { kind: 'change', critical: rule.threshold_multiplier, compare_minutes: rule.threshold_window_minutes ?? null }
}

const KEY = /\beq\(\s*feedback_key\s*,\s*("(?:[^"\\]|\\.)*")\s*\)/

/** @throws ApiError INVALID_REQUEST */
function findFeedbackKey({ feedback_key, filter }: PlatformAlertRule): string {
  const found = feedback_key ?? readText(KEY.exec(filter ?? '')?.[1])
  if (typeof found === 'string' && found !== '') return found
  throw new ApiError('INVALID_REQUEST', 'rule.filter: name the feedback, as in eq(feedback_key, "correctness")')
}

/** A quoted text of a filter; undefined when its escapes are wrong. */
function readText(quoted = 'null'): unknown {
  try {
    return JSON.parse(quoted)
  } catch {
    return undefined
  }
}

/** The configuration of an action with its secrets hidden. */
export function hideConfig({
  target,
  config,
}: Pick<PlatformAlertAction, 'target' | 'config'>): Record<string, unknown> {
  if (target === 'pagerduty') return { ...config, routing_key: HIDDEN_SECRET }
  const headers = config.headers
  if (typeof headers !== 'object' || headers === null) return config
  return { ...config, headers: Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN_SECRET])) }
}
