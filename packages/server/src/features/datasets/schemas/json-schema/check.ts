import type { Violation } from './problem.ts'
import type { Resource } from './resources.ts'
import type { Steps } from './steps.ts'

/**
 * A compiled schema or keyword: whether it accepts a value.
 *
 * @param path  pointer of the value
 * @param seen  of the schema around: gathers what was looked at of this value, for `unevaluatedProperties` and `unevaluatedItems`
 */
export type Check = (value: unknown, path: string, run: Run, seen: Seen | undefined) => boolean

/** One validation of one value. */
export interface Run {
  readonly steps: Steps
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
export function probing(run: Run): Run {
  return run.violations === undefined ? run : { ...run, violations: undefined }
}

/** Members and elements that some subschema looked at. */
export class Seen {
  allMembers = false
  allItems = false
  readonly members = new Set<string>()
  readonly items = new Set<number>()
  /** All elements before this one. */
  firstItems = 0

  take(other: Seen): void {
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
