import {
  type EntryFamily,
  type Filter,
  type FilterClause,
  FilterError,
  findEntryFamily,
  isKeyClause,
  isLogical,
  parseClauses,
  parseFilter,
  printClauses,
  printFilter,
} from '@touchstone/contract/filter'
import { type Condition, fromCondition, toCondition } from './condition.ts'
import { getSubjectLabel, getSubjectType, isUnary, OPERATIONS } from './fields.ts'

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
  if (operation === 'search' && getSubjectType(subject) === 'payload') {
    return `${not}${subject === 'inputs' ? 'input' : 'output'} contains ${value}`
  }
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

/** A filter that is being edited: groups, conditions, and text that is not a single condition. */
export type Draft = GroupDraft | LineDraft | TextDraft

export interface GroupDraft {
  kind: 'group'
  id: string
  op: 'and' | 'or'
  isNot: boolean
  items: readonly Draft[]
}

interface LineDraft {
  kind: 'line'
  id: string
  condition: Condition
  /** The filter that the condition was read from. It is kept as it is until the condition changes. */
  origin?: { condition: Condition; filter: Filter }
}

interface TextDraft {
  kind: 'text'
  id: string
  text: string
}

const NEW_CONDITION: Condition = { subject: 'name', key: '', operation: 'eq', value: '', isNot: false }

export function toDraft(filter: Filter): Draft {
  const condition = toCondition(filter)
  if (condition !== undefined) {
    return { kind: 'line', id: nextId(), condition, origin: { condition, filter } }
  }
  const inner = filter.op === 'not' && isLogical(filter) ? (filter.args[0] ?? filter) : filter
  const isNot = inner !== filter
  if (!isLogical(inner) || inner.op === 'not') return { kind: 'text', id: nextId(), text: printFilter(filter) }
  return { kind: 'group', id: nextId(), op: inner.op, isNot, items: inner.args.map(toDraft) }
}

/**
 * The filter of a draft.
 *
 * @throws FilterError if a condition or a text is not valid
 */
export function toFilter(draft: Draft): Filter {
  if (draft.kind === 'text') return parseText(draft.text)
  if (draft.kind === 'line') {
    if (draft.origin?.condition === draft.condition) return draft.origin.filter
    const filter = fromCondition(draft.condition)
    return toClause(filter).filter ?? filter
  }
  const group: Filter = { op: draft.op, args: draft.items.map(toFilter) }
  return draft.isNot ? { op: 'not', args: [group] } : group
}

/** @throws FilterError if the text is empty or not valid */
function parseText(text: string): Filter {
  const filter = parseFilter(text || '()')
  if (filter === undefined) throw new FilterError(0, 'a condition is missing')
  return filter
}

export function newLine(): LineDraft {
  return { kind: 'line', id: nextId(), condition: NEW_CONDITION }
}

export function newGroup(op: 'and' | 'or'): GroupDraft {
  return { kind: 'group', id: nextId(), op, isNot: false, items: [newLine()] }
}

/** Ids are React keys, so they only have to be unique on the page. `crypto.randomUUID` does not exist over plain HTTP. */
let lastId = 0
function nextId(): string {
  lastId += 1
  return `draft-${lastId}`
}
