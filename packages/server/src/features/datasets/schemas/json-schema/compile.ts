import { isRecord, type JsonRecord } from '@touchstone/formats/guards'
import { appendPointer, type Check, Evaluated, fail, type Run, schemaError } from './check.ts'
import { LOGIC, REFERENCES } from './keywords/applicators.ts'
import type { Keyword, KeywordContext } from './keywords/keyword.ts'
import { LISTS, UNEVALUATED_ITEMS } from './keywords/lists.ts'
import { OBJECTS, UNEVALUATED_PROPERTIES } from './keywords/objects.ts'
import { SCALARS } from './keywords/scalars.ts'
import { Patterns } from './pattern.ts'
import { type Resource, Resources } from './resources.ts'

/** In the order of the checks; `unevaluated…` depend on all others. Other keywords are ignored. */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...Object.entries(SCALARS),
  ...Object.entries(REFERENCES),
  ...Object.entries(LOGIC),
  ...Object.entries(OBJECTS),
  ...Object.entries(LISTS),
  ...Object.entries(UNEVALUATED_PROPERTIES),
  ...Object.entries(UNEVALUATED_ITEMS),
])

/**
 * Compiles a schema to a check: every keyword is read once, and every mistake is reported now instead of with the first
 * example.
 *
 * @throws ApiError INVALID_REQUEST with the position of the first mistake
 */
export function compileSchema(root: unknown): Check {
  const resources = new Resources(root)
  const compiled = new Map<object, Check>()
  const pending: (() => void)[] = []
  const patterns = new Patterns()

  /** A schema may refer to itself, so a referenced schema is compiled after the referring one. */
  function compile(node: unknown, resource: Resource, pointer: string): Check {
    if (typeof node === 'boolean') return node ? () => true : (_value, path, run) => fail(run, path, 'is not allowed')
    if (!isRecord(node)) throw schemaError(pointer, 'a schema is an object or a boolean')
    const before = compiled.get(node)
    if (before !== undefined) return before
    let check: Check | undefined
    const ready = () => (check ??= compileNode(node, resource, pointer))
    const later: Check = (...of) => (check ?? ready())(...of)
    compiled.set(node, later)
    pending.push(ready)
    return later
  }

  function compileNode(node: JsonRecord, within: Resource, pointer: string): Check {
    const resource = resources.of(node) ?? within
    const context: KeywordContext = {
      schema: node,
      pointer,
      resource,
      patterns,
      compile: (inner, ...keys) => compile(inner, resource, keys.reduce<string>(appendPointer, pointer)),
      refer(reference, key) {
        const at = appendPointer(pointer, key)
        const target = resources.resolve(reference, resource, at)
        return { ...target, check: compile(target.node, target.resource, at) }
      },
      compileNamed: (inner, of) => compile(inner, of, pointer),
    }
    const refAlone = resource.isOld && '$ref' in node
    const checks = [...KEYWORDS].flatMap(([name, keyword]) => {
      if (!Object.hasOwn(node, name) || (refAlone && name !== '$ref')) return []
      if (resource.isOld && keyword.isNew) return []
      const check = keyword.compile(node[name], context)
      return check === undefined ? [] : [check]
    })
    return combine(checks, resource, resources.tracks)
  }

  const main = compile(root, resources.main, '')
  for (const compileNext of pending) compileNext() // compiling one adds those that it references
  return main
}

/** All keywords of one schema. */
function combine(checks: readonly Check[], resource: Resource, tracks: boolean): Check {
  return (value, path, run, seen) => {
    run.steps.enter()
    const within: Run = run.scopes.at(-1) === resource ? run : { ...run, scopes: [...run.scopes, resource] }
    // Evaluated members count for enclosing schemas only if the schema accepts the value.
    const own = tracks ? new Evaluated() : undefined
    let accepted = true
    for (const check of checks) {
      if (check(value, path, within, own)) continue
      accepted = false
      if (run.violations === undefined) break
    }
    if (accepted && own !== undefined) seen?.take(own)
    run.steps.leave()
    return accepted
  }
}
