import type { ModelPrice } from '@touchstone/sdk'
import { toPricePerMillion } from '#lib/format.ts'

/** The prices of one model: several if it changed, or if dated versions of it cost something else. */
export interface PricedModel {
  name: string
  provider: string | null
  /** The price of today first. */
  prices: readonly [ModelPrice, ...ModelPrice[]]
}

export interface PriceFamily {
  /** The vendor of the price list, or the provider. */
  name: string
  models: readonly PricedModel[]
}

/** Sites of price lists. */
const VENDORS: Readonly<Record<string, string>> = {
  'openai.com': 'OpenAI',
  'developers.openai.com': 'OpenAI',
  'www.anthropic.com': 'Anthropic',
  'platform.claude.com': 'Anthropic',
  'ai.google.dev': 'Google',
  'mistral.ai': 'Mistral',
  'docs.x.ai': 'xAI',
  'cohere.com': 'Cohere',
  'azure.microsoft.com': 'Azure',
  'aws.amazon.com': 'Amazon Bedrock',
  'cloud.google.com': 'Google Vertex AI',
  'www.databricks.com': 'Databricks',
  'www.together.ai': 'Together AI',
  'groq.com': 'Groq',
  'fireworks.ai': 'Fireworks',
  'deepinfra.com': 'DeepInfra',
  'www.cerebras.ai': 'Cerebras',
  'cloud.sambanova.ai': 'SambaNova',
  'nebius.com': 'Nebius',
  'novita.ai': 'Novita',
  'vercel.com': 'Vercel AI Gateway',
  'docs.perplexity.ai': 'Perplexity',
  'api-docs.deepseek.com': 'DeepSeek',
  'platform.moonshot.ai': 'Moonshot AI',
  'docs.z.ai': 'Z.ai',
  'platform.minimax.io': 'MiniMax',
  'www.alibabacloud.com': 'Alibaba Cloud',
  'llama.developer.meta.com': 'Meta',
  'www.oracle.com': 'Oracle Cloud',
  'www.ibm.com': 'IBM watsonx',
  'www.snowflake.com': 'Snowflake',
  'www.ai21.com': 'AI21',
  'docs.voyageai.com': 'Voyage AI',
}
const NO_FAMILY = 'Other models'

/**
 * Groups prices by vendor and model, in the given order.
 *
 * @param search  only models whose name, provider or vendor, or the pattern of one of whose prices contains it, in any case
 */
export function groupPrices(prices: readonly ModelPrice[], search = '', nowMs = Date.now()): PriceFamily[] {
  const wanted = search.trim().toLowerCase()
  const families = new Map<string, Map<string, ModelPrice[]>>()
  for (const price of prices) {
    const family = getFamily(price)
    const models = families.get(family) ?? new Map<string, ModelPrice[]>()
    const key = `${price.name}\n${price.provider ?? ''}`
    families.set(family, models.set(key, [...(models.get(key) ?? []), price]))
  }
  const isFound = (family: string) => (model: readonly ModelPrice[]) =>
    model.some((price) =>
      [price.name, price.provider ?? '', family, price.match_pattern].some((text) =>
        text.toLowerCase().includes(wanted),
      ),
    )
  const toModels = (name: string, models: Map<string, ModelPrice[]>) =>
    [...models.values()].filter(isFound(name)).flatMap((one) => toModel(one, nowMs))
  return Array.from(families, ([name, models]) => ({ name, models: toModels(name, models) })).filter(
    ({ models }) => models.length > 0,
  )
}

function getFamily(price: ModelPrice): string {
  const host = /^https?:\/\/([^/\s]+)/.exec(price.source ?? '')?.[1]
  return (host && VENDORS[host]) ?? price.provider ?? NO_FAMILY
}

function toModel(prices: readonly ModelPrice[], nowMs: number): PricedModel[] {
  const isFuture = (price: ModelPrice) => Date.parse(price.start_time ?? '') > nowMs
  const [first, ...others] = prices.toSorted(
    (one, other) => Number(isFuture(one)) - Number(isFuture(other)) || compareValidity(one, other),
  )
  return first ? [{ name: first.name, provider: first.provider, prices: [first, ...others] }] : []
}

