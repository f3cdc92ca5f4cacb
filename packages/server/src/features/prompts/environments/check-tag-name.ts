import { ApiError } from '@touchstone/contract'

export const TAG_NAME = /^[A-Za-z0-9._-]{1,200}$/

/**
 * @throws ApiError INVALID_REQUEST for a name that cannot stand in a reference, or would be taken for something else
 *   there
 */
export function checkTagName(name: string): void {
  if (!TAG_NAME.test(name)) {
    throw new ApiError('INVALID_REQUEST', 'A tag name has 1 to 200 letters, digits, "-", "_" and ".".')
  }
  if (name === 'latest') throw new ApiError('INVALID_REQUEST', '"latest" is always the newest commit, not a tag.')
  if (/^[0-9a-f]{8,}$/i.test(name)) {
    throw new ApiError('INVALID_REQUEST', `"${name}" could be the beginning of a commit hash, so it is no tag name.`)
  }
}
