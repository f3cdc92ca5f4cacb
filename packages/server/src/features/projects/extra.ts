import { isObject, membersOf, mergeExtra } from '../../json/cut-json.ts'

/** Text of `extra` as a request body carries it; `undefined` when absent or null. */
export function extraOf(bodyText: string): string | undefined {
  const extra = membersOf(bodyText).get('extra')
  return extra === undefined || extra === 'null' ? undefined : extra
}

/** What is stored after an update; absent means unchanged. */
export function updatedExtra(stored: string | null, given: string | undefined): string | null {
  if (given === undefined) return stored
  return stored === null ? given : mergeExtra(stored, given)
}

/** `extra.metadata` as filters compare it. */
export function searchableMetadata(extra: string | null): unknown {
  const metadata = extra === null ? undefined : membersOf(extra).get('metadata')
  return metadata !== undefined && isObject(metadata) ? searchable(JSON.parse(metadata)) : {}
}

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
