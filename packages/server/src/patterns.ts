import { RE2JS } from 're2js'

/** A pattern of a user that would take the server too long to compile or to run. */
export class LargePattern extends Error {
  override readonly name = 'LargePattern'
}

/** Instructions that are compiled at all: a thousand take milliseconds, and the engine would compile 400 for each character. */
const MAX_COMPILED = 20_000

/**
 * Compiles a pattern of a user for the engine that needs time linear in the text. The time also grows with the instructions of the
 * pattern: `(a?){1000}` has ten characters and 4,000 instructions.
 *
 * @param maxProgram  instructions that it may have
 * @returns the pattern with its number of instructions
 * @throws LargePattern before anything is compiled, where it is far too large; another Error for what is no pattern
 */
export function compileUserPattern(
  source: string,
  flags: number,
  maxProgram: number,
): { readonly compiled: RE2JS; readonly size: number } {
  if (estimateProgram(source) > MAX_COMPILED) throw new LargePattern(`more than ${maxProgram} instructions`)
  const compiled = RE2JS.compile(source, flags)
  const size = compiled.matcher('').programSize()
  if (size > maxProgram) throw new LargePattern(`${size} instructions, more than ${maxProgram}`)
  return { compiled, size }
}

const REPETITION = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y

/** The instructions of a pattern, up to a small factor: a group counts as often as it is repeated. */
function estimateProgram(source: string): number {
  const groups = [0]
  let last = 0
  const add = (size: number) => {
    last = size
    groups.push((groups.pop() ?? 0) + size)
  }
  for (let at = 0; at < source.length; at++) {
    REPETITION.lastIndex = at
    const repetition = source[at] === '{' ? REPETITION.exec(source) : null
    if (repetition !== null) {
      const times = Math.max(Number(repetition[1]), Number(repetition[2] ?? 0), 1)
      groups.push((groups.pop() ?? 0) + last * (times - 1))
      last *= times
      at += repetition[0].length - 1
    } else if (source[at] === '(') groups.push(0)
    else if (source[at] === ')' && groups.length > 1) add(groups.pop() ?? 0)
    else {
      if (source[at] === '\\') at++
      else if (source[at] === '[') at = endOfClass(source, at)
      add(1)
    }
  }
  return groups.reduce((sum, size) => sum + size, 0)
}

/** The place of the bracket that ends a character class. */
function endOfClass(source: string, start: number): number {
  for (let at = start + 2; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === ']') return at
  }
  return source.length
}
