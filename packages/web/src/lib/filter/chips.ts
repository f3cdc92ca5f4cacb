import {
  type Filter,
  type FilterClause,
  FilterError,
  isLogical,
  parseClauses,
  printClauses,
  printFilter,
} from '@touchstone/contract/filter'
import { type Condition, toCondition } from './condition.ts'
import { isUnary, labelOfSubject, OPERATIONS } from './fields.ts'

/** Which runs a filter speaks about: the listed run, the root of its trace, or any run of its trace. */
export const FILTER_SCOPES = ['run', 'root', 'tree'] as const
export type FilterScope = (typeof FILTER_SCOPES)[number]

/** The filters of a list as the API takes them; absent means no condition. */
export type Filters = { readonly [Scope in FilterScope]?: string | undefined }

/** Clauses that are shown, edited and removed as one. */
export interface Chip {
  readonly scope: FilterScope
  /** Places of its clauses in the filter of that scope. */
  readonly places: readonly number[]
  /** What it means; absent when this grammar does not know it. */
  readonly filter: Filter | undefined
  /** As the API takes it. */
  readonly text: string
  readonly error: FilterError | undefined
}

/** The chips of one filter in its order, or what is wrong with the text as a whole. */
export function chipsOf(scope: FilterScope, text: string | undefined): Chip[] | FilterError {
  try {
    const clauses = parseClauses(text ?? '')
    return groupsOf(clauses).map((places) => chipOf(scope, places, clauses))
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
}

/** The filter without a chip, or with something else in its place; all other clauses stay where they are. */
export function replaceChip(text: string, chip: Chip, by: readonly FilterClause[]): string | undefined {
  const [first] = chip.places
  const kept = parseClauses(text).flatMap((clause, at) =>
    at === first ? by : chip.places.includes(at) ? [] : [clause],
  )
  return print(kept)
}

/** The filter with more clauses at its end. */
export function addClauses(text: string | undefined, clauses: readonly FilterClause[]): string | undefined {
  return print([...parseClauses(text ?? ''), ...clauses])
}

/** A clause that stands alone has nothing to keep to itself from. */
function print(clauses: readonly FilterClause[]): string | undefined {
  const [only, ...others] = clauses
  const filter = others.length === 0 ? only?.filter : undefined
  if (filter !== undefined && filter.op === 'and' && filter.args.length === 1) return printFilter(filter.args[0]!)
  return printClauses(clauses) || undefined
}

/** A filter as a clause that keeps to itself: conditions on an entry would otherwise join those already there. */
export function clauseOf(filter: Filter): FilterClause {
  const alone: Filter = !isLogical(filter) && familyOf(filter) ? { op: 'and', args: [filter] } : filter
  return { filter: alone, text: printFilter(alone) }
}

/** The filter that finds all but what a filter finds. */
export function exclusionOf(filter: Filter): Filter {
  const isPlain = !isLogical(filter) && filter.op === 'eq' && filter.value !== null && familyOf(filter) === undefined
  return isPlain ? { ...filter, op: 'neq' } : { op: 'not', args: [filter] }
}

/** Whether a filter asks for just this already. */
export function holds(text: string | undefined, clause: FilterClause): boolean {
  const chips = chipsOf('run', text)
  const sought = clause.filter && print([clause])
  return (
    !(chips instanceof FilterError) && chips.some((chip) => chip.filter && print([clauseOf(chip.filter)]) === sought)
  )
}

/** A condition in words: `latency > 5s`, `metadata env is prod`. */
export function describeCondition({ subject, key, operation, value, isNot }: Condition): string {
  const not = isNot ? 'not ' : ''
  if (subject === 'words') return `${not}“${value}”`
  const what = key === '' ? labelOfSubject(subject) : `${labelOfSubject(subject)} ${key}`
  if (subject === 'status' && operation === 'eq') return `${not}status is ${value}`
  return isUnary(operation)
    ? `${not}${what} ${OPERATIONS[operation]}`
    : `${not}${what} ${OPERATIONS[operation]} ${value === '' ? '""' : value}`
}

/** A filter in words, groups in brackets. */
export function describeFilter(filter: Filter, isInside = false): string {
  const condition = toCondition(filter)
  if (condition !== undefined) return describeCondition(condition)
  if (!isLogical(filter)) return printFilter(filter)
  if (filter.op === 'not') return `not ${describeFilter(filter.args[0]!, true)}`
  const words = filter.args.map((one) => describeFilter(one, true)).join(` ${filter.op} `)
  return isInside && filter.args.length > 1 ? `(${words})` : words
}

function chipOf(scope: FilterScope, places: readonly number[], clauses: readonly FilterClause[]): Chip {
  const own = places.map((at) => clauses[at]!)
  const { filter, error } = own[0]!
  const whole: Filter | undefined =
    own.length === 1 || filter === undefined ? filter : { op: 'and', args: own.map((clause) => clause.filter!) }
  return { scope, places, filter: whole, text: printClauses(own), error }
}

type Family = 'metadata' | 'input' | 'output' | 'feedback'

/** Clauses on an entry that stand side by side speak of the same one (see `families.ts` of the server). */
function familyOf(filter: Filter): Family | undefined {
  if (isLogical(filter)) return undefined
  const found = /^(metadata|input|output|feedback)_(key|value|score|source|comment|error)$/.exec(filter.field ?? '')
  return found?.[1] as Family | undefined
}

function groupsOf(clauses: readonly FilterClause[]): number[][] {
  const groups: number[][] = []
  const open = new Map<Family, { places: number[]; hasKey: boolean }>()
  for (const [at, { filter }] of clauses.entries()) {
    const family = filter && familyOf(filter)
    if (filter === undefined || family === undefined) {
      groups.push([at])
      continue
    }
    const isNamed = !isLogical(filter) && filter.field?.endsWith('_key') === true && filter.op === 'eq'
    const current = open.get(family)
    if (current !== undefined && !(isNamed && current.hasKey)) {
      current.places.push(at)
      current.hasKey ||= isNamed
    } else {
      const places = [at]
      groups.push(places)
      open.set(family, { places, hasKey: isNamed })
    }
  }
  return groups
}
