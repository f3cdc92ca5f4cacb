import type { ModelPrice } from '@touchstone/contract'
import type { Usage } from './usage.ts'

/** What a run cost; an absent amount is unknown, which is not the same as nothing. */
export interface Cost {
  readonly prompt: Money | undefined
  readonly completion: Money | undefined
  readonly total: Money | undefined
  readonly promptDetails: Readonly<Record<string, Money>>
  readonly completionDetails: Readonly<Record<string, Money>>
  /** The price used, when anything was computed from one. */
  readonly priceId: string | undefined
}

type Price = Pick<
  ModelPrice,
  'id' | 'prompt_cost' | 'completion_cost' | 'prompt_cost_details' | 'completion_cost_details'
>

/**
 * Prices usage. Each token class with a price of its own takes that price, the remaining tokens take the base price, so
 * no token is paid twice. Costs that the run itself reported win over computed ones.
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

/** An amount given as a number or a decimal string; `undefined` for anything else, negative amounts included. */
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

export function addMoney(one: Money, other: Money): Money {
  return one + other
}

/** The shortest decimal that reads back as this number: 0.1 is 0.1, not 0.1000000000000000055. */
function toDecimal(value: number): string {
  if (!Number.isFinite(value) || value < 0) return ''
  const shortest = String(value)
  return shortest.includes('e') ? value.toFixed(DECIMALS) : shortest
}
