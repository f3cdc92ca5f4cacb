import { ApiError } from '@touchstone/contract'

/** A cursor: the sort key of the last item of a page, in a form that clients do not read. */
export function encodeCursor(values: readonly (string | number | null)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/**
 * @param toKey  returns undefined unless the values are a sort key of the list
 * @throws ApiError INVALID_REQUEST when the text is not a cursor of the list
 */
export function decodeCursor<Key>(text: string, toKey: (values: readonly unknown[]) => Key | undefined): Key {
  const values = parseJson(Buffer.from(text, 'base64url').toString('utf8'))
  const key = Array.isArray(values) ? toKey(values) : undefined
  if (key !== undefined) return key
  throw new ApiError('INVALID_REQUEST', 'cursor is not one that this server gave out; start again without it')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
