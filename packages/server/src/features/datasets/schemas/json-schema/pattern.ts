import { RE2JS } from 're2js'
import { compileUserPattern, LargePattern } from '../../../../patterns.ts'
import { type StepBudget, schemaError } from './check.ts'

const MAX_PATTERN_LENGTH = 2000
/** Instructions of one pattern; a repetition such as `(a{500}){500}` is short to write and long to run. */
const MAX_PROGRAM = 10_000
/** Instructions of all patterns of one schema: a megabyte of memory and a millisecond per thousand. */
const MAX_PROGRAMS = 60_000

export type Matches = (text: string, steps: StepBudget) => boolean

interface Pattern {
  readonly matches: Matches
  /** Number of instructions. */
  readonly size: number
}

/**
 * The patterns of one schema. The engine needs time linear in the text for every pattern, so no pattern can block the
 * server.
 * Look-around and back-references are not supported.
 */
export class Patterns {
  private size = 0

  /** @throws ApiError INVALID_REQUEST */
  compile(source: unknown, pointer: string): Matches {
    const { matches, size } = compilePattern(source, pointer)
    this.size += size
    if (this.size > MAX_PROGRAMS) throw schemaError(pointer, 'its patterns are too large together')
    return matches
  }
}

/** Compiled patterns by their source, because examples arrive one by one and a schema may repeat a pattern. */
const kept = new Map<string, Pattern>()
let keptSize = 0
const MAX_KEPT = 500_000

function compilePattern(source: unknown, pointer: string): Pattern {
  if (typeof source !== 'string') throw schemaError(pointer, 'a pattern is a string')
  const before = kept.get(source)
  if (before !== undefined) return before
  if (source.length > MAX_PATTERN_LENGTH) {
    throw schemaError(pointer, `a pattern may have ${MAX_PATTERN_LENGTH} characters`)
  }
  const { compiled, size } = parse(source, pointer)
  const pattern: Pattern = {
    size,
    matches(text, steps) {
      steps.take(1 + Math.ceil((text.length * size) / 16))
      return compiled.matcher(text).find()
    },
  }
  keep(source, pattern)
  return pattern
}

function keep(source: string, pattern: Pattern): void {
  kept.set(source, pattern)
  keptSize += pattern.size
  for (const [oldest, { size }] of kept) {
    if (keptSize <= MAX_KEPT) return
    kept.delete(oldest)
    keptSize -= size
  }
}

function parse(source: string, pointer: string) {
  try {
    return compileUserPattern(RE2JS.translateRegExp(source), 0, MAX_PROGRAM)
  } catch (error) {
    if (error instanceof LargePattern) throw schemaError(pointer, `the pattern ${source} is too large`)
    const message = `the pattern ${source} cannot be used (look-around and back-references are not offered): ${(error as Error).message}`
    throw schemaError(pointer, message)
  }
}
