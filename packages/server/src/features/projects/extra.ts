import { isObjectText, mergeExtra, splitMembers } from '../../json/cut-json.ts'
import { printObject } from '../../json/write-object.ts'
import { searchable } from '../../storage/relational/searchable.ts'

/** Text of `extra` as a request body carries it; `undefined` when absent or null. */
export function extraOf(bodyText: string): string | undefined {
  const extra = splitMembers(bodyText).get('extra')
  return extra === undefined || extra === 'null' ? undefined : extra
}

/** What is stored after an update; absent means unchanged. */
export function updatedExtra(stored: string | null, given: string | undefined): string | null {
  if (given === undefined) return stored
  return stored === null ? given : mergeExtra(stored, given)
}

/** Without some keys of its metadata; every other byte stays. */
export function withoutMetadata(extra: string | null, keys: readonly string[]): string | null {
  if (extra === null || keys.length === 0) return extra
  const members = splitMembers(extra)
  const metadata = members.get('metadata')
  if (metadata === undefined || !isObjectText(metadata)) return extra
  const left = splitMembers(metadata)
  for (const key of keys) left.delete(key)
  return printObject(members.set('metadata', printObject(left)))
}

/** `extra.metadata` as filters compare it. */
export function searchableMetadata(extra: string | null): unknown {
  const metadata = extra === null ? undefined : splitMembers(extra).get('metadata')
  return metadata !== undefined && isObjectText(metadata) ? searchable(JSON.parse(metadata)) : {}
}
