import type { RunGrouping } from '@touchstone/contract'
import { type Fragment, literal, sql, text } from '../../../storage/analytics/sql.ts'

/**
 * SQL over the columns of `runs`: the groups that a run is in, an array of one null where it lacks the attribute. A run
 * is in a group once, however often its metadata repeats a value.
 */
export function groupsOf({ attribute, path }: RunGrouping): Fragment {
  switch (attribute) {
    case 'tag':
      return orNone(literal('tags'))
    case 'metadata':
      return orNone(metadataValues(path ?? ''))
    default:
      return sql`[nullIf(toString(${literal(attribute)}), '')]`
  }
}

/** Values below a key of metadata, strings without their mark. */
export function metadataValues(key: string): Fragment {
  return sql`arrayMap(v -> if(startsWith(v, '"'), substring(v, 2), v),
      arrayFilter((v, k) -> k = ${text(key)}, metadata.value, metadata.key))`
}

function orNone(values: Fragment): Fragment {
  return sql`arrayMap(v -> toNullable(v), if(empty(${values}), [null], arrayMap(v -> toNullable(v), arrayDistinct(${values}))))`
}
