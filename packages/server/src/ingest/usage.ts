import type { ModelPrice } from '@touchstone/contract'
import { asRecord, member, memberAt } from '../json/guards.ts'

/** Tokens and explicit costs of one run, as its SDK or provider reported them. */
export interface Usage {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  readonly totalTokens: number | undefined
  /** Token classes within the prompt, e.g. `cache_read`, `audio`. Classes are part of the total, not additional. */
  readonly promptDetails: Readonly<Record<string, number>>
  readonly completionDetails: Readonly<Record<string, number>>
  /** Reported costs override computed ones. */
  readonly given: GivenCosts
}

export interface GivenCosts {
  readonly prompt?: Money | undefined
  readonly completion?: Money | undefined
  readonly total?: Money | undefined
  readonly promptDetails?: Readonly<Record<string, Money>>
  readonly completionDetails?: Readonly<Record<string, Money>>
}

/**
 * Finds the usage that a run reported; the first field that has usage wins. A run of a span that sums up others
 * (`otel.aggregate_usage`) has none of its own.
 */
export function readUsage(extra: unknown, outputs: unknown): Usage | undefined {
  if (memberAt(extra, 'otel', 'aggregate_usage') !== undefined) return undefined
  for (const candidate of eachNormalizedUsage(extra, outputs)) {
    const usage = fromUsageMetadata(candidate)
    if (usage !== undefined) return usage
  }
  for (const candidate of eachProviderUsage(outputs)) {
    const usage = fromProvider(candidate)
    if (usage !== undefined) return usage
  }
  return undefined
}

function* eachNormalizedUsage(extra: unknown, outputs: unknown): Generator<unknown> {
  yield memberAt(extra, 'metadata', 'usage_metadata')
  yield member(outputs, 'usage_metadata')
  const values = Object.values(asRecord(outputs) ?? {})
  for (const value of values) yield member(value, 'usage_metadata')
  for (const value of values) yield memberAt(value, 'kwargs', 'usage_metadata')
  yield* generationPlaces(outputs)
}

/** A batch of prompts has a list of generations for each; their usage adds up, one generation per prompt. */
function* generationPlaces(outputs: unknown): Generator<unknown> {
  const batches = member(outputs, 'generations')
  if (!Array.isArray(batches)) return
  const found = batches
    .map((batch) => {
      const generation: unknown = Array.isArray(batch) ? batch[0] : batch
      return (
        memberAt(generation, 'message', 'kwargs', 'usage_metadata') ?? memberAt(generation, 'message', 'usage_metadata')
      )
    })
    .filter((usage) => usage !== undefined)
  if (found.length === 1) yield found[0]
  else if (found.length > 1) yield sumOfUsages(found)
}

function sumOfUsages(usages: readonly unknown[]): Record<string, unknown> {
  const sum = (...path: string[]) =>
    usages.reduce<number>((total, usage) => total + (count(memberAt(usage, ...path)) ?? 0), 0)
  const details = (key: string) => {
    const classes = new Set(usages.flatMap((usage) => Object.keys(asRecord(member(usage, key)) ?? {})))
    return Object.fromEntries([...classes].map((name) => [name, sum(key, name)]))
  }
  return {
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    total_tokens: sum('total_tokens'),
    input_token_details: details('input_token_details'),
    output_token_details: details('output_token_details'),
  }
}

function* eachProviderUsage(outputs: unknown): Generator<unknown> {
  yield memberAt(outputs, 'llm_output', 'token_usage')
  yield memberAt(outputs, 'llm_output', 'usage')
  yield member(outputs, 'token_usage')
  yield member(outputs, 'usage')
}

