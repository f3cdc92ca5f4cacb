import { type Filter, isLogical, parseFilter, printFilter } from '@touchstone/contract/filter'
import { clauseOf } from './chips.ts'
import { type Condition, fromCondition, toCondition } from './condition.ts'

/** A filter while somebody changes it: groups, lines of a form, and texts that no form can hold. */
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
  /** What the condition was read from; stands as it is while nobody changes the line. */
  origin?: { condition: Condition; filter: Filter }
}

export interface TextDraft {
  kind: 'text'
  id: string
  text: string
}

export const NEW_CONDITION: Condition = { subject: 'name', key: '', operation: 'eq', value: '', isNot: false }

export function draftOf(filter: Filter): Draft {
  const condition = toCondition(filter)
  if (condition !== undefined) {
    return { kind: 'line', id: nextId(), condition, origin: { condition, filter } }
  }
  const inner = filter.op === 'not' && isLogical(filter) ? filter.args[0]! : filter
  const isNot = inner !== filter
  if (!isLogical(inner) || inner.op === 'not') return { kind: 'text', id: nextId(), text: printFilter(filter) }
  return { kind: 'group', id: nextId(), op: inner.op, isNot, items: inner.args.map(draftOf) }
}

/**
 * The filter that a draft describes.
 *
 * @throws FilterError when a line or a text makes no sense
 */
export function filterOf(draft: Draft): Filter {
  if (draft.kind === 'text') return parseFilter(draft.text || '()')!
  if (draft.kind === 'line') {
    if (draft.origin?.condition === draft.condition) return draft.origin.filter
    // Changed lines keep to themselves, lest they join an entry that their neighbours speak of.
    return clauseOf(fromCondition(draft.condition)).filter!
  }
  const group: Filter = { op: draft.op, args: draft.items.map(filterOf) }
  return draft.isNot ? { op: 'not', args: [group] } : group
}

export function newLine(): LineDraft {
  return { kind: 'line', id: nextId(), condition: NEW_CONDITION }
}

export function newGroup(op: 'and' | 'or'): GroupDraft {
  return { kind: 'group', id: nextId(), op, isNot: false, items: [newLine()] }
}

let count = 0
function nextId(): string {
  return `draft-${++count}`
}
