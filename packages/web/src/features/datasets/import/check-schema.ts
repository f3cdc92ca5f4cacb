import type { OutputUnit, Schema } from '@cfworker/json-schema'
import { roundDigits } from '@touchstone/formats/exact-json'
import { openValidator } from '../schema/open-validator.ts'
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
  const validator = schema === null ? undefined : openValidator(schema)
  if (validator === undefined) return () => []
  return (example) => {
    const value = example[part]
    if (value === null) return []
    try {
      const { valid, errors } = validator.validate(roundDigits(value))
      return valid ? [] : describeErrors(part, errors)
    } catch {
      return []
    }
  }
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
