import { ApiError } from '@touchstone/contract'
import { searchable } from './searchable.ts'

/**
 * The `metadata` parameter of a list: a JSON object as text, as it is compared with what is stored.
 *
 * @throws ApiError INVALID_REQUEST
 */
export function readMetadataQuery(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ApiError('INVALID_REQUEST', 'metadata is not valid JSON', { cause: error })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return searchable(value)
  throw new ApiError('INVALID_REQUEST', 'metadata is not a JSON object')
}
