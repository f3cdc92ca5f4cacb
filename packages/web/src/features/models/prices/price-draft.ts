import type { ModelPrice, ModelPriceWrite } from '@touchstone/sdk'
import { isPrice, toPricePerMillion, toPricePerToken } from '#lib/format.ts'

/** State of the form in US dollars per million tokens; empty for classes without their own price. */
export interface PriceDraft {
  name: string
  pattern: string
  provider: string
  /** A day, `2026-01-31`; empty if the price always applies. */
  since: string
  input: string
  cacheRead: string
  cacheWrite: string
  output: string
  reasoning: string
  /** Classes without a form field; sent back unchanged. */
  otherInput: Readonly<Record<string, string>>
  otherOutput: Readonly<Record<string, string>>
  path: string[] | undefined
}

const INPUT_CLASSES = { cacheRead: 'cache_read', cacheWrite: 'cache_creation' } as const
const OUTPUT_CLASSES = { reasoning: 'reasoning' } as const

export function newPriceDraft(model = '', provider: string | null = null): PriceDraft {
  return {
    name: model,
    pattern: model === '' ? '' : `^${escapeRegExp(model)}$`,
    provider: provider ?? '',
    since: '',
    input: '',
    cacheRead: '',
    cacheWrite: '',
    output: '',
    reasoning: '',
    otherInput: {},
    otherOutput: {},
    path: undefined,
  }
}

export function toPriceDraft(price: ModelPrice): PriceDraft {
  const { cache_read, cache_creation, ...otherInput } = price.prompt_cost_details ?? {}
  const { reasoning, ...otherOutput } = price.completion_cost_details ?? {}
  const shown = (perTokenText: string | undefined) =>
    perTokenText === undefined ? '' : toPricePerMillion(perTokenText)
  return {
    name: price.name,
    pattern: price.match_pattern,
    provider: price.provider ?? '',
    since: price.start_time?.slice(0, 10) ?? '',
    input: toPricePerMillion(price.prompt_cost),
    cacheRead: shown(cache_read),
    cacheWrite: shown(cache_creation),
    output: toPricePerMillion(price.completion_cost),
    reasoning: shown(reasoning),
    otherInput,
    otherOutput,
    path: price.match_path,
  }
}

export function toPrice(draft: PriceDraft): ModelPriceWrite {
  return {
    name: draft.name.trim() || draft.pattern,
    match_pattern: draft.pattern,
    ...(draft.path && { match_path: draft.path }),
    provider: draft.provider.trim() === '' ? null : draft.provider.trim(),
    start_time: draft.since === '' ? null : `${draft.since}T00:00:00Z`,
    prompt_cost: toPricePerToken(draft.input),
    completion_cost: toPricePerToken(draft.output),
    prompt_cost_details: toClassPrices(draft, INPUT_CLASSES, draft.otherInput),
    completion_cost_details: toClassPrices(draft, OUTPUT_CLASSES, draft.otherOutput),
  }
}

/** Validation errors by form field. */
export function validatePriceDraft(draft: PriceDraft): Partial<Record<keyof PriceDraft, string>> {
  const errors: Partial<Record<keyof PriceDraft, string>> = {}
  if (draft.pattern === '') errors.pattern = 'Enter a pattern.'
  for (const field of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const) {
    const isOptional = field !== 'input' && field !== 'output'
    if (isOptional && draft[field].trim() === '') continue
    if (!isPrice(draft[field])) errors[field] = 'Enter dollars, for example 2.50.'
  }
  return errors
}

function toClassPrices(
  draft: PriceDraft,
  fields: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
): Record<string, string> | null {
  const own = Object.entries(fields)
    .map(([field, name]) => [name, String(draft[field as keyof PriceDraft]).trim()] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [name, toPricePerToken(text)] as const)
  const all = { ...others, ...Object.fromEntries(own) }
  return Object.keys(all).length === 0 ? null : all
}

/** Escapes a model name for a pattern that matches only this name. */
function escapeRegExp(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
