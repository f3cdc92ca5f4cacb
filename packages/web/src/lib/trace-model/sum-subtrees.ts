import { bigintAt, floatAt, intAt } from './columns.ts'
import { ERROR } from './trace.ts'

export interface OwnUsage {
  prompt: Float64Array
  completion: Float64Array
  /** Picodollars; meaningful where `priced` is 1. */
  cost: BigInt64Array
  priced: Uint8Array
  /** 1 where the run reports usage at all. */
  reports: Uint8Array
  isLlm: Uint8Array
  status: Uint8Array
}

export interface SubtreeUsage {
  prompt: Float64Array
  completion: Float64Array
  cost: BigInt64Array
  unpriced: Int32Array
  errors: Int32Array
}

/**
 * Adds tokens, costs and errors up the tree, by the same rule as the server: an llm run whose direct child reports usage
 * of its own only repeats it, and is not counted.
 *
 * @param parent  row of the parent, or -1; always smaller than the row itself
 */
export function sumSubtrees(parent: Int32Array, own: OwnUsage): SubtreeUsage {
  const size = parent.length
  const sums: SubtreeUsage = {
    prompt: new Float64Array(size),
    completion: new Float64Array(size),
    cost: new BigInt64Array(size),
    unpriced: new Int32Array(size),
    errors: new Int32Array(size),
  }
  const repeats = new Uint8Array(size)
  // Children come after their parent, so walking backwards meets every child before the run it belongs to.
  for (let row = size - 1; row >= 0; row--) {
    addOwn(sums, own, row, repeats[row] === 1)
    const above = intAt(parent, row)
    if (above === -1) continue
    if (own.reports[row] && own.isLlm[above]) repeats[above] = 1
    sums.prompt[above] = floatAt(sums.prompt, above) + floatAt(sums.prompt, row)
    sums.completion[above] = floatAt(sums.completion, above) + floatAt(sums.completion, row)
    sums.cost[above] = bigintAt(sums.cost, above) + bigintAt(sums.cost, row)
    sums.unpriced[above] = intAt(sums.unpriced, above) + intAt(sums.unpriced, row)
    sums.errors[above] = intAt(sums.errors, above) + intAt(sums.errors, row)
  }
  return sums
}

function addOwn(sums: SubtreeUsage, own: OwnUsage, row: number, isRepetition: boolean) {
  if (own.status[row] === ERROR) sums.errors[row] = intAt(sums.errors, row) + 1
  if (isRepetition) return
  sums.prompt[row] = floatAt(sums.prompt, row) + floatAt(own.prompt, row)
  sums.completion[row] = floatAt(sums.completion, row) + floatAt(own.completion, row)
  if (own.priced[row]) sums.cost[row] = bigintAt(sums.cost, row) + bigintAt(own.cost, row)
  else if (floatAt(own.prompt, row) + floatAt(own.completion, row) > 0)
    sums.unpriced[row] = intAt(sums.unpriced, row) + 1
}
