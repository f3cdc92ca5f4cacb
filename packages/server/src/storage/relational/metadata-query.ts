import { ApiError } from '@touchstone/contract'
import { isRecord } from '../../json/guards.ts'
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
  if (isRecord(value)) return searchable(value)
  throw new ApiError('INVALID_REQUEST', 'metadata is not a JSON object')
}
