import { ApiError } from '@touchstone/contract'

/** Where a page of a list begins that is sorted by what may change. */
export function printOffset(offset: number): string {
  return Buffer.from(JSON.stringify([offset])).toString('base64url')
}

/**
 * @param cursor  @default the first page
 * @throws ApiError INVALID_REQUEST when the text is not a cursor of ours
 */
export function parseOffset(cursor: string | undefined): number {
  if (!cursor) return 0
  try {
    const [offset] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (Number.isSafeInteger(offset) && (offset as number) > 0) return offset as number
  } catch {
    // Not ours: told below, like every other text that is no cursor.
  }
  throw new ApiError('INVALID_REQUEST', 'cursor is not one that this server gave out; start again without it')
}

/** JSON text of a page, from the texts of its items and of the first one behind it. */
export function presentPage(texts: readonly string[], offset: number, pageSize: number): string {
  const next = texts.length > pageSize ? JSON.stringify(printOffset(offset + pageSize)) : 'null'
  return `{"items":[${texts.slice(0, pageSize).join(',')}],"next_cursor":${next}}`
}
