/**
 * A filter that cannot be parsed; the server answers INVALID_REQUEST. The message names the character, the text found there and
 * the text expected.
 */
export class FilterError extends Error {
  override readonly name = 'FilterError'

  /** @param position  of the offending character, from 0 */
  constructor(
    readonly position: number,
    readonly reason: string,
  ) {
    super(`Invalid filter at character ${position + 1}: ${reason}`)
  }
}
