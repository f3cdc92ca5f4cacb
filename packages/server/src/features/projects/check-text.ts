import { ApiError } from '@touchstone/contract'
import { isStorable } from '../../storage/relational/columns.ts'

/** @throws ApiError INVALID_REQUEST when a project cannot be called that */
export function checkName(name: string): void {
  if (name.length === 0 || name.length > 1000) {
    throw new ApiError('INVALID_REQUEST', 'The name of a project has 1 to 1000 characters.')
  }
  checkText('name', name)
}

/** @throws ApiError INVALID_REQUEST for text that the database would have to change */
export function checkText(field: string, text: string | null | undefined): void {
  if (text == null || isStorable(text)) return
  throw new ApiError('INVALID_REQUEST', `The ${field} of a project cannot hold NUL or half a surrogate pair.`)
}
