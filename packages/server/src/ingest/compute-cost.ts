import type { ModelPrice } from '@touchstone/contract'
import { type Money, toMoney } from './money.ts'
import {
  BASE,
  type ClassPrices,
  findClassPrice,
  findThreshold,
  isPartOf,
  isWrittenFor,
  parseTokenClass,
  printTokenClass,
  readPrice,
  type TokenClass,
} from './token-classes.ts'
import type { GivenCosts, Usage } from './usage.ts'

/** The costs of a run; an absent amount is unknown, which differs from zero. */
export interface Cost {
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
 * Prices usage. Each token class takes its own price or that of the nearest class that has one, the remaining tokens take the
 * base price, so no token is paid twice. Costs that the run reported override computed ones. So does the cost that the provider
 * reports of a call with fees for more than tokens.
 *
 * @param price  the price valid at the run's start; `undefined` when the model has none
 */
export function computeCost(usage: Usage, price: Price | undefined): Cost {
  const computed = price && computeSides(usage, price)
  const given = chooseGiven(usage, computed)
  const prompt = given.prompt ?? (given.total === undefined ? computed?.prompt?.cost : undefined)
  const completion = given.completion ?? (given.total === undefined ? computed?.completion?.cost : undefined)
  const known = prompt !== undefined || completion !== undefined
  const ownPrompt = prompt === computed?.prompt?.cost ? computed?.prompt : undefined
  const ownCompletion = completion === computed?.completion?.cost ? computed?.completion : undefined
  return {
    prompt,
    completion,
    total: given.total ?? (known ? (prompt ?? 0n) + (completion ?? 0n) : usage.reportedCost),
    promptDetails: nonEmpty(given.promptDetails) ?? ownPrompt?.details ?? {},
    completionDetails: nonEmpty(given.completionDetails) ?? ownCompletion?.details ?? {},
    priceId: ownPrompt || ownCompletion ? price?.id : undefined,
  }
}

function chooseGiven({ given, hasFees, reportedCost }: Usage, computed: Sides | undefined): GivenCosts {
  const isGiven = [given.prompt, given.completion, given.total].some((amount) => amount !== undefined)
  if (isGiven || !hasFees || reportedCost === undefined || computed === undefined) return given
  const ofTokens = (computed.prompt?.cost ?? 0n) + (computed.completion?.cost ?? 0n)
  // Fees come on top; less is the cost of something else.
  return reportedCost > ofTokens ? { total: reportedCost } : given
}

function nonEmpty<Amounts extends object>(amounts: Amounts | undefined): Amounts | undefined {
  return amounts !== undefined && Object.keys(amounts).length > 0 ? amounts : undefined
}

interface SideCost {
  readonly cost: Money
  readonly details: Readonly<Record<string, Money>>
}

interface Sides {
  readonly prompt: SideCost | undefined
  readonly completion: SideCost | undefined
}

function computeSides(usage: Usage, price: Price): Sides {
  const promptParts = readParts(usage.promptDetails)
  const completionParts = readParts(usage.completionDetails)
  const tier = findTier([...promptParts, ...completionParts])
  const side = (tokens: number | undefined, parts: Part[], base: string, prices: ClassPrices) => {
    const basePrice = toMoney(base)
    if (tokens === undefined || basePrice === undefined) return undefined
    const over = findThreshold(usage.promptTokens, prices)
    // Most runs: every run that is written comes here.
    if (parts.length === 0 && tier === '' && over === '') return { cost: BigInt(tokens) * basePrice, details: {} }
    return computeSide(tokens, applyRequest(parts, { tier, over }), prices, basePrice)
  }
  return {
    prompt: side(usage.promptTokens, promptParts, price.prompt_cost, price.prompt_cost_details),
    completion: side(usage.completionTokens, completionParts, price.completion_cost, price.completion_cost_details),
  }
}

/** Some tokens of one side of a call. */
interface Part {
  readonly name: string
  readonly count: number
  /** Undefined for a class with a name of the user's own. */
  readonly tokenClass: TokenClass | undefined
  /** Whether the name is that of the class, so that a price of that name is its price. */
  readonly isAsNamed: boolean
}

function readParts(details: Readonly<Record<string, number>>): Part[] {
  return Object.entries(details)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ({ name, count, tokenClass: parseTokenClass(name), isAsNamed: true }))
}

