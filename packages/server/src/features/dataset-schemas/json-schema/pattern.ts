import { RE2JS } from 're2js'
import { badSchema } from './problem.ts'
import type { Steps } from './steps.ts'

const MAX_PATTERN_LENGTH = 2000
/** Instructions; a repetition such as `(a{500}){500}` is short to write and long to run. */
const MAX_PROGRAM = 20_000

export type Matches = (text: string, steps: Steps) => boolean

/**
 * Compiles a `pattern`. The engine needs time linear in the text whatever the pattern, so no pattern can hang the
 * server; look-around and back-references are not offered.
 *
 * @throws ApiError INVALID_REQUEST
 */
export function compilePattern(source: unknown, pointer: string): Matches {
  if (typeof source !== 'string') throw badSchema(pointer, 'a pattern is a string')
  if (source.length > MAX_PATTERN_LENGTH) {
    throw badSchema(pointer, `a pattern may have ${MAX_PATTERN_LENGTH} characters`)
  }
  const compiled = compile(source, pointer)
  const size = compiled.matcher('').programSize()
  if (size > MAX_PROGRAM) throw badSchema(pointer, `the pattern ${source} is too large`)
  return (text, steps) => {
    steps.take(1 + Math.ceil((text.length * size) / 16))
    return compiled.matcher(text).find()
  }
}

function compile(source: string, pointer: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source))
  } catch (error) {
    const says = `the pattern ${source} cannot be used (look-around and back-references are not offered): ${(error as Error).message}`
    throw badSchema(pointer, says)
  }
}
