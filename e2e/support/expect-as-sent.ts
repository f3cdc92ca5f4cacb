import { microsOf, parseTime } from '@touchstone/contract'
import { expect } from 'vitest'

type Fields = Readonly<Record<string, unknown>>

/**
 * Asserts that every field that a client sent is in what it read back: payloads equal, times to the microsecond,
 * `extra` at least what was sent (the server adds the depth of a run). `session_name` is checked by tests that know the
 * project's id.
 */
export function expectAsSent(read: Fields, sent: Fields) {
  const compared = Object.entries(sent).filter(([field]) => !NOT_READ_BACK.has(field))
  expect(compared.length).toBeGreaterThan(5)
  for (const [field, value] of compared) {
    if (TIMES.has(field)) expect(micros(read[field]), field).toBe(micros(value))
    else if (field === 'extra') expect(read[field], field).toMatchObject(value as object)
    else expect(read[field], field).toEqual(value)
  }
}

/** Fields that a list returns for a run: the clients do not select `serialized`. */
export function withoutUnselected({ serialized: _, ...sent }: Fields): Fields {
  return sent
}

/** Names that are only sent to the server. */
const NOT_READ_BACK = new Set([
  'session_name',
  'session_id',
  'child_runs',
  'execution_order',
  'child_execution_order',
  'revision_id',
])
const TIMES = new Set(['start_time', 'end_time'])

function micros(value: unknown): bigint | undefined {
  const time = parseTime(value)
  return time === undefined ? undefined : microsOf(time)
}
