import type { ModelPrice } from '@touchstone/contract'
import { type Money, toMoney } from './money.ts'
import type { Usage } from './usage.ts'

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
