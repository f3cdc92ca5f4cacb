import type { EvaluationResult, EvaluatorArgs } from '../types.ts'

/** Selects the parts of the outputs and of the reference to compare. */
export interface Selection {
  /** Feedback key. */
  key?: string | undefined
  /** Member to compare in both, `a.b` for a nested one. @default the only member, or else the whole object */
  field?: string | undefined
  /** Selects one side by a function, instead of `field`. */
  actual?: ((args: EvaluatorArgs) => unknown) | undefined
  expected?: ((args: EvaluatorArgs) => unknown) | undefined
}

/** An evaluator of this package, which declares its feedback keys. */
export type KeyedEvaluator<Result = EvaluationResult | EvaluationResult[]> = ((args: EvaluatorArgs) => Result) & {
  readonly keys: readonly string[]
}

/** Sets the function's name (shown on its run and in errors) and its feedback keys. */
export function withKey<Result>(key: string, evaluate: (args: EvaluatorArgs) => Result): KeyedEvaluator<Result> {
  Object.defineProperty(evaluate, 'name', { value: key, configurable: true })
  return Object.assign(evaluate, { keys: [key] })
}

/** @throws Error when there is no reference, because a score without one would be made up */
export function selectParts(args: EvaluatorArgs, selection: Selection): { actual: unknown; expected: unknown } {
  const { field } = selection
  const expected = selection.expected ? selection.expected(args) : selectPart(args.referenceOutputs, field)
  if (expected === undefined) throw new Error(`The example has no reference ${field ?? 'outputs'} to compare with.`)
  return { actual: selection.actual ? selection.actual(args) : selectPart(args.outputs, field), expected }
}

/** The text itself, or the JSON of another value. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Equal as JSON: the order of members does not matter, and `undefined` members are ignored. */
export function isJsonEqual(a: unknown, b: unknown): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [definedEntries(a), definedEntries(b)]
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && isJsonEqual(value, getMember(b, key)))
  )
}

function selectPart(value: unknown, field: string | undefined): unknown {
  if (field === undefined) return unwrapSingleMember(value)
  return field.split('.').reduce(getMember, value)
}

function unwrapSingleMember(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.values(value)
  return members.length === 1 ? members[0] : value
}

function getMember(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

function definedEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined)
}
