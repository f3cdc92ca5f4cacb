import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '@touchstone/contract'

/**
 * Refuses a change that is based on values which others have changed since. Fields that are not expected may have any value;
 * an empty text is the same as none. Call it in the transaction of the change, after the row was locked.
 *
 * @param what  the record, for the message: "The dataset"
 * @param expected  fields with the values that the caller has read; undefined for no expectation
 * @param current  the same fields as they are stored
 * @throws ApiError CONFLICT; its problems name the fields
 */
export function assertExpected(
  what: string,
  expected: Readonly<Record<string, unknown>> | null | undefined,
  current: Readonly<Record<string, unknown>>,
): void {
  const changed = findOvertaken(expected, current)
  if (changed.length > 0) throw overtaken(what, changed)
}

/** The expected fields that have another value by now. @throws ApiError INVALID_REQUEST when one is nested too deeply */
export function findOvertaken(
  expected: Readonly<Record<string, unknown>> | null | undefined,
  current: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys(expected ?? {}).filter(
    (field) =>
      expected?.[field] !== undefined &&
      !isSame(field, orNone(expected[field]), Object.hasOwn(current, field) ? orNone(current[field]) : null),
  )
}

/** @throws ApiError INVALID_REQUEST for values that are nested too deeply for the stack */
function isSame(field: string, expected: unknown, current: unknown): boolean {
  try {
    return isDeepStrictEqual(expected, current)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new ApiError('INVALID_REQUEST', `expected.${field} is nested too deeply to be compared; leave it out.`, {
      cause,
    })
  }
}

/** The error for a change of fields, or of paths to members, that others have changed since the caller read them. */
export function overtaken(what: string, fields: readonly (string | readonly string[])[]): ApiError {
  const problems = fields.map((field) => ({
    loc: ['body', ...[field].flat()],
    msg: 'It was changed since you read it.',
    type: 'changed',
  }))
  return new ApiError('CONFLICT', `${what} was changed since you read it. Read it again.`, { problems })
}

const orNone = (value: unknown) => (value === '' || value === undefined ? null : value)
