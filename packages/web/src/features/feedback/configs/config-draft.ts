import type { FeedbackConfig, FeedbackConfigSchema } from '@touchstone/sdk'

/** State of the form; numbers are text while they are edited. */
export interface ConfigDraft {
  key: string
  type: FeedbackConfig['type']
  min: string
  max: string
  categories: readonly { value: string; label: string }[]
  /** Not editable here; sent back unchanged. */
  allowsMultiple: boolean
  isLowerBetter: boolean
}

export function newConfigDraft(key = ''): ConfigDraft {
  const categories = [
    { value: '1', label: 'yes' },
    { value: '0', label: 'no' },
  ]
  return { key, type: 'continuous', min: '0', max: '1', categories, allowsMultiple: false, isLowerBetter: false }
}

export function toConfigDraft({
  feedback_key,
  feedback_config,
  is_lower_score_better,
}: FeedbackConfigSchema): ConfigDraft {
  const { type, min, max, categories } = feedback_config
  return {
    ...newConfigDraft(feedback_key),
    type,
    min: printLimit(min),
    max: printLimit(max),
    ...(categories?.length && {
      categories: categories.map(({ value, label }) => ({ value: String(value), label: label ?? '' })),
    }),
    allowsMultiple: feedback_config.allows_multiple_categories ?? false,
    isLowerBetter: is_lower_score_better ?? false,
  }
}

/** Converts the form to the configuration; empty limits become null. */
export function toConfig({ type, min, max, categories, allowsMultiple }: ConfigDraft): FeedbackConfig {
  if (type === 'freeform') return { type }
  if (type === 'continuous') return { type, min: parseLimit(min), max: parseLimit(max) }
  return {
    type,
    categories: categories.map(({ value, label }) => ({ value: Number(value), ...(label !== '' && { label }) })),
    ...(allowsMultiple && { allows_multiple_categories: true }),
  }
}

/** Validation errors by wire field. */
export function validateConfigDraft({ key, type, min, max, categories }: ConfigDraft): Record<string, string> {
  const errors: Record<string, string> = {}
  if (key === '') errors.feedback_key = 'Enter a key.'
  if (type === 'continuous') {
    for (const [name, text] of Object.entries({ min, max })) {
      if (parseLimit(text) !== null && !isNumber(text)) errors[`feedback_config.${name}`] = 'must be a number'
    }
  }
  if (type === 'categorical') {
    if (categories.length === 0) errors['feedback_config.categories'] = 'Add at least one category.'
    for (const [at, { value }] of categories.entries()) {
      if (!isNumber(value)) errors[`feedback_config.categories.${at}.value`] = 'must be a number'
    }
  }
  return errors
}

function parseLimit(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}

function printLimit(limit: number | null | undefined): string {
  return limit == null ? '' : String(limit)
}