function fromUsageMetadata(candidate: unknown): Usage | undefined {
  const usage = asRecord(candidate)
  if (usage === undefined) return undefined
  const prompt = count(usage.input_tokens)
  const completion = count(usage.output_tokens)
  const promptCosts = toMoneys(usage.input_cost_details)
  const completionCosts = toMoneys(usage.output_cost_details)
  const given: GivenCosts = {
    prompt: toMoney(usage.input_cost) ?? addAmounts(promptCosts),
    completion: toMoney(usage.output_cost) ?? addAmounts(completionCosts),
    total: toMoney(usage.total_cost),
    promptDetails: promptCosts,
    completionDetails: completionCosts,
  }
  const total = count(usage.total_tokens)
  const hasCost = given.prompt !== undefined || given.completion !== undefined || given.total !== undefined
  if (prompt === undefined && completion === undefined && total === undefined && !hasCost) return undefined
  return {
    ...tokens(prompt, completion, total),
    promptDetails: counts(usage.input_token_details),
    completionDetails: counts(usage.output_token_details),
    given,
  }
}

/** Raw usage objects of OpenAI (chat and responses) and Anthropic, also in camel case. */
function fromProvider(candidate: unknown): Usage | undefined {
  const usage = asRecord(candidate)
  if (usage === undefined) return undefined
  const first = (...keys: string[]) => keys.map((key) => count(usage[key])).find((found) => found !== undefined)
  const input = first('prompt_tokens', 'input_tokens', 'promptTokens')
  const completion = first('completion_tokens', 'output_tokens', 'completionTokens')
  const total = first('total_tokens', 'totalTokens')
  if (input === undefined && completion === undefined && total === undefined) return undefined

  const cacheRead = first('cache_read_input_tokens')
  const cacheCreation = first('cache_creation_input_tokens')
  // Anthropic counts cached tokens separately from `input_tokens`; our prompt tokens include them.
  const beside = (cacheRead ?? 0) + (cacheCreation ?? 0)
  const prompt = input === undefined ? undefined : input + beside
  const nested = (keys: string[], name: string) =>
    keys.map((key) => count(member(usage[key], name))).find((found) => found !== undefined)
  const inputDetails = ['prompt_tokens_details', 'input_tokens_details']
  const outputDetails = ['completion_tokens_details', 'output_tokens_details']
  return {
    ...tokens(prompt, completion, beside > 0 ? undefined : total),
    promptDetails: present({
      cache_read: cacheRead ?? nested(inputDetails, 'cached_tokens'),
      cache_creation: cacheCreation,
      audio: nested(inputDetails, 'audio_tokens'),
    }),
    completionDetails: present({
      reasoning: nested(outputDetails, 'reasoning_tokens'),
      audio: nested(outputDetails, 'audio_tokens'),
    }),
    given: {},
  }
}

function tokens(prompt: number | undefined, completion: number | undefined, total: number | undefined) {
  const known = prompt !== undefined || completion !== undefined
  return {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: total ?? (known ? (prompt ?? 0) + (completion ?? 0) : undefined),
  }
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER
    ? Math.round(value)
    : undefined
}

function counts(value: unknown): Record<string, number> {
  const entries = Object.entries(asRecord(value) ?? {}).map(([key, number]) => [key, count(number)] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => entry[1] !== undefined))
}

function toMoneys(value: unknown): Record<string, Money> {
  const entries = Object.entries(asRecord(value) ?? {}).map(([key, amount]) => [key, toMoney(amount)] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, Money] => entry[1] !== undefined))
}

function addAmounts(amounts: Readonly<Record<string, Money>>): Money | undefined {
  const list = Object.values(amounts)
  return list.length === 0 ? undefined : list.reduce(addMoney)
}

function present(details: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(Object.entries(details).filter((entry): entry is [string, number] => !!entry[1]))
}

/** The costs of a run; an absent amount is unknown, which differs from zero. */
interface Cost {
  readonly prompt: Money | undefined
  readonly completion: Money | undefined
  readonly total: Money | undefined
  readonly promptDetails: Readonly<Record<string, Money>>
  readonly completionDetails: Readonly<Record<string, Money>>
  /** The price that was used, if an amount was computed. */
  readonly priceId: string | undefined
}

