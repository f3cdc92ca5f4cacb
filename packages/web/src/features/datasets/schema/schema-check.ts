import type { OutputUnit, Validator } from '@cfworker/json-schema'
import { type JsonProblem, locateValue } from '@touchstone/formats/locate-json'
import { openValidator } from './open-validator.ts'

/** A check of JSON texts against a JSON Schema. */
export type SchemaCheck = (text: string) => readonly JsonProblem[]

const ACCEPT_ALL: SchemaCheck = () => []
/** Problems of one text; the server names all of them. */
const MAX_PROBLEMS = 100

/**
 * Creates a check of texts against a schema, with each problem at its value. The server checks again when the example is
 * saved; a schema that cannot be read here, for example one that refers to another, accepts everything.
 */
export function createSchemaCheck(schema: unknown): SchemaCheck {
  if (typeof schema !== 'object' || schema === null) return ACCEPT_ALL
  const validator = openValidator(schema)
  if (validator === undefined) return ACCEPT_ALL
  return (text) => {
    const value: unknown = JSON.parse(text)
    return findErrors(validator, value)
      .slice(0, MAX_PROBLEMS)
      .map(({ instanceLocation, error }) => ({ ...locateValue(text, parsePointer(instanceLocation)), message: error }))
  }
}

/** Keywords that only repeat that something below them is wrong. */
const CONTAINERS = new Set(
  (
    'properties patternProperties items prefixItems additionalItems unevaluatedItems dependentSchemas allOf if then else ' +
    '$ref $dynamicRef $recursiveRef propertyNames contains'
  ).split(' '),
)

function findErrors(validator: Validator, value: unknown): OutputUnit[] {
  try {
    const { valid, errors } = validator.validate(value)
    if (valid) return []
    const own = errors.filter(({ keyword, instanceLocation }) => {
      if (CONTAINERS.has(keyword)) return false
      // A value that is not allowed at all is named by the keyword of the object around it.
      return !(keyword === 'false' && instanceLocation !== '#')
    })
    return own.length > 0 ? own : errors.slice(0, 1)
  } catch {
    return [] // an unresolved reference, or a pattern that this engine cannot read
  }
}

/** `#/a~1b/0` → `a/b`, `0`. */
function parsePointer(pointer: string): string[] {
  const steps = pointer.replace(/^#?\/?/, '')
  if (steps === '') return []
  return steps.split('/').map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
