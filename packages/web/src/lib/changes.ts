/** Whether two values are the same as JSON. */
export const isSameJson = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export function pickFields<Value extends object>(from: Value, fields: readonly string[]): Partial<Value> {
  return Object.fromEntries(Object.entries(from).filter(([field]) => fields.includes(field))) as Partial<Value>
}

/**
 * The fields of a request that differ from those of the object as it was read, and what they are based on.
 *
 * @param next  the request with all fields
 * @param before  the same request without an edit
 */
export function changesOf<Request extends object, Stored extends object>(next: Request, before: Request, base: Stored) {
  const fields = Object.keys(next).filter(
    (field) => !isSameJson(pickFields(next, [field]), pickFields(before, [field])),
  )
  return { changes: pickFields(next, fields), expected: pickFields(base, fields) }
}
