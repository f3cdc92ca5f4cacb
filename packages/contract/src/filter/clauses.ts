import { FilterError } from './error.ts'
import { type FilterSurface, RUN_FILTERS } from './fields.ts'
import { readCall } from './parse.ts'
import { printFilter } from './print.ts'
import { type CallNode, type Node, readSyntax } from './syntax.ts'
import type { Filter } from './tree.ts'

/** One of the conditions that must all hold. */
export interface Clause {
  /** What it means; absent when this grammar does not know it, which another server may. */
  readonly filter?: Filter | undefined
  /** Why it means nothing; its position counts from the start of the whole text. */
  readonly error?: FilterError | undefined
  /** As it was written. */
  readonly text: string
}

/**
 * Cuts a filter into the clauses of its outermost `and`, for editors that show and change them one by one. Clauses that
 * mean nothing are kept as they stand; nothing is dropped or moved.
 *
 * @throws FilterError when brackets, commas or quotes do not fit together, so that there are no clauses
 */
export function parseClauses(text: string, surface: FilterSurface = RUN_FILTERS): Clause[] {
  const calls = readSyntax(text)
  return outermost(calls).map((call) => {
    const own = text.slice(call.at, call.end)
    try {
      return { filter: readCall(call, surface), text: own }
    } catch (error) {
      if (error instanceof FilterError) return { error, text: own }
      throw error
    }
  })
}

/** The filter of some clauses: those that are understood in canonical form, the others as they were written. */
export function printClauses(clauses: readonly Clause[]): string {
  const printed = clauses.map(({ filter, text }) => (filter === undefined ? text : printFilter(filter)))
  return printed.length > 1 ? `and(${printed.join(', ')})` : (printed[0] ?? '')
}

function outermost(calls: readonly CallNode[]): readonly CallNode[] {
  const [only, ...others] = calls
  const isAnd = only !== undefined && others.length === 0 && only.name.toLowerCase() === 'and'
  return isAnd && only.args.length > 0 && only.args.every(isCall) ? only.args : calls
}

function isCall(node: Node): node is CallNode {
  return node.kind === 'call'
}
