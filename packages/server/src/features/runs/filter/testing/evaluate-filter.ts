import type { Comparison, Filter, FilterScalar, FilterValue } from '@touchstone/contract'
import { DATASETS, type OracleRun } from './random-runs.ts'

/**
 * What a filter finds, worked out slowly and in the plainest way, run by run. It shares no code with the compiler.
 */
export function satisfies(filter: Filter, run: OracleRun, runs: readonly OracleRun[]): boolean {
  if ('args' in filter) {
    if (filter.op === 'or') return filter.args.some((one) => satisfies(one, run, runs))
    if (filter.op === 'not') return !satisfies(filter.args[0]!, run, runs)
    return satisfiesAll(filter.args, run, runs)
  }
  return satisfiesAll([filter], run, runs)
}

const FAMILIES = ['metadata_', 'input_', 'output_', 'feedback_']

function satisfiesAll(filters: readonly Filter[], run: OracleRun, runs: readonly OracleRun[]): boolean {
  const findFamily = (one: Filter) =>
    'args' in one || one.field === undefined ? undefined : FAMILIES.find((family) => one.field!.startsWith(family))
  const alone = filters.filter((one) => findFamily(one) === undefined)
  if (!alone.every((one) => satisfiesOne(one, run, runs))) return false
  return FAMILIES.every((family) => {
    const clauses = filters.filter((one) => findFamily(one) === family) as Comparison[]
    return clauses.length === 0 || satisfiesFamily(clauses, listEntries(run, family))
  })
}

/** An entry by field name: `metadata_key`, `metadata_value`, `feedback_score`… */
type Entry = Readonly<Record<string, unknown>>

function listEntries(run: OracleRun, family: string): Entry[] {
  if (family === 'feedback_') {
    return run.feedback.map((one) => ({
      feedback_key: one.key,
      feedback_score: one.score,
      feedback_value: one.value,
      feedback_comment: one.comment,
      feedback_source: one.feedback_source.type,
      feedback_error: one.error ?? false,
    }))
  }
  const payload = family === 'metadata_' ? run.metadata : family === 'input_' ? run.inputs : run.outputs
  return flat(payload ?? {}).map(([key, value]) => ({ [`${family}key`]: key, [`${family}value`]: value }))
}

function satisfiesFamily(clauses: readonly Comparison[], entries: readonly Entry[]): boolean {
  const isKey = (clause: Comparison) => clause.field.endsWith('_key')
  const isNegative = ({ op, value }: Comparison) => op === 'nin' || op === 'notlike' || (op === 'neq' && value !== null)
  const ofNull = clauses.filter((clause) => isKey(clause) && clause.value === null)
  if (ofNull.length > 0) {
    const rest = clauses.filter((clause) => !ofNull.includes(clause))
    return (
      ofNull.every(({ op }) => (op === 'eq') === (entries.length === 0)) &&
      (rest.length === 0 || satisfiesFamily(rest, entries))
    )
  }
  const some = (wanted: readonly Comparison[]) =>
    entries.some((entry) => wanted.every((clause) => entrySatisfies(clause, entry)))
  const violatedByNone = (clause: Comparison) => entries.every((entry) => entrySatisfies(clause, entry))

  const keys = clauses.filter(isKey)
  const values = clauses.filter((clause) => !isKey(clause))
  if (keys.some((clause) => !isNegative(clause))) return some(clauses)
  if (keys.length === 0 && values.some((clause) => !isNegative(clause))) return some(clauses)
  const wanted = values.filter((clause) => !isNegative(clause))
  return (
    keys.every(violatedByNone) &&
    (wanted.length === 0 || some(wanted)) &&
    values.filter(isNegative).every(violatedByNone)
  )
}

function entrySatisfies({ field, op, value }: Comparison, entry: Entry): boolean {
  const actual = entry[field]
  return field.startsWith('feedback_') || field.endsWith('_key') ? plain(op, value, actual) : typed(op, value, actual)
}

function satisfiesOne(filter: Filter, run: OracleRun, runs: readonly OracleRun[]): boolean {
  if ('args' in filter) return satisfies(filter, run, runs)
  if (filter.field === undefined) return hasWords(run, filter.value)
  const { field, op, value } = filter
  if (field === 'tags' || field === 'attachments') return onMany(op, value, run[field])
  if (op === 'has') return holds(getPayload(run, field), String(value))
  if (op === 'exists') return hasKey(getPayload(run, field), String(value))
  if (field.includes('.')) return atPath(filter, run)
  if (field === 'metadata') return (op === 'eq') === (flat(run.metadata).length === 0)
  return plain(op, value, readScalar(run, field, runs))
}

function readScalar(run: OracleRun, field: string, runs: readonly OracleRun[]): unknown {
  switch (field) {
    case 'id':
    case 'trace_id':
    case 'parent_run_id':
    case 'name':
    case 'run_type':
    case 'error':
    case 'in_dataset':
      return run[field]
    case 'reference_dataset_id':
      return [...DATASETS.keys()].find((id) => DATASETS.get(id)!.includes(run.reference_example_id ?? '')) ?? null
    case 'status':
      return run.error !== null ? 'error' : run.end === null ? 'pending' : 'success'
    case 'is_root':
      return run.parent_run_id === null
    case 'start_time':
      return printed(run.start)
    case 'end_time':
      return run.end === null ? null : printed(run.end)
    case 'latency':
      return run.end === null ? null : Math.max(run.end - run.start, 0) / 1000
    case 'inputs':
      return JSON.stringify(run.inputs)
    case 'outputs':
      return run.outputs === null ? null : JSON.stringify(run.outputs)
    case 'total_tokens':
      return sumUsage(run, runs, 'tokens')
    case 'total_cost':
      return sumUsage(run, runs, 'cost')
    default:
      throw new Error(`the oracle does not know ${field}`)
  }
}

