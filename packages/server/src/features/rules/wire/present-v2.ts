import type { RunRule } from '@touchstone/contract'
import { isRecord } from '@touchstone/formats/guards'

/** A rule in the form of v2: the project under its newer name, and enumerations in capitals. */
export function toRunRuleV2(rule: RunRule): Record<string, unknown> {
  const { session_id, session_name, ...same } = rule
  return {
    ...same,
    project_id: session_id,
    project_name: session_name,
    group_by: toCapitals(rule.group_by),
    spend_limit: withCapitals(rule.spend_limit, ['window']),
    effective_spend_limit: withCapitals(rule.effective_spend_limit, ['window']),
    alerts: rule.alerts?.map((alert) => withCapitals(alert, ['type', 'severity'])) ?? null,
    code_evaluators: rule.code_evaluators?.map(toCodeEvaluator) ?? null,
    evaluators: rule.evaluators?.map(({ structured }) => ({ structured: toStructured(structured) })) ?? null,
  }
}

const toCapitals = (value: unknown): unknown => (typeof value === 'string' ? value.toUpperCase() : value)

function withCapitals(value: unknown, names: readonly string[]): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, of]) => [name, names.includes(name) ? toCapitals(of) : of]),
  )
}

const toCodeEvaluator = (given: Readonly<Record<string, unknown>>): unknown =>
  withCapitals({ ...given, require_attachments: given.require_attachments === true }, [
    'language',
    'code_evaluator_input',
  ])

/** Parts of messages that are not texts become JSON. */
function toStructured(structured: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { prompt } = structured
  if (!Array.isArray(prompt)) return { ...structured }
  const toText = (part: unknown) => (typeof part === 'string' ? part : JSON.stringify(part))
  return { ...structured, prompt: prompt.map((pair: unknown) => (Array.isArray(pair) ? pair.map(toText) : pair)) }
}
