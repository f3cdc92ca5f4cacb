import { asRecord, type JsonRecord } from '../json/guards.ts'
import type { UsageAttributes } from './span-usage.ts'
import { toAmount } from './token-usage.ts'

/** What an emitter reports as the cost, in US dollars. */
export const COST_SOURCES = {
  total: ['llm.cost.total', 'gen_ai.usage.cost', 'operation.cost', 'opencode.llm.cost.total', 'gen_ai.cost.total_cost'],
  input: ['llm.cost.prompt', 'gen_ai.usage.input_cost', 'gen_ai.cost.input_cost'],
  output: ['llm.cost.completion', 'gen_ai.usage.output_cost', 'gen_ai.cost.output_cost'],
} as const satisfies Record<string, readonly string[]>

/** Attributes with costs as an object or its JSON, and the names of its members. */
export const COST_OBJECTS = [
  { key: 'langfuse.observation.cost_details', total: 'total', input: 'input', output: 'output' },
  { key: 'mlflow.llm.cost', total: 'total_cost', input: 'input_cost', output: 'output_cost' },
] as const

const SIDES = ['total', 'input', 'output'] as const

/** Reads what a span cost according to its emitter: numbers of US dollars; undefined when there is none. */
export function readSpanCost(attributes: UsageAttributes): JsonRecord | undefined {
  const cost: Record<string, number> = {}
  for (const side of SIDES) {
    const amount =
      first(attributes.among<string>(COST_SOURCES[side]).map((key) => attributes.get(key))) ??
      fromObjects(attributes, side)
    if (amount !== undefined) cost[side] = amount
  }
  return Object.keys(cost).length === 0 ? undefined : cost
}

function fromObjects(attributes: UsageAttributes, side: (typeof SIDES)[number]): number | undefined {
  return first(COST_OBJECTS.map((object) => asRecord(attributes.json(object.key))?.[object[side]]))
}

function first(values: readonly unknown[]): number | undefined {
  return values.map(toAmount).find((amount) => amount !== undefined)
}
