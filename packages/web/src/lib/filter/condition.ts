import { type Filter, isLogical, parseFilter, printFilter } from '@touchstone/contract/filter'
import { isUnary, type Operation, SUBJECTS, valueFieldOf } from './fields.ts'
import { printValue, readValue, readValues } from './values.ts'

/** A condition as a form edits it: one subject, one operation, one value as text. */
export interface Condition {
  /** A key of `SUBJECTS`, or any field of the language. */
  subject: string
  /** Of one entry: which. Empty for other subjects. */
  key: string
  operation: Operation
  value: string
  /** All of it is meant the other way round. */
  isNot: boolean
}

/** The form's view of a filter, or `undefined` for those that a single line cannot hold. */
export function toCondition(filter: Filter): Condition | undefined {
  if (!isLogical(filter)) return toSimple(filter)
  const { op, args } = filter
  if (op === 'and') return args.length === 1 ? toCondition(args[0]!) : toEntry(args)
  const inner = op === 'not' ? toCondition(args[0]!) : undefined
  return inner === undefined || inner.isNot ? undefined : { ...inner, isNot: true }
}

/**
 * The filter that a form describes.
 *
 * @throws FilterError when the value does not fit
 */
export function fromCondition(condition: Condition): Filter {
  const plain = plainFilter(condition)
  return parseFilter(printFilter(condition.isNot ? { op: 'not', args: [plain] } : plain))!
}

function toSimple(filter: Exclude<Filter, { args: unknown }>): Condition | undefined {
  const { op, field, value } = filter
  if (field === undefined) return conditionOf('words', 'search', String(value))
  if (value === null) {
    return op === 'eq' ? conditionOf(field, 'absent') : op === 'neq' ? conditionOf(field, 'present') : undefined
  }
  const entry = Object.entries(SUBJECTS).find(([, subject]) => subject.entry?.key === field)?.[0]
  if (entry !== undefined && op === 'eq') return { ...conditionOf(entry, 'present'), key: String(value) }
  return conditionOf(field, op, printValue(field, value))
}

/** The key of an entry and a condition on its value. */
function toEntry(args: readonly Filter[]): Condition | undefined {
  const [key, value] = args
  if (args.length !== 2 || key === undefined || value === undefined || isLogical(key) || isLogical(value)) return
  if (key.op !== 'eq' || typeof key.value !== 'string') return undefined
  const found = Object.entries(SUBJECTS).find(
    ([, { entry }]) => entry !== undefined && entry.key === key.field && entry.value === value.field,
  )
  if (found === undefined || value.value === null) return undefined
  return { ...conditionOf(found[0], value.op, printValue(found[0], value.value)), key: key.value }
}

function conditionOf(subject: string, operation: Operation, value = ''): Condition {
  return { subject, key: '', operation, value, isNot: false }
}

function plainFilter({ subject, key, operation, value }: Condition): Filter {
  if (subject === 'words') return { op: 'search', value }
  const entry = SUBJECTS[subject]?.entry
  if (entry === undefined) return compare(subject, operation, value, subject)
  const ofKey: Filter = { op: 'eq', field: entry.key, value: key }
  if (isUnary(operation)) return ofKey
  return { op: 'and', args: [ofKey, compare(valueFieldOf(subject), operation, value, subject)] }
}

function compare(field: string, operation: Operation, value: string, subject: string): Filter {
  if (operation === 'absent') return { op: 'eq', field, value: null }
  if (operation === 'present') return { op: 'neq', field, value: null }
  if (operation === 'in' || operation === 'nin') return { op: operation, field, value: readValues(subject, value) }
  const isText = operation === 'search' || operation === 'like' || operation === 'notlike' || operation === 'has'
  return { op: operation, field, value: isText || operation === 'exists' ? value : readValue(subject, value) }
}
