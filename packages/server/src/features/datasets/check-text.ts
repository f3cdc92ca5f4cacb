import { ApiError } from '@touchstone/contract'
import { isStorable } from '../../storage/relational/columns.ts'

const MAX_NAME = 1000

/** @throws ApiError INVALID_REQUEST when a dataset cannot be called that */
export function checkName(name: string): void {
  if (name.length === 0 || name.length > MAX_NAME) {
    throw new ApiError('INVALID_REQUEST', `The name of a dataset has 1 to ${MAX_NAME} characters.`)
  }
  checkText('name', name)
}

/** @throws ApiError INVALID_REQUEST for text that the database would have to change */
export function checkText(field: string, text: string | null | undefined): void {
  if (text == null || isStorable(text)) return
  throw new ApiError('INVALID_REQUEST', `The ${field} of a dataset cannot hold NUL or half a surrogate pair.`)
}
