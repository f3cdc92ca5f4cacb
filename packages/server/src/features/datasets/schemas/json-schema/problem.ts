import { ApiError } from '@touchstone/contract'

/** Where a value breaks its schema, and how. */
export interface Violation {
  /** JSON pointer into the example: `/inputs/messages/0/role`. */
  readonly path: string
  readonly message: string
}

/** A schema that is none, or that this server does not check. */
export function badSchema(pointer: string, says: string): ApiError {
  return new ApiError('INVALID_REQUEST', `The JSON Schema is not usable at ${pointer || 'its root'}: ${says}`)
}

/** The pointer of a member or element. */
export function below(path: string, key: string | number): string {
  return typeof key === 'number' ? `${path}/${key}` : `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
