import { ApiError } from '@touchstone/contract'
import { isRecord } from '../../../../json/guards.ts'
import type { Resource } from './resources.ts'

/**
 * A compiled schema or keyword: whether it accepts a value.
 *
 * @param path  pointer of the value
 * @param seen  of the schema around: gathers what was looked at of this value, for `unevaluatedProperties` and `unevaluatedItems`
 */
export type Check = (value: unknown, path: string, run: Run, seen: Evaluated | undefined) => boolean

/** One validation of one value. */
export interface Run {
  readonly steps: StepBudget
  /** Undefined while only the verdict counts: the first violation ends the check. */
  readonly violations: Violation[] | undefined
  /** Schema resources entered so far, the outermost first; a dynamic reference looks through them. */
  readonly scopes: readonly Resource[]
}

const MAX_VIOLATIONS = 20

export function fail(run: Run, path: string, message: string): false {
  if (run.violations !== undefined && run.violations.length < MAX_VIOLATIONS) run.violations.push({ path, message })
  return false
}

/** The same run, told nothing but the verdict. */
export function withoutViolations(run: Run): Run {
  return run.violations === undefined ? run : { ...run, violations: undefined }
}

/** Members and elements that some subschema looked at. */
export class Evaluated {
  allMembers = false
  allItems = false
  readonly members = new Set<string>()
  readonly items = new Set<number>()
  /** All elements before this one. */
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

/** Where a value breaks its schema, and how. */
export interface Violation {
  /** JSON pointer into the example: `/inputs/messages/0/role`. */
  readonly path: string
  readonly message: string
}

/** A schema that is none, or that this server does not check. */
export function schemaError(pointer: string, says: string): ApiError {
  return new ApiError('INVALID_REQUEST', `The JSON Schema is not usable at ${pointer || 'its root'}: ${says}`)
}

/** The pointer of a member or element. */
export function appendPointer(path: string, key: string | number): string {
  return typeof key === 'number' ? `${path}/${key}` : `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Whether two JSON values are equal, whatever the order of their keys. */
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

/** A text that is the same for equal JSON values, and for no others. */
export function toCanonicalText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

/** Nested applications of schemas; beyond, a schema refers to itself without end or a value is nested absurdly deep. */
const MAX_DEPTH = 300

/** A check that costs more than anybody waits for, or never ends. */
export class TooManySteps extends Error {
  override readonly name = 'TooCostly'
}

/**
 * What checking may cost, counted rather than timed so that the same value always gets the same answer. Schemas are
 * hostile: a page of `allOf` and `$ref` can ask for 2^40 checks of one empty object.
 */
export class StepBudget {
  /** So far. */
  taken = 0
  private depth = 0

  constructor(private readonly most: number) {}

  /** @throws TooCostly */
  take(count: number): void {
    this.taken += count
    if (this.taken > this.most) throw new TooManySteps('checking it takes too many steps')
  }

  /** @throws TooCostly */
  enter(): void {
    this.take(1)
    if (++this.depth > MAX_DEPTH)
      throw new TooManySteps(`it is nested, or the schema refers to itself, over ${MAX_DEPTH} deep`)
  }

  leave(): void {
    this.depth--
  }
}
