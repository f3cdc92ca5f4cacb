import { ApiError } from '../errors.ts'

/** A filter that cannot be parsed. The message names the character, the text found there and the text expected. */
export class FilterError extends ApiError {
  /** @param position  of the offending character, from 0 */
  constructor(
    readonly position: number,
    readonly reason: string,
  ) {
    super('INVALID_REQUEST', `Invalid filter at character ${position + 1}: ${reason}`)
  }
}
