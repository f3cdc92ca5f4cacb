/** A scalar of the filter language. Times are in our printed form, durations are seconds, ids are lower case. */
export type FilterScalar = string | number | boolean | null
export type FilterValue = FilterScalar | readonly FilterScalar[]

export type ComparisonOperator =
  | 'eq'
  | 'neq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'nin'
  | 'has'
  | 'exists'
  | 'like'
  | 'notlike'
  | 'search'

export interface Logical {
  readonly op: 'and' | 'or' | 'not'
  /** One or more; exactly one of `not`. */
  readonly args: readonly Filter[]
}

export interface Comparison {
  readonly op: ComparisonOperator
  /** A field by its name, or a path into a payload, as in `metadata.user_id`. */
  readonly field: string
  readonly value: FilterValue
}

/** Words anywhere in a run. */
export interface FullText {
  readonly op: 'search'
  readonly field?: undefined
  readonly value: string
}

/** A filter that was read and found sound: every field is known, every value has its field's type. */
export type Filter = Logical | Comparison | FullText

export function isLogical(filter: Filter): filter is Logical {
  return 'args' in filter
}
