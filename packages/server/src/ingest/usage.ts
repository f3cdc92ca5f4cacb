import type { ModelPrice } from '@touchstone/contract'
import type { JsonRecord } from '@touchstone/formats/json'
import { type RunUsage, readRunUsage } from '@touchstone/formats/usage'

/** Tokens and explicit costs of one run, as its SDK or provider reported them. */
export interface Usage {
  readonly promptTokens: number | undefined
  readonly completionTokens: number | undefined
  readonly totalTokens: number | undefined
  /** Token classes within the prompt, e.g. `cache_read`, `audio`. Classes are part of the total, not additional. */
  readonly promptDetails: Readonly<Record<string, number>>
  readonly completionDetails: Readonly<Record<string, number>>
  /** Given costs override computed ones. */
  readonly given: GivenCosts
  /** What a provider or an emitter says that the call cost; it counts where no cost is computed. */
  readonly reportedCost: Money | undefined
}

export interface GivenCosts {
  readonly prompt?: Money | undefined
  readonly completion?: Money | undefined
  readonly total?: Money | undefined
  readonly promptDetails?: Readonly<Record<string, Money>>
  readonly completionDetails?: Readonly<Record<string, Money>>
}

/** Finds the usage that a run reported. A run of a span that sums up others has none of its own. */
export function readUsage(extra: unknown, outputs: unknown): Usage | undefined {
  const usage = readRunUsage(extra, outputs)
  return usage && { ...toTokens(usage), given: toGivenCosts(usage.given), reportedCost: toMoney(usage.reportedCost) }
}

const toTokens = ({ input, output, total, inputDetails, outputDetails }: RunUsage) => ({
  promptTokens: input,
  completionTokens: output,
  totalTokens: total,
  promptDetails: inputDetails,
  completionDetails: outputDetails,
})

function toGivenCosts({ input, output, total, inputDetails, outputDetails }: RunUsage['given']): GivenCosts {
  const promptDetails = toMoneys(inputDetails)
  const completionDetails = toMoneys(outputDetails)
  return {
    prompt: toMoney(input) ?? addAmounts(promptDetails),
    completion: toMoney(output) ?? addAmounts(completionDetails),
    total: toMoney(total),
    promptDetails,
    completionDetails,
  }
}

function toMoneys(amounts: JsonRecord = {}): Record<string, Money> {
  const entries = Object.entries(amounts).map(([key, amount]) => [key, toMoney(amount)] as const)
  return Object.fromEntries(entries.filter((entry): entry is [string, Money] => entry[1] !== undefined))
}

function addAmounts(amounts: Readonly<Record<string, Money>>): Money | undefined {
  const list = Object.values(amounts)
  return list.length === 0 ? undefined : list.reduce((sum, one) => sum + one)
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
    total: given.total ?? (known ? (promptCost ?? 0n) + (completionCost ?? 0n) : usage.reportedCost),
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

/** The shortest decimal that reads back as this number: 0.1 is 0.1, not 0.1000000000000000055. */
function toDecimal(value: number): string {
  if (!Number.isFinite(value) || value < 0) return ''
  const shortest = String(value)
  return shortest.includes('e') ? value.toFixed(DECIMALS) : shortest
}
