import { type Filter, FilterError, isLogical, parseFilter, printFilter } from '@touchstone/contract/filter'
import { toClause } from './chips.ts'
import { type Condition, fromCondition, toCondition } from './condition.ts'

/** A filter that is being edited: groups, conditions, and text that is not a single condition. */
export type Draft = GroupDraft | LineDraft | TextDraft

export interface GroupDraft {
  kind: 'group'
  id: string
  op: 'and' | 'or'
  isNot: boolean
  items: readonly Draft[]
}

export interface LineDraft {
  kind: 'line'
  id: string
  condition: Condition
  /** The filter that the condition was read from. It is kept as it is until the condition changes. */
  origin?: { condition: Condition; filter: Filter }
}

export interface TextDraft {
  kind: 'text'
  id: string
  text: string
}

export const NEW_CONDITION: Condition = { subject: 'name', key: '', operation: 'eq', value: '', isNot: false }

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
