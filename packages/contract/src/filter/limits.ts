/** How large a filter may be. What is larger is refused before an engine sees it. */
export interface FilterLimits {
  /** Characters of the text. */
  readonly length: number
  /** Calls and lists inside each other. */
  readonly depth: number
  /** Calls: comparisons and `and`, `or`, `not`. */
  readonly clauses: number
  /** Values in all lists of the filter together. */
  readonly values: number
}

/** What a filter of a caller with a key or a sign-in may be. */
export const FILTER_LIMITS: FilterLimits = { length: 500_000, depth: 100, clauses: 250, values: 5_000 }

/** What a filter of a caller who only holds a share link may be. */
export const PUBLIC_FILTER_LIMITS: FilterLimits = { length: 10_000, depth: 20, clauses: 30, values: 100 }

const NAMES: Readonly<Record<keyof FilterLimits, string>> = {
  length: 'characters',
  depth: 'levels of nesting',
  clauses: 'clauses',
  values: 'values in lists',
}

/** Names the limit that was exceeded, the value found and the value allowed. */
export function limitExceeded(limit: keyof FilterLimits, found: number, limits: FilterLimits): string {
  return `found ${found} ${NAMES[limit]}, at most ${limits[limit]} are allowed`
}
