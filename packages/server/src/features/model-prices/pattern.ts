import { ApiError } from '@touchstone/contract'
import { RE2JS } from 're2js'

/** Longer names are no models; matching them would only cost time. */
const MAX_MODEL_LENGTH = 500

export type Matches = (model: string) => boolean

/**
 * Compiles a pattern of a user. The engine needs time linear in the text whatever the pattern, so no pattern can hang
 * the server; look-around and back-references are not offered.
 *
 * @throws ApiError INVALID_REQUEST when it is no regular expression
 */
export function compilePattern(pattern: string): Matches {
  const compiled = compile(pattern)
  return (model) => model.length <= MAX_MODEL_LENGTH && compiled.matcher(model).find()
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
  } catch (error) {
    throw new ApiError('INVALID_REQUEST', `match_pattern is not valid: ${(error as Error).message}`, { cause: error })
  }
}
