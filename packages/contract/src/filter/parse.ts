import { FilterError } from './error.ts'
import { type FilterSurface, RUN_FILTERS } from './fields.ts'
import { FILTER_OPERATORS } from './operators/index.ts'
import type { Operator } from './operators/operator.ts'
import { type CallNode, readSyntax } from './syntax.ts'
import type { Filter } from './tree.ts'

const OPERATORS: ReadonlyMap<string, Operator> = new Map(FILTER_OPERATORS.map((one) => [one.name, one]))

/**
 * Reads a filter, e.g. `and(eq(run_type, "llm"), gt(latency, "5s"))`.
 *
 * @param surface  what can be asked for. @default the fields of runs
 * @returns `undefined` for a blank text: no filter
 * @throws FilterError with the position of what is wrong
 */
export function parseFilter(text: string, surface: FilterSurface = RUN_FILTERS): Filter | undefined {
  const filters = readSyntax(text).map((call) => readCall(call, surface))
  return filters.length > 1 ? { op: 'and', args: filters } : filters[0]
}

/**
 * What a call means.
 *
 * @throws FilterError when it means nothing
 */
export function readCall(call: CallNode, surface: FilterSurface): Filter {
  const operator = OPERATORS.get(call.name.toLowerCase())
  if (operator !== undefined) return operator.read(call, { surface, read: (inner) => readCall(inner, surface) })
  throw new FilterError(call.at, `${call.name} is no operator; operators are ${[...OPERATORS.keys()].join(', ')}`)
}
