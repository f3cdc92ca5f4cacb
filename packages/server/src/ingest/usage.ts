import type { JsonRecord } from '@touchstone/formats/guards'
import { type RunUsage, readRequestFees, readRunUsage } from '@touchstone/formats/usage'
import { addMoney, type Money, toMoney } from './money.ts'

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
  /** What the call cost according to its provider or emitter; it counts where no cost is computed, or not the whole cost. */
  readonly reportedCost?: Money | undefined
  /** Whether the call was charged for more than its tokens, such as searches. */
  readonly hasFees?: boolean
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
  if (usage === undefined) return undefined
  const reportedCost = toMoney(usage.reportedCost)
  return {
    ...toTokens(usage),
    given: toGivenCosts(usage.given),
    reportedCost,
    hasFees: Object.keys(readRequestFees(extra, outputs)).length > 0,
  }
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
  return list.length === 0 ? undefined : list.reduce(addMoney)
}
