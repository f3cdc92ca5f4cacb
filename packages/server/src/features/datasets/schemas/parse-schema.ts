import { ApiError } from '@touchstone/contract'
import type { JsonRecord } from '../../../json/guards.ts'
import { isRecord } from '../../../json/guards.ts'
import type { Check } from './json-schema/check.ts'
import { compileSchema } from './json-schema/compile.ts'

/** Characters of one schema's JSON text; and how deep it may nest. */
const MAX_SCHEMA_LENGTH = 256 * 1024
const MAX_NESTING = 64

/** Compiled schemas by their text: examples come one by one, and their schema stays the same. */
const compiled = new Map<string, Check>()
const MAX_COMPILED = 50

/**
 * The check of a schema, given as JSON text.
 *
 * @throws ApiError INVALID_REQUEST naming the place of the first mistake
 */
export function getCompiledSchema(text: string): Check {
  const before = compiled.get(text)
  if (before !== undefined) return before
  const check = compileSchema(parseSchema(text))
  if (compiled.size >= MAX_COMPILED) compiled.delete(compiled.keys().next().value!)
  compiled.set(text, check)
  return check
}

export function parseSchema(text: string): JsonRecord {
  if (text.length > MAX_SCHEMA_LENGTH) throwUnusable(`it has more than ${MAX_SCHEMA_LENGTH} characters`)
  const schema = parse(text)
  if (!isRecord(schema)) throwUnusable('it is no object')
  if (isDeeper(schema, MAX_NESTING)) throwUnusable(`it nests more than ${MAX_NESTING} deep`)
  return schema
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throwUnusable(`it is no JSON: ${(error as Error).message}`)
  }
}

function throwUnusable(says: string): never {
  throw new ApiError('INVALID_REQUEST', `The JSON Schema is not usable: ${says}.`)
}

/** Without recursion: what is too deep for the stack must not meet it. */
function isDeeper(value: unknown, depth: number): boolean {
  let level: unknown[] = [value]
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
