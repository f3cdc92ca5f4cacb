import {
  type EntryFamily,
  type Filter,
  type FilterClause,
  FilterError,
  findEntryFamily,
  isKeyClause,
  isLogical,
  parseClauses,
  printClauses,
  printFilter,
} from '@touchstone/contract/filter'
import { type Condition, toCondition } from './condition.ts'
import { getSubjectLabel, isUnary, OPERATIONS } from './fields.ts'

/** The runs that a filter applies to: the listed run, the root of its trace, or any run of its trace. */
export const FILTER_SCOPES = ['run', 'root', 'tree'] as const
export type FilterScope = (typeof FILTER_SCOPES)[number]

/** The filters of a list in the filter language; absent means no condition. */
export type Filters = { readonly [Scope in FilterScope]?: string | undefined }

/** Clauses that are shown, edited and removed together. */
export interface Chip {
  readonly scope: FilterScope
  /** Indexes of its clauses in the filter of that scope. */
  readonly indexes: readonly number[]
  /** The parsed filter; absent if it could not be parsed. */
  readonly filter: Filter | undefined
  /** In the filter language. */
  readonly text: string
  readonly error: FilterError | undefined
}

/** The chips of a filter in its order, or the error if the text cannot be split into clauses. */
export function parseChips(scope: FilterScope, text: string | undefined): Chip[] | FilterError {
  try {
    const clauses = parseClauses(text ?? '')
    return groupClauses(clauses).map((indexes) => toChip(scope, indexes, clauses))
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
}

/** Replaces the clauses of a chip. Other clauses keep their position. @param by  empty to remove the chip */
export function replaceChip(text: string, chip: Chip, by: readonly FilterClause[]): string | undefined {
  const [first] = chip.indexes
  const kept = parseClauses(text).flatMap((clause, index) =>
    index === first ? by : chip.indexes.includes(index) ? [] : [clause],
  )
  return print(kept)
}

/** Adds clauses at the end. */
export function addClauses(text: string | undefined, clauses: readonly FilterClause[]): string | undefined {
  return print([...parseClauses(text ?? ''), ...clauses])
}

/** Drops the single-argument `and` of a clause without siblings. */
function print(clauses: readonly FilterClause[]): string | undefined {
  const [only, ...others] = clauses
  const filter = others.length === 0 ? only?.filter : undefined
  const [single, ...rest] = filter?.op === 'and' ? filter.args : []
  if (single !== undefined && rest.length === 0) return printFilter(single)
  return printClauses(clauses) || undefined
}

/** A filter as a clause. A condition on an entry gets its own `and`, or it would apply to the entry of its siblings. */
export function toClause(filter: Filter): FilterClause {
  const alone: Filter = !isLogical(filter) && findEntryFamily(filter) ? { op: 'and', args: [filter] } : filter
  return { filter: alone, text: printFilter(alone) }
}

/** The filter that matches all runs that `filter` does not match. */
export function toExclusion(filter: Filter): Filter {
  const isPlain =
    !isLogical(filter) && filter.op === 'eq' && filter.value !== null && findEntryFamily(filter) === undefined
  return isPlain ? { ...filter, op: 'neq' } : { op: 'not', args: [filter] }
}

/** Whether the filter already has this clause. */
export function hasClause(text: string | undefined, clause: FilterClause): boolean {
  const chips = parseChips('run', text)
  const wanted = clause.filter && print([clause])
  return (
    !(chips instanceof FilterError) && chips.some((chip) => chip.filter && print([toClause(chip.filter)]) === wanted)
  )
}

/** A condition as text: `latency > 5s`, `metadata env is prod`. */
export function describeCondition({ subject, key, operation, value, isNot }: Condition): string {
  const not = isNot ? 'not ' : ''
  if (subject === 'words') return `${not}“${value}”`
  const field = key === '' ? getSubjectLabel(subject) : `${getSubjectLabel(subject)} ${key}`
  if (subject === 'status' && operation === 'eq') return `${not}status is ${value}`
  return isUnary(operation)
    ? `${not}${field} ${OPERATIONS[operation]}`
    : `${not}${field} ${OPERATIONS[operation]} ${value === '' ? '""' : value}`
}

/** A filter as text, with groups in brackets. */
export function describeFilter(filter: Filter, isInside = false): string {
  const condition = toCondition(filter)
  if (condition !== undefined) return describeCondition(condition)
  if (!isLogical(filter)) return printFilter(filter)
  const args = filter.args.map((one) => describeFilter(one, true))
  if (filter.op === 'not') return `not ${args.join()}`
  const text = args.join(` ${filter.op} `)
  return isInside && args.length > 1 ? `(${text})` : text
}

function toChip(scope: FilterScope, indexes: readonly number[], clauses: readonly FilterClause[]): Chip {
  const own = indexes.flatMap((index) => clauses[index] ?? [])
  const filters = own.flatMap(({ filter }) => filter ?? [])
  const filter: Filter | undefined = filters.length > 1 ? { op: 'and', args: filters } : filters[0]
  return { scope, indexes, filter, text: printClauses(own), error: own[0]?.error }
}

/** Groups the indexes of clauses: conditions on the same entry belong to one chip. */
function groupClauses(clauses: readonly FilterClause[]): number[][] {
  const groups: number[][] = []
  const open = new Map<EntryFamily, { indexes: number[]; hasKey: boolean }>()
  for (const [index, { filter }] of clauses.entries()) {
    const family = filter && findEntryFamily(filter)
    if (filter === undefined || family === undefined) {
      groups.push([index])
      continue
    }
    const isNamed = !isLogical(filter) && filter.field !== undefined && isKeyClause(filter) && filter.op === 'eq'
    const current = open.get(family)
    if (current !== undefined && !(isNamed && current.hasKey)) {
      current.indexes.push(index)
      current.hasKey ||= isNamed
    } else {
      const indexes = [index]
      groups.push(indexes)
      open.set(family, { indexes, hasKey: isNamed })
    }
  }
  return groups
}
