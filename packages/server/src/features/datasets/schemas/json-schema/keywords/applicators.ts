import { type Check, fail, withoutViolations } from '../check.ts'
import type { Keyword, KeywordContext, ReferencedSchema } from './index.ts'
import { toSchemas, toText } from './values.ts'

const compileAll = (value: unknown, name: string, place: KeywordContext) =>
  toSchemas(value, name, place).map((inner, index) => place.compile(inner, name, index))

export const LOGIC: Readonly<Record<string, Keyword>> = {
  allOf: {
    compile(value, place) {
      const checks = compileAll(value, 'allOf', place)
      return (given, path, run, seen) => {
        let accepted = true
        for (const check of checks) {
          if (check(given, path, run, seen)) continue
          accepted = false
          if (run.violations === undefined) break
        }
        return accepted
      }
    },
  },
  anyOf: {
    compile(value, place) {
      const checks = compileAll(value, 'anyOf', place)
      return (given, path, run, seen) => {
        const quiet = withoutViolations(run)
        let accepted = false
        for (const check of checks) {
          if (check(given, path, quiet, seen)) accepted = true
          if (accepted && seen === undefined) break
        }
        return accepted || failAll(checks, given, path, run, 'anyOf')
      }
    },
  },
  oneOf: {
    compile(value, place) {
      const checks = compileAll(value, 'oneOf', place)
      return (given, path, run, seen) => {
        const quiet = withoutViolations(run)
        const accepting = checks.flatMap((check, index) => (check(given, path, quiet, seen) ? [index] : []))
        if (accepting.length === 1) return true
        if (accepting.length === 0) return failAll(checks, given, path, run, 'oneOf')
        return fail(
          run,
          path,
          `must match exactly one schema of oneOf, but matches those at ${accepting.join(' and ')}`,
        )
      }
    },
  },
  not: {
    compile(value, place) {
      const check = place.compile(value, 'not')
      return (given, path, run) =>
        !check(given, path, withoutViolations(run), undefined) || fail(run, path, 'must not match the schema of not')
    },
  },
  if: {
    compile(value, place) {
      const condition = place.compile(value, 'if')
      const branch = (name: string) => (name in place.schema ? place.compile(place.schema[name], name) : undefined)
      const [yes, no] = [branch('then'), branch('else')]
      return (given, path, run, seen) => {
        const next = condition(given, path, withoutViolations(run), seen) ? yes : no
        return next === undefined || next(given, path, run, seen)
      }
    },
  },
}

/** No schema accepts the value. Where there is only one that could, its own violations say more. */
function failAll(
  checks: readonly Check[],
  given: unknown,
  path: string,
  run: Parameters<Check>[2],
  name: string,
): false {
  if (checks.length === 1 && run.violations !== undefined) {
    checks[0]!(given, path, run, undefined)
    return false
  }
  return fail(run, path, `must match one of the ${checks.length} schemas of ${name}`)
}

export const REFERENCES: Readonly<Record<string, Keyword>> = {
  $ref: { compile: (value, place) => place.refer(toText(value, '$ref', place), '$ref').check },
  $dynamicRef: {
    isNew: true,
    compile(value, place) {
      const target = place.refer(toText(value, '$dynamicRef', place), '$dynamicRef')
      return target.anchor === undefined ? target.check : resolveDynamic(target, target.anchor, place)
    },
  },
  $recursiveRef: {
    isNew: true,
    compile: (value, place) =>
      resolveDynamic(place.refer(toText(value, '$recursiveRef', place), '$recursiveRef'), '', place),
  },
}

/** The outermost resource entered so far that has the name too decides what it means. */
function resolveDynamic(target: ReferencedSchema, name: string, place: KeywordContext): Check {
  if (!target.resource.dynamicAnchors.has(name)) return target.check
  return (value, path, run, seen) => {
    const scope = run.scopes.find((resource) => resource.dynamicAnchors.has(name))
    const node = scope?.dynamicAnchors.get(name)
    const check = node === undefined || node === target.node ? target.check : place.compileNamed(node, scope!)
    return check(value, path, run, seen)
  }
}