type Price = Pick<
  ModelPrice,
  'id' | 'prompt_cost' | 'completion_cost' | 'prompt_cost_details' | 'completion_cost_details'
>

/**
 * Prices usage. Each token class with its own price takes that price, the remaining tokens take the base price, so no
 * token is paid twice. Costs that the run reported override computed ones.
 *
 * @param price  the price valid at the run's start; `undefined` when the model has none
 */
export function computeCost(usage: Usage, price: Price | undefined): Cost {
  const { given } = usage
  const prompt = side(usage.promptTokens, usage.promptDetails, price?.prompt_cost, price?.prompt_cost_details)
  const completion = side(
    usage.completionTokens,
    usage.completionDetails,
    price?.completion_cost,
    price?.completion_cost_details,
  )
  const promptCost = given.prompt ?? (given.total === undefined ? prompt?.cost : undefined)
  const completionCost = given.completion ?? (given.total === undefined ? completion?.cost : undefined)
  const known = promptCost !== undefined || completionCost !== undefined
  const computed = promptCost === prompt?.cost && prompt !== undefined
  const computedCompletion = completionCost === completion?.cost && completion !== undefined
  return {
    prompt: promptCost,
    completion: completionCost,
    total: given.total ?? (known ? (promptCost ?? 0n) + (completionCost ?? 0n) : undefined),
    promptDetails: nonEmpty(given.promptDetails) ?? (computed ? prompt.details : {}),
    completionDetails: nonEmpty(given.completionDetails) ?? (computedCompletion ? completion.details : {}),
    priceId: computed || computedCompletion ? price?.id : undefined,
  }
}

function side(
  tokens: number | undefined,
  details: Readonly<Record<string, number>>,
  base: string | undefined,
  classPrices: Readonly<Record<string, string>> | null | undefined,
): { cost: Money; details: Record<string, Money> } | undefined {
  const basePrice = toMoney(base)
  if (tokens === undefined || basePrice === undefined) return undefined
  const costs: Record<string, Money> = {}
  let rest = tokens
  let cost = 0n
  for (const [name, count] of Object.entries(details)) {
    const classPrice = classPrices && Object.hasOwn(classPrices, name) ? toMoney(classPrices[name]) : undefined
    if (classPrice === undefined) continue
    const counted = Math.min(count, rest)
    rest -= counted
    costs[name] = BigInt(counted) * classPrice
    cost += costs[name]
  }
  return { cost: cost + BigInt(rest) * basePrice, details: costs }
}

function nonEmpty<Amounts extends object>(amounts: Amounts | undefined): Amounts | undefined {
  return amounts !== undefined && Object.keys(amounts).length > 0 ? amounts : undefined
}

/** US dollars as a whole number of 10⁻¹⁸ dollars, so that prices per token add up exactly. */
export type Money = bigint

const DECIMALS = 18

/** An amount from a number or a decimal string; `undefined` for anything else, including negative amounts. */
export function toMoney(value: unknown): Money | undefined {
  const text = typeof value === 'number' ? toDecimal(value) : typeof value === 'string' ? value.trim() : ''
  const match = /^(\d{1,18})(?:\.(\d+))?$/.exec(text)
  if (match === null) return undefined
  return BigInt(match[1]! + (match[2] ?? '').slice(0, DECIMALS).padEnd(DECIMALS, '0'))
}

/** Decimal text without trailing zeros, e.g. `0.000035`. */
export function printMoney(amount: Money): string {
  const digits = amount.toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  const whole = digits.slice(0, -DECIMALS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function addMoney(one: Money, other: Money): Money {
  return one + other
}

/** The shortest decimal that reads back as this number: 0.1 is 0.1, not 0.1000000000000000055. */
function toDecimal(value: number): string {
  if (!Number.isFinite(value) || value < 0) return ''
  const shortest = String(value)
  return shortest.includes('e') ? value.toFixed(DECIMALS) : shortest
}
