import { parseTime } from '@touchstone/contract'
import { customType } from 'drizzle-orm/pg-core'

/** A `timestamptz` in the contract's printed form on our side: six digits, never through a float. */
export const time = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamptz',
  // The drivers print `2025-07-10 04:42:19.024+00`; sessions run in UTC.
  fromDriver: (text) => parseTime(text.replace(/\+00$/, 'Z'))!,
})

/** A `timestamptz(3)` that names a version of a dataset: exact to the millisecond, as a `Date` is. */
export const version = customType<{ data: Date; driverData: string }>({
  dataType: () => 'timestamptz(3)',
  toDriver: (date) => date.toISOString(),
  fromDriver: (text) => new Date(text.replace(/\+00$/, 'Z')),
})

/** Whether PostgreSQL can hold the text as it is: neither NUL nor half a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text)
}

const LONE_SURROGATE = /\p{Surrogate}/u
