const MAX_DEPTH = 64

/** A copy that jsonb can hold: NUL and half surrogate pairs become U+FFFD, what is nested deeper than 64 becomes null. */
export function searchable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((item) => searchable(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [searchable(key) as string, searchable(item, depth + 1)]),
  )
}
