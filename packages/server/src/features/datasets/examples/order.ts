import type { ExampleListQuery } from '@touchstone/contract'
import { type SQL, sql } from 'drizzle-orm'
import { exampleStates } from '../../../storage/relational/tables/datasets.ts'

/** How a listing is sorted, and how it is read on after a row. */
export interface Order {
  readonly by: SQL
  /** Text of what the row is sorted by; undefined where reading on by key is of no use. */
  readonly keyOf: ((row: SortedRow) => readonly string[]) | undefined
  readonly after: (key: readonly string[]) => SQL
}

export interface SortedRow {
  readonly id: string
  readonly as_of: Date
  readonly created_at: string
  readonly number: number
}

const { as_of, created_at, number, example_id } = exampleStates

/**
 * `recent` and `recently_created` show the newest first, what one request made in the order of that request; `id` the
 * smallest first. The other direction is exactly the reverse.
 */
export function orderOf({
  order = 'recent',
  descending,
  random_seed: seed,
}: Partial<Pick<ExampleListQuery, 'order' | 'descending' | 'random_seed'>>): Order {
  if (order === 'random') return shuffled(seed)
  const isDescending = descending ?? order !== 'id'
  const direction = isDescending ? sql`desc` : sql`asc`
  const sign = isDescending ? sql`<` : sql`>`
  if (order === 'id') {
    return {
      by: sql`${example_id} ${direction}`,
      keyOf: ({ id }) => [id],
      after: ([id]) => sql`${example_id} ${sign} ${id}::uuid`,
    }
  }
  const column = order === 'recent' ? as_of : created_at
  return {
    by: sql`${column} ${direction}, (-${number}) ${direction}`,
    keyOf: (row) => [order === 'recent' ? row.as_of.toISOString() : row.created_at, String(-row.number)],
    after: ([time, rank]) => sql`(${column}, (-${number})) ${sign} (${time}::timestamptz, ${rank}::bigint)`,
  }
}

/** The same seed gives the same order; without one it is new each time. */
function shuffled(seed: number | undefined): Order {
  const by = seed === undefined ? sql`random()` : sql`md5(${example_id}::text || ${String(seed)}::text), ${example_id}`
  return { by, keyOf: undefined, after: () => sql`true` }
}
