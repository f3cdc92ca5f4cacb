import { ApiError } from '../errors.ts'

/** A filter that cannot be read; says at which character, what stands there and what may stand there. */
export class FilterError extends ApiError {
  /** @param position  of the offending character, from 0 */
  constructor(
    readonly position: number,
    readonly reason: string,
  ) {
    super('INVALID_REQUEST', `Invalid filter at character ${position + 1}: ${reason}`)
  }
}
