import type { Check } from '../check.ts'
import type { Keyword, Place, Referred } from './index.ts'
import { aString } from './values.ts'

export const REFERENCES: Readonly<Record<string, Keyword>> = {
  $ref: { compile: (value, place) => place.refer(aString(value, '$ref', place), '$ref').check },
  $dynamicRef: {
    isNew: true,
    compile(value, place) {
      const target = place.refer(aString(value, '$dynamicRef', place), '$dynamicRef')
      return target.anchor === undefined ? target.check : dynamic(target, target.anchor, place)
    },
  },
  $recursiveRef: {
    isNew: true,
    compile: (value, place) => dynamic(place.refer(aString(value, '$recursiveRef', place), '$recursiveRef'), '', place),
  },
}

/** The outermost resource entered so far that has the name too decides what it means. */
function dynamic(target: Referred, name: string, place: Place): Check {
  if (!target.resource.dynamicAnchors.has(name)) return target.check
  return (value, path, run, seen) => {
    const scope = run.scopes.find((resource) => resource.dynamicAnchors.has(name))
    const node = scope?.dynamicAnchors.get(name)
    const check = node === undefined || node === target.node ? target.check : place.compileNamed(node, scope!)
    return check(value, path, run, seen)
  }
}
