import type { EvaluationResult, EvaluatorArgs } from '../types.ts'

/** Which part of the outputs is compared with which part of the reference. */
export interface Selection {
  /** Key of the feedback. */
  key?: string | undefined
  /** Member of both, `a.b` for one inside another. @default the only member, else the whole */
  field?: string | undefined
  /** The same for one side, instead of `field`. */
  actual?: ((args: EvaluatorArgs) => unknown) | undefined
  expected?: ((args: EvaluatorArgs) => unknown) | undefined
}

/** An evaluator that comes with this package: it knows its keys before it was asked. */
export type KeyedEvaluator<Result = EvaluationResult | EvaluationResult[]> = ((args: EvaluatorArgs) => Result) & {
  readonly keys: readonly string[]
}

/** Gives a function the name that its run and complaints carry, and the keys that it will give. */
export function keyed<Result>(key: string, evaluate: (args: EvaluatorArgs) => Result): KeyedEvaluator<Result> {
  Object.defineProperty(evaluate, 'name', { value: key, configurable: true })
  return Object.assign(evaluate, { keys: [key] })
}

/** @throws when there is no reference: a score without one would be made up */
export function selected(args: EvaluatorArgs, selection: Selection): { actual: unknown; expected: unknown } {
  const { field } = selection
  const expected = selection.expected ? selection.expected(args) : part(args.referenceOutputs, field)
  if (expected === undefined) throw new Error(`The example has no reference ${field ?? 'outputs'} to compare with.`)
  return { actual: selection.actual ? selection.actual(args) : part(args.outputs, field), expected }
}

/** What is compared as text: itself, or its JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Equal as JSON: whatever the order of members; `undefined` members do not count. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [definedEntries(a), definedEntries(b)]
  return (
    left.length === right.length && left.every(([key, value]) => Object.hasOwn(b, key) && isSame(value, member(b, key)))
  )
}

function part(value: unknown, field: string | undefined): unknown {
  if (field === undefined) return onlyMember(value)
  return field.split('.').reduce(member, value)
}

function onlyMember(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.values(value)
  return members.length === 1 ? members[0] : value
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string, unknown>)[key]
}

function definedEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined)
}
