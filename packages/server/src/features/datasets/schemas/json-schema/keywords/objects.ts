import { isRecord } from '../../../../../json/guards.ts'
import { appendPointer, type Check, fail, withoutViolations } from '../check.ts'
import type { Matches } from '../pattern.ts'
import type { Keyword, KeywordContext } from './index.ts'
import { toCount, toObject, toStrings } from './values.ts'

/** Holds for objects that `holds` accepts, and for everything else. */
function onCount(name: string, holds: (count: number, limit: number) => boolean, says: string): Keyword {
  return {
    compile(value, place) {
      const limit = toCount(value, name, place)
      return (given, path, run) => {
        if (!isRecord(given)) return true
        const count = Object.keys(given).length
        run.steps.take(count >> 3)
        return holds(count, limit) || fail(run, path, `must have ${says} ${limit} properties`)
      }
    },
  }
}

const missing = (name: string) => `must have the property ${JSON.stringify(name)}`

function compileMap(value: unknown, name: string, place: KeywordContext): Map<string, Check> {
  const named = Object.entries(toObject(value, name, place))
  return new Map(named.map(([key, inner]) => [key, place.compile(inner, name, key)]))
}

function compilePatterns(value: unknown, place: KeywordContext): [Matches, Check][] {
  const at = appendPointer(place.pointer, 'patternProperties')
  return Array.from(compileMap(value, 'patternProperties', place), ([pattern, check]) => [
    place.patterns.compile(pattern, appendPointer(at, pattern)),
    check,
  ])
}

export const OBJECTS: Readonly<Record<string, Keyword>> = {
  required: {
    compile(value, place) {
      const names = toStrings(value, 'required', place)
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
    compile(value, place) {
      const checks = compileMap(value, 'properties', place)
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
    compile(value, place) {
      const patterns = compilePatterns(value, place)
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
    compile(value, place) {
      const check = place.compile(value, 'additionalProperties')
      const { properties, patternProperties } = place.schema
      const named = new Set(isRecord(properties) ? Object.keys(properties) : [])
      const patterns = isRecord(patternProperties) ? compilePatterns(patternProperties, place) : []
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
    compile(value, place) {
      const check = place.compile(value, 'propertyNames')
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
  dependentRequired: { isNew: true, compile: (value, place) => dependencies(value, 'dependentRequired', place) },
  dependentSchemas: { isNew: true, compile: (value, place) => dependencies(value, 'dependentSchemas', place) },
  dependencies: { compile: (value, place) => dependencies(value, 'dependencies', place) },
  $defs: { compile: (value, place) => void compileMap(value, '$defs', place) },
  definitions: { compile: (value, place) => void compileMap(value, 'definitions', place) },
}

export const UNEVALUATED_PROPERTIES: Readonly<Record<string, Keyword>> = {
  unevaluatedProperties: {
    isNew: true,
    compile(value, place) {
      const check = place.compile(value, 'unevaluatedProperties')
      return (given, path, run, seen) => {
        if (!isRecord(given)) return true
        const accepted = everyMember(given, (name, inner) => {
          return seen!.hasMember(name) || check(inner, appendPointer(path, name), run, undefined)
        })
        seen!.allMembers = true
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

/** `{property: [other properties] | schema}`: what must hold when the property is there. */
function dependencies(value: unknown, name: string, place: KeywordContext): Check {
  const rules = Object.entries(toObject(value, name, place)).map(([key, rule]): [string, Check] => {
    if (!Array.isArray(rule)) return [key, place.compile(rule, name, key)]
    const needed = toStrings(rule, name, place)
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