/** The later price first; of those from the same day, the one that names fewer versions. */
function compareValidity(one: ModelPrice, other: ModelPrice): number {
  const [start, otherStart] = [one.start_time ?? '', other.start_time ?? '']
  if (start !== otherStart) return start < otherStart ? 1 : -1
  return one.match_pattern.length - other.match_pattern.length
}

const ALWAYS = 'for every date'

/** What tells a price from the others of its model: `from 2024-10-02`, `before 2024-10-02`, or the versions it is for. */
export function describePrice(price: ModelPrice, { prices }: PricedModel): string {
  const since = price.start_time?.slice(0, 10)
  const samePattern = prices.filter((one) => one.match_pattern === price.match_pattern)
  const next = samePattern.filter((one) => (one.start_time ?? '') > (price.start_time ?? '')).at(-1)
  const days = [since && `from ${since}`, next?.start_time && `before ${next.start_time.slice(0, 10)}`].filter(Boolean)
  const isOther = price.match_pattern !== prices[0].match_pattern
  return [isOther && `for ${toReadablePattern(price.match_pattern)}`, ...days].filter(Boolean).join(', ') || ALWAYS
}

/** A pattern without its anchors, escapes and the part that skips the host. */
export function toReadablePattern(pattern: string): string {
  return pattern
    .replace('^(?:[a-z0-9_-]+[./])*', '')
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replaceAll(/\\([^\w\s])/g, '$1')
}

/** The prices that have no column, per million tokens: `cache writes $3.75`, `flex cached input $0.0625`. */
export function listOtherPrices(price: ModelPrice): string[] {
  const { cache_read: _, ...input } = price.prompt_cost_details ?? {}
  const toText =
    (side: string) =>
    ([name, perToken]: [string, string]) =>
      `${nameTokenClass(name, side)} $${toPricePerMillion(perToken)}`
  const texts = [
    ...Object.entries(input).map(toText('input')),
    ...Object.entries(price.completion_cost_details ?? {}).map(toText('output')),
  ]
  // An hour of the cache has two names.
  return [...new Set(texts)]
}

function nameTokenClass(name: string, side: string): string {
  const words = name
    .replace(/ephemeral_5m_input_tokens/, 'cache writes for 5 minutes')
    .replace(/ephemeral_1hr?_input_tokens/, 'cache writes for 1 hour')
    .replace('cache_creation', 'cache writes')
    .replace('cache_read', 'cached input')
    .replaceAll('_', ' ')
  return /cache|reasoning/.test(words) ? words : `${side} ${words}`
}

/** The address of a source and the words after it: where and when a price was read. */
export function splitSource(source: string): { url: string | undefined; text: string } {
  const [, url, text = ''] = /^(https?:\/\/[^\s,]+)(.*)$/.exec(source) ?? []
  return { url, text: url === undefined ? source : text }
}

/** Dollars with at least two decimals, and the zeros that align it with the longest of a column. */
export interface AlignedPrice {
  text: string
  /** Invisible, after the text. */
  padding: string
}

/** Aligns the decimal points of a column of prices per token; null is an empty cell. */
export function alignPrices(perToken: readonly (string | null | undefined)[]): (AlignedPrice | null)[] {
  const texts = perToken.map((price) => {
    if (price === null || price === undefined) return null
    const [whole = '0', fraction = ''] = toPricePerMillion(price).split('.')
    return `${whole}.${fraction.padEnd(2, '0')}`
  })
  const decimals = (text: string) => text.length - text.indexOf('.') - 1
  const most = Math.max(2, ...texts.map((text) => (text === null ? 0 : decimals(text))))
  return texts.map((text) => (text === null ? null : { text: `$${text}`, padding: '0'.repeat(most - decimals(text)) }))
}
