import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import { isObject, toPlain } from './exact-json.ts'
import type { ImportedExample } from './to-example.ts'

export interface DatasetSchemas {
  readonly inputs: Schema | null
  readonly outputs: Schema | null
  /** Whether the server changes examples before it checks them; then only the server can check. */
  readonly isTransformed: boolean
}

/** Returns why an example does not satisfy the schemas of its dataset; empty if it does. */
export type CheckExample = (example: ImportedExample) => readonly string[]

/** Reasons shown per part of an example. */
const MAX_REASONS = 3

/** A schema that cannot be compiled here, for example with a remote reference, is left to the server. */
export function openCheck({ inputs, outputs, isTransformed }: DatasetSchemas): CheckExample {
  if (isTransformed) return () => []
  const checks = [openPart('inputs', inputs), openPart('outputs', outputs)]
  return (example) => checks.flatMap((check) => check(example))
}

function openPart(part: 'inputs' | 'outputs', schema: Schema | null): CheckExample {
  const validator = schema === null ? undefined : compile(schema)
  if (validator === undefined) return () => []
  return (example) => {
    const value = example[part]
    if (value === null) return []
    try {
      const { valid, errors } = validator.validate(toPlain(value))
      return valid ? [] : describeErrors(part, errors)
    } catch {
      return []
    }
  }
}

function compile(schema: Schema): Validator | undefined {
  try {
    return new Validator(withoutFormats(schema), getDraft(schema), false)
  } catch {
    return undefined
  }
}

function getDraft({ $schema = '' }: Schema): SchemaDraft {
  if (/draft-0[67]/.test($schema)) return '7'
  return $schema.includes('2019-09') ? '2019-09' : '2020-12'
}

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples'])

/** The server does not check formats, so a row must not fail here for one. */
function withoutFormats(schema: Schema): Schema {
  const copy: Schema = {}
  for (const [key, value] of Object.entries(schema)) {
    // A property may be named format; its value is a schema.
    if (key === 'format' && typeof value === 'string') continue
    copy[key] = DATA.has(key) ? value : withoutFormatsInside(value)
  }
  return copy
}

function withoutFormatsInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFormatsInside)
  return isObject(value) ? withoutFormats(value) : value
}

/** Keywords whose errors only say that something inside is wrong. */
const OUTER = new Set(['properties', 'items', 'prefixItems', 'allOf', '$ref', 'if', 'then', 'else', 'false'])

function describeErrors(part: string, errors: readonly OutputUnit[]): string[] {
  const inner = errors.filter(({ keyword }) => !OUTER.has(keyword))
  const named = (inner.length > 0 ? inner : errors).map(({ instanceLocation, error }) => {
    const path = instanceLocation.slice(1).split('/').slice(1).map(decodePointer).join('.')
    return `${part}${path && `.${path}`}: ${error}`
  })
  const unique = [...new Set(named)]
  const more = unique.length - MAX_REASONS
  return more > 0 ? [...unique.slice(0, MAX_REASONS), `${part}: ${more} more problems`] : unique
}

const decodePointer = (step: string) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
