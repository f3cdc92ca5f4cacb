import {
  type Filter,
  type FilterScalar,
  type FilterValue,
  isLogical,
  parseFilter,
  printFilter,
} from '@touchstone/contract/filter'
import { getSubjectType, getValueField, isUnary, type Operation, SUBJECTS } from './fields.ts'

/** A value as text for a field. `readValue` reads the same value back. */
function printValue(subject: string, value: FilterValue): string {
  return Array.isArray(value)
    ? value.map((item) => printItem(subject, item)).join(', ')
    : printScalar(subject, value as FilterScalar)
}

/** The value in a text field. The parser of the filter language validates it later. */
function readValue(subject: string, text: string): FilterScalar {
  const type = getSubjectType(subject)
  if (type === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  return hasAnyType(subject) ? readAnyType(text) : text
}

/** Values separated by commas. A comma inside quotes is part of a value. */
function readValues(subject: string, text: string): FilterScalar[] {
  const items = text.match(/\s*"(?:[^"\\]|\\.)*"\s*|[^,]+/g) ?? []
  return items
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => (hasAnyType(subject) ? readAnyType(item) : readValue(subject, unquote(item))))
}

/** Whether the field takes values of any JSON type: `7` is a number, `"7"` is text. */
function hasAnyType(subject: string): boolean {
  const type = getSubjectType(subject)
  return type === 'entry-value' || type === 'path'
}

function readAnyType(text: string): FilterScalar {
  const trimmed = text.trim()
  if (/^(true|false|null|-?\d+(\.\d+)?(e[+-]?\d+)?)$/i.test(trimmed)) {
    return JSON.parse(trimmed.toLowerCase()) as FilterScalar
  }
  return unquote(text)
}

function printScalar(subject: string, value: FilterScalar): string {
  if (typeof value === 'number' && getSubjectType(subject) === 'duration') return printDuration(value)
  if (typeof value !== 'string') return String(value)
  return hasAnyType(subject) && readAnyType(value) !== value ? JSON.stringify(value) : value
}

function printItem(subject: string, value: FilterScalar): string {
  const text = printScalar(subject, value)
  return /[,"]|^\s|\s$|^$/.test(text) && !text.startsWith('"') ? JSON.stringify(text) : text
}

function printDuration(seconds: number): string {
  return Math.abs(seconds) < 1 && seconds !== 0 ? `${Math.round(seconds * 1e6) / 1e3}ms` : `${seconds}s`
}

function unquote(text: string): string {
  const trimmed = text.trim()
  if (!/^".*"$/s.test(trimmed)) return text
  try {
    return JSON.parse(trimmed) as string
  } catch {
    return text
  }
}

/** A condition in a form: a field, an operation and a value as text. */
export interface Condition {
  /** A key of `SUBJECTS`, or any field of the language. */
  subject: string
  /** Key of the entry. Empty for other subjects. */
  key: string
  operation: Operation
  value: string
  /** Whether the condition is negated. */
  isNot: boolean
}

/** The condition of a filter, or `undefined` if it needs more than one condition. */
export function toCondition(filter: Filter): Condition | undefined {
  if (!isLogical(filter)) return toComparison(filter)
  const { op, args } = filter
  const [first] = args
  if (first === undefined) return undefined
  if (op === 'and') return args.length === 1 ? toCondition(first) : toEntryCondition(args)
  const inner = op === 'not' ? toCondition(first) : undefined
  return inner === undefined || inner.isNot ? undefined : { ...inner, isNot: true }
}

/**
 * The filter of a condition.
 *
 * @throws FilterError if the value is not valid for the field
 */
export function fromCondition(condition: Condition): Filter {
  const plain = toPlainFilter(condition)
  const filter: Filter = condition.isNot ? { op: 'not', args: [plain] } : plain
  return parseFilter(printFilter(filter)) ?? filter
}

function toComparison(filter: Exclude<Filter, { args: unknown }>): Condition | undefined {
  const { op, field, value } = filter
  if (field === undefined) return createCondition('words', 'search', String(value))
  if (value === null) {
    return op === 'eq' ? createCondition(field, 'absent') : op === 'neq' ? createCondition(field, 'present') : undefined
  }
  const entry = Object.entries(SUBJECTS).find(([, subject]) => subject.entry?.key === field)?.[0]
  if (entry !== undefined && op === 'eq') return { ...createCondition(entry, 'present'), key: String(value) }
  return createCondition(field, op, printValue(field, value))
}

/** The key of an entry and a condition on its value. */
function toEntryCondition(args: readonly Filter[]): Condition | undefined {
  const [key, value] = args
  if (args.length !== 2 || key === undefined || value === undefined || isLogical(key) || isLogical(value)) return
  if (key.op !== 'eq' || typeof key.value !== 'string') return undefined
  const found = Object.entries(SUBJECTS).find(
    ([, { entry }]) => entry !== undefined && entry.key === key.field && entry.value === value.field,
  )
  if (found === undefined || value.value === null) return undefined
  return { ...createCondition(found[0], value.op, printValue(found[0], value.value)), key: key.value }
}

function createCondition(subject: string, operation: Operation, value = ''): Condition {
  return { subject, key: '', operation, value, isNot: false }
}

function toPlainFilter({ subject, key, operation, value }: Condition): Filter {
  if (subject === 'words') return { op: 'search', value }
  const entry = SUBJECTS[subject]?.entry
  if (entry === undefined) return compare(subject, operation, value, subject)
  const keyFilter: Filter = { op: 'eq', field: entry.key, value: key }
  if (isUnary(operation)) return keyFilter
  return { op: 'and', args: [keyFilter, compare(getValueField(subject), operation, value, subject)] }
}

function compare(field: string, operation: Operation, value: string, subject: string): Filter {
  if (operation === 'absent') return { op: 'eq', field, value: null }
  if (operation === 'present') return { op: 'neq', field, value: null }
  if (operation === 'in' || operation === 'nin') return { op: operation, field, value: readValues(subject, value) }
  const isText = operation === 'search' || operation === 'like' || operation === 'notlike' || operation === 'has'
  return { op: operation, field, value: isText || operation === 'exists' ? value : readValue(subject, value) }
}