const printed = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')

/** Usage of the run and all below it; an llm run whose direct child reports usage is not counted. */
function sumUsage(run: OracleRun, runs: readonly OracleRun[], what: 'tokens' | 'cost'): number | null {
  const children = runs.filter((one) => one.parent_run_id === run.id)
  const repeats = run.run_type === 'llm' && children.some((one) => one.tokens !== null)
  const parts = [repeats ? null : run[what], ...children.map((child) => sumUsage(child, runs, what))]
  return parts.reduce((sum, part) => (part === null ? sum : (sum ?? 0) + part), null)
}

/** A comparison of a value of a known type; absent is null or undefined. */
function plain(op: Comparison['op'], value: FilterValue, actual: unknown): boolean {
  if (op === 'neq') return !plain('eq', value, actual)
  if (op === 'nin') return !plain('in', value, actual)
  if (op === 'notlike') return !plain('like', value, actual)
  if (op === 'in') return (value as FilterScalar[]).some((one) => plain('eq', one, actual))
  if (actual === null || actual === undefined) return op === 'eq' && value === null
  if (op === 'eq') return actual === value
  if (op === 'like') return fits(String(actual), String(value))
  if (op === 'search') return String(actual).toLowerCase().includes(String(value).toLowerCase())
  return ordered(op, actual as number, value as number)
}

function ordered<Value extends string | number>(op: Comparison['op'], left: Value, right: Value): boolean {
  if (op === 'gt') return left > right
  if (op === 'gte') return left >= right
  if (op === 'lt') return left < right
  return left <= right
}

/** A comparison of a JSON value: a number also finds texts of it, text the number that it is; both are ordered as numbers. */
function typed(op: Comparison['op'], value: FilterValue, actual: unknown): boolean {
  if (op === 'neq') return !typed('eq', value, actual)
  if (op === 'nin') return !typed('in', value, actual)
  if (op === 'notlike') return !typed('like', value, actual)
  if (op === 'in') return (value as FilterScalar[]).some((one) => typed('eq', one, actual))
  const asNumber = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  const left =
    typeof actual === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(actual) ? Number(actual) : actual
  if (op === 'eq') {
    return (
      actual === value ||
      (typeof actual === 'number' && actual === asNumber) ||
      (typeof value === 'number' && left === value)
    )
  }
  if (op === 'like') return typeof actual === 'string' && fits(actual, String(value))
  if (op === 'search') return typeof actual === 'string' && actual.toLowerCase().includes(String(value).toLowerCase())
  if (typeof left === 'number') {
    const right = typeof value === 'number' ? value : asNumber
    if (!Number.isNaN(right)) return ordered(op, left, right)
  }
  return typeof actual === 'string' && typeof value === 'string' && ordered(op, actual, value)
}

function onMany(op: Comparison['op'], value: FilterValue, tags: readonly string[]): boolean {
  if (op === 'neq') return !onMany('eq', value, tags)
  if (op === 'nin') return !onMany('in', value, tags)
  if (op === 'notlike') return !onMany('like', value, tags)
  if (op === 'in') return (value as FilterScalar[]).some((one) => onMany('eq', one, tags))
  if (value === null) return tags.length === 0
  return tags.some((tag) => plain(op === 'has' ? 'eq' : op, value, tag))
}

function getPayload(run: OracleRun, field: string): unknown {
  return field === 'metadata' ? run.metadata : field === 'inputs' ? run.inputs : (run.outputs ?? {})
}

function hasKey(payload: unknown, wanted: string): boolean {
  return flat(payload).some(([key]) => key === wanted || key.startsWith(`${wanted}.`))
}

function holds(payload: unknown, text: string): boolean {
  const entries = flat(payload)
  return flat(JSON.parse(text)).every(([key, value]) => {
    if (typeof value === 'object' && value !== null) return hasKey(payload, key)
    return entries.some(([name, actual]) => name === key && actual === value)
  })
}

function atPath({ op, value, field }: Comparison, run: OracleRun): boolean {
  if (op === 'neq') return !atPath({ op: 'eq', value, field }, run)
  if (op === 'notlike') return !atPath({ op: 'like', value, field }, run)
  const [, root, path] = /^(\w+)\.(.+)$/.exec(field)!
  const entries = flat(getPayload(run, root!))
  if (op === 'eq' && value === null) {
    return !entries.some(([key, actual]) => (key === path && actual !== null) || key.startsWith(`${path}.`))
  }
  return entries.some(([key, actual]) => key === path && typed(op, value, actual))
}

function flat(value: unknown, key = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[key, value]]
  const list = Array.isArray(value)
  const inner = Object.entries(value).flatMap(([name, item]) =>
    flat(item, list ? key : key === '' ? name : `${key}.${name}`),
  )
  const isEmpty = Object.keys(value).length === 0
  return isEmpty && key !== '' ? [[key, value]] : inner
}

function fits(text: string, pattern: string): boolean {
  const parts = pattern
    .toLowerCase()
    .split('%')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(text.toLowerCase())
}

function hasWords(run: OracleRun, query: string): boolean {
  const values = [run.inputs, run.outputs ?? {}, run.metadata].flatMap((payload) =>
    flat(payload).map(([, value]) => (typeof value === 'string' ? value : JSON.stringify(value))),
  )
  const text = [run.name, run.error ?? '', ...run.tags, ...values].join(' ').toLowerCase()
  const words = (of: string) =>
    of
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
  const known = new Set(words(text))
  return words(query).every((word) => (/^[a-z0-9]+$/.test(word) ? known.has(word) : text.includes(word)))
}
