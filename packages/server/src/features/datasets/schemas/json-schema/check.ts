import { ApiError } from '@touchstone/contract'
import { isRecord } from '@touchstone/formats/guards'
import type { Resource } from './resources.ts'

/**
 * A compiled schema or keyword: whether it accepts a value.
 *
 * @param path  pointer of the value
 * @param seen  collects the evaluated members and elements for `unevaluatedProperties` and `unevaluatedItems` of the
 *   enclosing schema
 */
export type Check = (value: unknown, path: string, run: Run, seen: Evaluated | undefined) => boolean

/** One validation of one value. */
export interface Run {
  readonly steps: StepBudget
  /** Undefined when only the result counts, so that the first violation ends the check. */
  readonly violations: Violation[] | undefined
  /** Schema resources entered so far, the outermost first; a dynamic reference searches them. */
  readonly scopes: readonly Resource[]
}

const MAX_VIOLATIONS = 20

export function fail(run: Run, path: string, message: string): false {
  if (run.violations !== undefined && run.violations.length < MAX_VIOLATIONS) run.violations.push({ path, message })
  return false
}

/** The same run without collecting violations. */
export function withoutViolations(run: Run): Run {
  return run.violations === undefined ? run : { ...run, violations: undefined }
}

/** Members and elements that a subschema evaluated. */
export class Evaluated {
  allMembers = false
  allItems = false
  readonly members = new Set<string>()
  readonly items = new Set<number>()
  /** Number of evaluated elements at the start. */
  firstItems = 0

  take(other: Evaluated): void {
    this.allMembers ||= other.allMembers
    this.allItems ||= other.allItems
    this.firstItems = Math.max(this.firstItems, other.firstItems)
    for (const key of other.members) this.members.add(key)
    for (const index of other.items) this.items.add(index)
  }

  hasItem(index: number): boolean {
    return this.allItems || index < this.firstItems || this.items.has(index)
  }

  hasMember(key: string): boolean {
    return this.allMembers || this.members.has(key)
  }
}

/** A violation of a schema by a value. */
export interface Violation {
  /** JSON pointer into the example: `/inputs/messages/0/role`. */
  readonly path: string
  readonly message: string
}

/** The error of an invalid schema, or of one that this server does not support. */
export function schemaError(pointer: string, message: string): ApiError {
  return new ApiError('INVALID_REQUEST', `The JSON Schema is not usable at ${pointer || 'its root'}: ${message}`)
}

/** The pointer of a member or element. */
export function appendPointer(path: string, key: string | number): string {
  return typeof key === 'number' ? `${path}/${key}` : `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Whether two JSON values are equal, with any order of keys. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
    )
  }
  if (Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key as never], other[key as never]))
  )
}

/** A text that is equal exactly for equal JSON values. */
export function toCanonicalText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

/** Maximum nesting of schemas, for schemas with endless references and deeply nested values. */
const MAX_DEPTH = 300

/** Thrown when a check exceeds its budget. */
export class TooManySteps extends Error {
  override readonly name = 'TooCostly'
}

/**
 * Limit of the cost of a check. It counts steps instead of time, so that the same value always has the same result.
 * Schemas may be hostile: a page of `allOf` and `$ref` can require 2^40 checks of one empty object.
 */
export class StepBudget {
  /** Steps so far. */
  taken = 0
  private depth = 0

  constructor(private readonly most: number) {}

  /** @throws TooManySteps */
  take(count: number): void {
    this.taken += count
    if (this.taken > this.most) throw new TooManySteps('checking it takes too many steps')
  }

  /** @throws TooManySteps */
  enter(): void {
    this.take(1)
    if (++this.depth > MAX_DEPTH)
      throw new TooManySteps(`it is nested, or the schema refers to itself, over ${MAX_DEPTH} deep`)
  }

  leave(): void {
    this.depth--
  }
}
