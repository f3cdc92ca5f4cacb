import type { JsonRecord } from '../../../../../json/guards.ts'
import type { Check } from '../check.ts'
import type { Patterns } from '../pattern.ts'
import type { Resource } from '../resources.ts'
import { LOGIC, REFERENCES } from './applicators.ts'
import { LISTS, UNEVALUATED_ITEMS } from './lists.ts'
import { OBJECTS, UNEVALUATED_PROPERTIES } from './objects.ts'
import { SCALARS } from './scalars.ts'

/** Where a keyword stands, and what it needs of the schema around it. */
export interface KeywordContext {
  readonly schema: JsonRecord
  readonly pointer: string
  readonly resource: Resource
  readonly patterns: Patterns
  /** Compiles a schema that stands below, by the keys that lead to it. */
  compile(schema: unknown, ...keys: (string | number)[]): Check
  /** Compiles what a reference names. */
  refer(reference: string, key: string): ReferencedSchema
  /** Compiles a schema of another resource. */
  compileNamed(schema: unknown, of: Resource): Check
}

export interface ReferencedSchema {
  readonly node: unknown
  readonly resource: Resource
  readonly anchor?: string
  readonly check: Check
}

export interface Keyword {
  /** @returns undefined when it accepts everything */
  readonly compile: (value: unknown, place: KeywordContext) => Check | undefined
  /** Unknown to draft 7. */
  readonly isNew?: true
}

/** In the order in which they are checked; `unevaluated…` look at what all others did. Any other keyword is a remark. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...Object.entries(SCALARS),
  ...Object.entries(REFERENCES),
  ...Object.entries(LOGIC),
  ...Object.entries(OBJECTS),
  ...Object.entries(LISTS),
  ...Object.entries(UNEVALUATED_PROPERTIES),
  ...Object.entries(UNEVALUATED_ITEMS),
])
