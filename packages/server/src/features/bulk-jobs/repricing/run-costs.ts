import { columns, nullable, type RowOf, record, text } from '../../../storage/rows.ts'

export const COST_COLUMNS = {
  prompt_cost: nullable(text),
  completion_cost: nullable(text),
  total_cost: nullable(text),
  prompt_cost_details: record(text),
  completion_cost_details: record(text),
  price_model_id: nullable(text),
} as const

const RUN_COSTS = columns(COST_COLUMNS)

/** The costs of a stored run in decimal dollars, and the price that they were computed from. */
export type RunCosts = RowOf<typeof RUN_COSTS>

/** New costs of a stored run. Nothing else of the run changes, and a run that fails the condition stays as it is. */
export interface CostWrite {
  readonly id: string
  readonly costs: RunCosts
  /** The version of the row that the costs were computed from. */
  readonly ifVersion?: number
  /** The costs that they replace. */
  readonly ifCosts?: RunCosts
}

/** Stores new costs. @returns the runs that could not be stored, with the reason */
export type SubmitCosts = (tenantId: string, writes: readonly CostWrite[]) => Promise<ReadonlyMap<string, string>>

/** Whether two runs cost the same, class by class, from the same price. */
export function isSameCosts(one: RunCosts, other: RunCosts): boolean {
  return (
    isSameAmount(one.prompt_cost, other.prompt_cost) &&
    isSameAmount(one.completion_cost, other.completion_cost) &&
    isSameAmount(one.total_cost, other.total_cost) &&
    one.price_model_id === other.price_model_id &&
    hasSameAmounts(one.prompt_cost_details, other.prompt_cost_details) &&
    hasSameAmounts(one.completion_cost_details, other.completion_cost_details)
  )
}

type Amounts = RunCosts['prompt_cost_details']

function hasSameAmounts(one: Amounts, other: Amounts): boolean {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameAmount(one[name] ?? null, other[name] ?? null))
  )
}

/** Engines may print zeros at the end of a decimal. */
function isSameAmount(one: string | null, other: string | null): boolean {
  return one === other || (one !== null && other !== null && trimZeros(one) === trimZeros(other))
}

const trimZeros = (amount: string) => (amount.includes('.') ? amount.replace(/(?:\.0*|(?<!0)0+)$/, '') : amount)