/** The tier of a request, if its classes name exactly one: a request has one tier, a sum of requests can have several. */
function findTier(parts: readonly Part[]): string {
  const tiers = new Set(parts.map(({ tokenClass }) => tokenClass?.tier ?? '').filter((tier) => tier !== ''))
  const [tier = ''] = tiers
  return tiers.size === 1 ? tier : ''
}

interface Request {
  readonly tier: string
  readonly over: string
}

interface PartsOfRequest {
  readonly parts: readonly Part[]
  /** What the tokens are that no class names. */
  readonly rest: TokenClass
}

/** Tier and threshold belong to the whole request, whichever of its classes the client marked with them. */
function applyRequest(parts: readonly Part[], { tier, over }: Request): PartsOfRequest {
  if (tier === '' && over === '') return { parts, rest: BASE }
  const names = new Set(parts.map(({ tokenClass }) => tokenClass && printTokenClass({ ...tokenClass, over: '' })))
  // `cache_read` beside `flex_cache_read`: a sum of requests with and without the tier.
  const isSum = parts.some(
    ({ tokenClass }) => tokenClass?.tier === '' && names.has(printTokenClass({ ...tokenClass, tier, over: '' })),
  )
  const all = isSum ? '' : tier
  const applied = parts.map((part) => {
    if (part.tokenClass === undefined) return part
    const tokenClass = {
      ...part.tokenClass,
      tier: part.tokenClass.tier || all,
      over: over || part.tokenClass.over,
    }
    const isAsNamed = tokenClass.tier === part.tokenClass.tier && tokenClass.over === part.tokenClass.over
    return { ...part, tokenClass, isAsNamed }
  })
  return { parts: applied, rest: { ...BASE, tier: all, over } }
}

function computeSide(tokens: number, { parts, rest }: PartsOfRequest, prices: ClassPrices, base: Money): SideCost {
  const details: Record<string, Money> = {}
  let left = tokens
  let cost = 0n
  const pay = (name: string, count: number, price: Money) => {
    const amount = BigInt(count) * price
    details[name] = (details[name] ?? 0n) + amount
    cost += amount
    left -= count
  }
  for (const { name, count, tokenClass, isAsNamed } of withoutOverlap(parts, tokens)) {
    const own = isAsNamed ? readPrice(prices, name) : undefined
    const price = own ?? (tokenClass && findClassPrice(tokenClass, prices, base))
    const counted = Math.min(count, left)
    if (price !== undefined && counted > 0) pay(name, counted, price)
  }
  const restPrice = rest === BASE ? undefined : findClassPrice(rest, prices, base)
  if (restPrice !== undefined && left > 0) pay(printTokenClass(rest), left, restPrice)
  return { cost: cost + BigInt(left) * base, details }
}

/**
 * Takes the tokens of a narrower class out of the wider one that contains them, so that each token is in one class. Providers
 * and clients count both ways; they overlap when they are more than all tokens, and when the parts are the whole.
 *
 * @returns the narrowest classes first
 */
function withoutOverlap(parts: readonly Part[], tokens: number): Part[] {
  if (parts.length < 2) return [...parts]
  const sum = parts.reduce((total, { count }) => total + count, 0)
  const written = parts.filter(({ tokenClass }) => tokenClass && isWrittenFor(tokenClass))
  const writtenSum = written.reduce((total, { count }) => total + count, 0)
  const overlaps = ({ tokenClass, count }: Part) =>
    sum > tokens || (tokenClass?.kind === 'cache_creation' && count === writtenSum)
  const narrowFirst = parts.toSorted((one, other) => measureWidth(one) - measureWidth(other))
  const separate: Part[] = []
  for (const part of narrowFirst) {
    const { tokenClass } = part
    const inner =
      tokenClass === undefined || !overlaps(part)
        ? 0
        : separate.reduce(
            (total, { tokenClass: one, count }) => (one && isPartOf(one, tokenClass) ? total + count : total),
            0,
          )
    separate.push({ ...part, count: Math.max(part.count - inner, 0) })
  }
  return separate
}

/** Of classes that overlap without one containing the other, the cached tokens are known best. */
function measureWidth({ tokenClass }: Part): number {
  if (tokenClass === undefined) return 0
  const { kind, modality } = tokenClass
  if (kind !== '') return modality !== '' ? 1 : isWrittenFor(tokenClass) ? 2 : 3
  return modality !== '' ? 4 : 5
}
