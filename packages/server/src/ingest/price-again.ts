import type { ModelPrice } from '@touchstone/contract'
import { type ComputeCosts, type CostWrite, isSameCosts, type RunCosts } from '../features/bulk-jobs/repricing/index.ts'
import { type Cost, computeCost } from './compute-cost.ts'
import { type Money, printMoney } from './money.ts'
import { RawPayload } from './run-write.ts'
import type { StoredRun } from './stored-runs.ts'
import { readUsage } from './usage.ts'

/** The columns of computed costs. */
export function toCostColumns(cost: Cost): RunCosts {
  return {
    prompt_cost: print(cost.prompt),
    completion_cost: print(cost.completion),
    total_cost: print(cost.total),
    prompt_cost_details: printAll(cost.promptDetails),
    completion_cost_details: printAll(cost.completionDetails),
    price_model_id: cost.priceId ?? null,
  }
}

/** Prices the stored tokens of a run; costs that the run itself contains count as they did when it was recorded. */
export const computeStoredCosts: ComputeCosts = (run, payloads, price: ModelPrice) => {
  const reported = payloads && readUsage(parse(payloads.extra), parse(payloads.outputs))
  const usage = {
    promptTokens: run.prompt_tokens ?? undefined,
    completionTokens: run.completion_tokens ?? undefined,
    totalTokens: run.total_tokens ?? undefined,
    promptDetails: run.prompt_token_details,
    completionDetails: run.completion_token_details,
    given: reported?.given ?? {},
    reportedCost: reported?.reportedCost,
    hasFees: reported?.hasFees ?? false,
  }
  return toCostColumns(computeCost(usage, price))
}

const parse = (payload: string) => (payload === '' ? undefined : RawPayload.trusted(payload).value)

/** The stored run with its new costs; undefined when no write of them applies. */
export function applyCosts(row: StoredRun, writes: readonly Omit<CostWrite, 'id'>[]): StoredRun | undefined {
  let changed: StoredRun | undefined
  for (const { costs, ifVersion, ifCosts } of writes) {
    const isStale = ifVersion !== undefined && (changed !== undefined || row.version !== ifVersion)
    if (isStale || (ifCosts !== undefined && !isSameCosts(changed ?? row, ifCosts))) continue
    changed = { ...row, ...costs }
  }
  return changed
}

const print = (amount: Money | undefined) => (amount === undefined ? null : printMoney(amount))

function printAll(amounts: Readonly<Record<string, Money>>): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([key, amount]) => [key, printMoney(amount)]))
}
