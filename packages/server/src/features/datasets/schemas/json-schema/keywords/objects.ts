import { isRecord } from '@touchstone/formats/guards'
import { appendPointer, type Check, fail, withoutViolations } from '../check.ts'
import type { Matches } from '../pattern.ts'
import { type Keyword, type KeywordContext, toCount, toObject, toStrings } from './keyword.ts'

/** Checks the number of properties of objects; accepts other values. */
function onCount(name: string, holds: (count: number, limit: number) => boolean, message: string): Keyword {
  return {
    compile(value, context) {
      const limit = toCount(value, name, context)
      return (given, path, run) => {
        if (!isRecord(given)) return true
        const count = Object.keys(given).length
        run.steps.take(count >> 3)
        return holds(count, limit) || fail(run, path, `must have ${message} ${limit} properties`)
      }
    },
  }
}

const missing = (name: string) => `must have the property ${JSON.stringify(name)}`

function compileMap(value: unknown, name: string, context: KeywordContext): Map<string, Check> {
  const named = Object.entries(toObject(value, name, context))
  return new Map(named.map(([key, inner]) => [key, context.compile(inner, name, key)]))
}

function compilePatterns(value: unknown, context: KeywordContext): [Matches, Check][] {
  const at = appendPointer(context.pointer, 'patternProperties')
  return Array.from(compileMap(value, 'patternProperties', context), ([pattern, check]) => [
    context.patterns.compile(pattern, appendPointer(at, pattern)),
    check,
  ])
}

export const OBJECTS: Readonly<Record<string, Keyword>> = {
  required: {
    compile(value, context) {
      const names = toStrings(value, 'required', context)
      return (given, path, run) => {
        if (!isRecord(given)) return true
        run.steps.take(names.length >> 2)
        let complete = true
        for (const name of names) if (!Object.hasOwn(given, name)) complete = fail(run, path, missing(name))
        return complete
      }
    },
  },
  minProperties: onCount('minProperties', (count, limit) => count >= limit, 'at least'),
  maxProperties: onCount('maxProperties', (count, limit) => count <= limit, 'at most'),
  properties: {
    compile(value, context) {
      const checks = compileMap(value, 'properties', context)
      return (given, path, run, seen) => {
        if (!isRecord(given)) return true
        run.steps.take(checks.size >> 2)
        let accepted = true
        for (const [name, check] of checks) {
          if (!Object.hasOwn(given, name)) continue
          seen?.members.add(name)
          if (check(given[name], appendPointer(path, name), run, undefined)) continue
          accepted = false
          if (run.violations === undefined) break
        }
        return accepted
      }
    },
  },
  patternProperties: {
    compile(value, context) {
      const patterns = compilePatterns(value, context)
      return (given, path, run, seen) =>
        !isRecord(given) ||
        everyMember(given, (name, inner) => {
          let accepted = true
          for (const [matches, check] of patterns) {
            if (!matches(name, run.steps)) continue
            seen?.members.add(name)
            accepted = check(inner, appendPointer(path, name), run, undefined) && accepted
          }
          return accepted
        })
    },
  },
  additionalProperties: {
    compile(value, context) {
      const check = context.compile(value, 'additionalProperties')
      const { properties, patternProperties } = context.schema
      const named = new Set(isRecord(properties) ? Object.keys(properties) : [])
      const patterns = isRecord(patternProperties) ? compilePatterns(patternProperties, context) : []
      return (given, path, run, seen) =>
        !isRecord(given) ||
        everyMember(given, (name, inner) => {
          run.steps.take(1)
          if (named.has(name) || patterns.some(([matches]) => matches(name, run.steps))) return true
          seen?.members.add(name)
          return check(inner, appendPointer(path, name), run, undefined)
        })
    },
  },
  propertyNames: {
    compile(value, context) {
      const check = context.compile(value, 'propertyNames')
      return (given, path, run) =>
        !isRecord(given) ||
        everyMember(given, (name) => {
          return (
            check(name, path, withoutViolations(run), undefined) ||
            fail(run, path, `has the name ${JSON.stringify(name)}, which propertyNames refuses`)
          )
        })
    },
  },
  dependentRequired: { isNew: true, compile: (value, context) => dependencies(value, 'dependentRequired', context) },
  dependentSchemas: { isNew: true, compile: (value, context) => dependencies(value, 'dependentSchemas', context) },
  dependencies: { compile: (value, context) => dependencies(value, 'dependencies', context) },
  $defs: { compile: (value, context) => void compileMap(value, '$defs', context) },
  definitions: { compile: (value, context) => void compileMap(value, 'definitions', context) },
}

export const UNEVALUATED_PROPERTIES: Readonly<Record<string, Keyword>> = {
  unevaluatedProperties: {
    isNew: true,
    compile(value, context) {
      const check = context.compile(value, 'unevaluatedProperties')
      return (given, path, run, seen) => {
        if (!isRecord(given)) return true
        const accepted = everyMember(given, (name, inner) => {
          return seen?.hasMember(name) || check(inner, appendPointer(path, name), run, undefined)
        })
        if (seen !== undefined) seen.allMembers = true
        return accepted
      }
    },
  },
}

function everyMember(given: object, holds: (name: string, inner: unknown) => boolean): boolean {
  let accepted = true
  for (const [name, inner] of Object.entries(given)) accepted = holds(name, inner) && accepted
  return accepted
}

/** `{property: [other properties] | schema}`: conditions for values with the property. */
function dependencies(value: unknown, name: string, context: KeywordContext): Check {
  const rules = Object.entries(toObject(value, name, context)).map(([key, rule]): [string, Check] => {
    if (!Array.isArray(rule)) return [key, context.compile(rule, name, key)]
    const needed = toStrings(rule, name, context)
    return [
      key,
      (given, path, run) => {
        const lacking = needed.filter((other) => !Object.hasOwn(given as object, other))
        for (const other of lacking) fail(run, path, `${missing(other)} because it has ${JSON.stringify(key)}`)
        return lacking.length === 0
      },
    ]
  })
  return (given, path, run, seen) => {
    if (!isRecord(given)) return true
    run.steps.take(rules.length >> 2)
    let accepted = true
    for (const [key, check] of rules) {
      if (Object.hasOwn(given, key)) accepted = check(given, path, run, seen) && accepted
    }
    return accepted
  }
}
