import { asRecord, member, memberAt } from '../json/guards.ts'
import { addMoney, type Money, toMoney } from './cost.ts'

/** Tokens and explicitly given costs of one run, as its SDK or provider reported them. */
export interface Usage {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  readonly totalTokens: number | undefined
  /** Token classes within the prompt, e.g. `cache_read`, `audio`. Classes are parts of the whole, never additions. */
  readonly promptDetails: Readonly<Record<string, number>>
  readonly completionDetails: Readonly<Record<string, number>>
  /** Given costs override computed ones. */
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
 * Finds what a run reported about its usage; the first place that has something wins.
 */
export function readUsage(extra: unknown, outputs: unknown): Usage | undefined {
  for (const place of normalisedPlaces(extra, outputs)) {
    const usage = fromUsageMetadata(place)
    if (usage !== undefined) return usage
  }
  for (const place of providerPlaces(outputs)) {
    const usage = fromProvider(place)
    if (usage !== undefined) return usage
  }
  return undefined
}

function* normalisedPlaces(extra: unknown, outputs: unknown): Generator<unknown> {
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

function* providerPlaces(outputs: unknown): Generator<unknown> {
  yield memberAt(outputs, 'llm_output', 'token_usage')
  yield memberAt(outputs, 'llm_output', 'usage')
  yield member(outputs, 'token_usage')
  yield member(outputs, 'usage')
}

function fromUsageMetadata(place: unknown): Usage | undefined {
  const usage = asRecord(place)
  if (usage === undefined) return undefined
  const prompt = count(usage.input_tokens)
  const completion = count(usage.output_tokens)
  const promptCosts = moneys(usage.input_cost_details)
  const completionCosts = moneys(usage.output_cost_details)
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
function fromProvider(place: unknown): Usage | undefined {
  const usage = asRecord(place)
  if (usage === undefined) return undefined
  const first = (...keys: string[]) => keys.map((key) => count(usage[key])).find((found) => found !== undefined)
  const input = first('prompt_tokens', 'input_tokens', 'promptTokens')
  const completion = first('completion_tokens', 'output_tokens', 'completionTokens')
  const total = first('total_tokens', 'totalTokens')
  if (input === undefined && completion === undefined && total === undefined) return undefined

  const cacheRead = first('cache_read_input_tokens')
  const cacheCreation = first('cache_creation_input_tokens')
  // Anthropic counts cached tokens beside `input_tokens`; our prompt tokens include them.
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

function moneys(value: unknown): Record<string, Money> {
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
