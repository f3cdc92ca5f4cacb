import { FilterError } from './error.ts'
import { type FilterSurface, RUN_FILTERS } from './fields.ts'
import { FILTER_LIMITS, type FilterLimits } from './limits.ts'
import { FILTER_OPERATORS, type Operator } from './operators.ts'
import { type CallNode, readSyntax } from './syntax.ts'
import { shown } from './tokens.ts'
import type { Filter } from './tree.ts'

const OPERATORS: ReadonlyMap<string, Operator> = new Map(FILTER_OPERATORS.map((one) => [one.name, one]))

/**
 * Reads a filter, e.g. `and(eq(run_type, "llm"), gt(latency, "5s"))`.
 *
 * @param surface  what can be asked for. @default the fields of runs
 * @param limits  how large the filter may be. @default what callers with a key may ask
 * @returns `undefined` for a blank text: no filter
 * @throws FilterError with the position of what is wrong
 */
export function parseFilter(
  text: string,
  surface: FilterSurface = RUN_FILTERS,
  limits: FilterLimits = FILTER_LIMITS,
): Filter | undefined {
  const filters = readSyntax(text, limits).map((call) => readCall(call, surface))
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
  throw new FilterError(
    call.at,
    `${shown(call.name)} is no operator; operators are ${[...OPERATORS.keys()].join(', ')}`,
  )
}
