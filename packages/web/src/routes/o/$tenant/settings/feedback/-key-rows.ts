import type { FeedbackConfigSchema, FeedbackKeyUsage } from '@touchstone/sdk'

/** A key of feedback: one that has a config, one that was given, or both. */
export interface KeyRow {
  key: string
  config: FeedbackConfigSchema | undefined
  /** How often it was given. */
  count: number
  lastGivenAt: string | undefined
}

/** Keys with a config first, then those seen without one; by name within each. */
export function buildKeyRows(configs: readonly FeedbackConfigSchema[], usage: readonly FeedbackKeyUsage[]): KeyRow[] {
  const used = new Map(usage.map((one) => [one.feedback_key, one]))
  const withConfig = configs.map((config) => toKeyRow(config.feedback_key, config, used.get(config.feedback_key)))
  const known = new Set(configs.map((config) => config.feedback_key))
  const others = usage
    .filter((one) => !known.has(one.feedback_key))
    .map((one) => toKeyRow(one.feedback_key, undefined, one))
  const byKey = (one: KeyRow, other: KeyRow) => (one.key < other.key ? -1 : 1)
  return [...withConfig.sort(byKey), ...others.sort(byKey)]
}

function toKeyRow(key: string, config: FeedbackConfigSchema | undefined, usage: FeedbackKeyUsage | undefined): KeyRow {
  return { key, config, count: usage?.feedback_count ?? 0, lastGivenAt: usage?.last_given_at }
}

/** The range or the categories, in words. */
export function describeScale(config: FeedbackConfigSchema | undefined): string {
  if (!config) return ''
  const { type, min, max, categories } = config.feedback_config
  if (type === 'freeform') return 'any text'
  if (type === 'categorical') {
    return (categories ?? []).map(({ value, label }) => (label ? `${label} ${value}` : String(value))).join(', ')
  }
  if (min == null && max == null) return 'any number'
  if (max == null) return `from ${min}`
  return min == null ? `up to ${max}` : `${min} to ${max}`
}
