import { ApiError, type Comparison, type FilterScalar } from '@touchstone/contract'
import { flattenJson } from '../../../json/flatten-json.ts'
import { parseRecord } from '../../../json/guards.ts'
import { type Fragment, join, sql } from '../../../storage/analytics/sql.ts'
import {
  type Entries,
  type EntryHint,
  entriesOf,
  equalsExactly,
  hasPair,
  keyIs,
  keyIsOrHolds,
  METADATA,
  onValue,
} from './entries.ts'
import { all, not } from './logic.ts'

const ROOTS: Readonly<Record<string, Entries>> = {
  metadata: METADATA,
  inputs: entriesOf('inputs'),
  outputs: entriesOf('outputs'),
  extra: entriesOf('extra'),
}

/** A comparison of what stands at a path such as `metadata.user_id`; of several values there, some satisfies it. */
export function comparePath(comparison: Comparison): Fragment {
  const { op, value, field } = comparison
  if (op === 'neq' || op === 'nin' || op === 'notlike') {
    return not(comparePath({ ...comparison, op: op === 'neq' ? 'eq' : op === 'nin' ? 'in' : 'like' }))
  }
  const dot = field.indexOf('.')
  const entries = ROOTS[field.slice(0, dot)]!
  const key = field.slice(dot + 1)
  if (op === 'eq' && value === null) return not(isPresent(entries, key))
  if (op === 'eq' && entries === METADATA) {
    const pair = hasPair(key, value as FilterScalar)
    if (pair !== undefined) return pair
  }
  const hints: EntryHint[] = [{ part: 'key', op: 'eq', value: key }]
  if ((op === 'eq' || op === 'like') && typeof value === 'string') hints.push({ part: 'value', op, value })
  const onThat = onValue(comparison)
  return entries.some((k, v) => join([keyIs(key)(k, v), onThat(k, v)]), hints)
}

/** Deeper than any payload is opened. */
const DEEPEST = 100

/** Pairs of one `has`; each is a condition of its own. */
const MAX_PAIRS = 100

/** The key is there, or keys below it. */
export function hasKey(root: string, key: string): Fragment {
  return ROOTS[root]!.some(keyIsOrHolds(key))
}

/**
 * Whether a payload contains all pairs of a JSON object; of a nested object those below it, of a list its elements in any
 * order. Text that is no JSON object is a key that must be there.
 *
 * @throws ApiError INVALID_REQUEST when there are too many pairs
 */
export function contains(root: string, text: string): Fragment {
  const wanted = parseRecord(text)
  if (wanted === undefined) return hasKey(root, text)
  const pairs = flattenJson(wanted, DEEPEST)
  if (pairs.length > MAX_PAIRS) {
    const found = `found ${pairs.length} pairs, at most ${MAX_PAIRS} are allowed`
    throw new ApiError('INVALID_REQUEST', `Invalid filter: has(${root}, …) asks for too much: ${found}`)
  }
  return all(
    pairs.map(({ key, value }) => {
      if (typeof value === 'object' && value !== null) return hasKey(root, key)
      const pair = root === 'metadata' ? hasPair(key, value) : undefined
      if (pair !== undefined) return pair
      const onThat = equalsExactly(value)
      return ROOTS[root]!.some(
        (k, v) => join([keyIs(key)(k, v), onThat(k, v)]),
        [{ part: 'key', op: 'eq', value: key }],
      )
    }),
  )
}

function isPresent(entries: Entries, key: string): Fragment {
  const below = keyIsOrHolds(key)
  return entries.some((k, v) => sql`(${below(k, v)} and not (${keyIs(key)(k, v)} and ${v} = 'null'))`)
}
