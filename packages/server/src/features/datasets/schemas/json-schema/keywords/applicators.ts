import { type Check, fail, withoutViolations } from '../check.ts'
import { type Keyword, type KeywordContext, type ReferencedSchema, toSchemas, toText } from './keyword.ts'

const compileAll = (value: unknown, name: string, context: KeywordContext) =>
  toSchemas(value, name, context).map((inner, index) => context.compile(inner, name, index))

export const LOGIC: Readonly<Record<string, Keyword>> = {
  allOf: {
    compile(value, context) {
      const checks = compileAll(value, 'allOf', context)
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
    compile(value, context) {
      const checks = compileAll(value, 'anyOf', context)
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
    compile(value, context) {
      const checks = compileAll(value, 'oneOf', context)
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
    compile(value, context) {
      const check = context.compile(value, 'not')
      return (given, path, run) =>
        !check(given, path, withoutViolations(run), undefined) || fail(run, path, 'must not match the schema of not')
    },
  },
  if: {
    compile(value, context) {
      const condition = context.compile(value, 'if')
      const branch = (name: string) =>
        name in context.schema ? context.compile(context.schema[name], name) : undefined
      const [yes, no] = [branch('then'), branch('else')]
      return (given, path, run, seen) => {
        const next = condition(given, path, withoutViolations(run), seen) ? yes : no
        return next === undefined || next(given, path, run, seen)
      }
    },
  },
}

/** Reports that no schema accepts the value. With a single schema, reports its own violations. */
function failAll(
  checks: readonly Check[],
  given: unknown,
  path: string,
  run: Parameters<Check>[2],
  name: string,
): false {
  const [only, ...others] = checks
  if (only !== undefined && others.length === 0 && run.violations !== undefined) {
    only(given, path, run, undefined)
    return false
  }
  return fail(run, path, `must match one of the ${checks.length} schemas of ${name}`)
}

export const REFERENCES: Readonly<Record<string, Keyword>> = {
  $ref: { compile: (value, context) => context.refer(toText(value, '$ref', context), '$ref').check },
  $dynamicRef: {
    isNew: true,
    compile(value, context) {
      const target = context.refer(toText(value, '$dynamicRef', context), '$dynamicRef')
      return target.anchor === undefined ? target.check : resolveDynamic(target, target.anchor, context)
    },
  },
  $recursiveRef: {
    isNew: true,
    compile: (value, context) =>
      resolveDynamic(context.refer(toText(value, '$recursiveRef', context), '$recursiveRef'), '', context),
  },
}

/** The outermost entered resource with the name defines its meaning. */
function resolveDynamic(target: ReferencedSchema, name: string, context: KeywordContext): Check {
  if (!target.resource.dynamicAnchors.has(name)) return target.check
  return (value, path, run, seen) => {
    const scope = run.scopes.find((resource) => resource.dynamicAnchors.has(name))
    const node = scope?.dynamicAnchors.get(name)
    const isOther = scope !== undefined && node !== undefined && node !== target.node
    const check = isOther ? context.compileNamed(node, scope) : target.check
    return check(value, path, run, seen)
  }
}
