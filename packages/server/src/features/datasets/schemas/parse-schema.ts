import { ApiError } from '@touchstone/contract'
import type { JsonRecord } from '@touchstone/formats/guards'
import { isRecord } from '@touchstone/formats/guards'
import type { Check } from './json-schema/check.ts'
import { compileSchema } from './json-schema/compile.ts'

/** Limits of the characters and the nesting of a schema's JSON text. */
const MAX_SCHEMA_LENGTH = 256 * 1024
const MAX_NESTING = 64

/** Compiled schemas by their text, because examples arrive one by one with the same schema. */
const compiled = new Map<string, Check>()
const MAX_COMPILED = 50

/**
 * The check of a schema in JSON text.
 *
 * @throws ApiError INVALID_REQUEST with the position of the first mistake
 */
export function getCompiledSchema(text: string): Check {
  const before = compiled.get(text)
  if (before !== undefined) return before
  const check = compileSchema(parseSchema(text))
  const [oldest] = compiled.keys()
  if (compiled.size >= MAX_COMPILED && oldest !== undefined) compiled.delete(oldest)
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

function throwUnusable(message: string): never {
  throw new ApiError('INVALID_REQUEST', `The JSON Schema is not usable: ${message}.`)
}

/** Without recursion, because the value may be too deep for the stack. */
function isDeeper(value: unknown, depth: number): boolean {
  let level: unknown[] = [value]
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}
