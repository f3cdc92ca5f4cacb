import { appendPointer, type Check, fail, type Run, toCanonicalText, withoutViolations } from '../check.ts'
import { type Keyword, type KeywordContext, toCount, toSchemas } from './keyword.ts'
import { countMembers } from './scalars.ts'

function onCount(name: string, holds: (count: number, limit: number) => boolean, message: string): Keyword {
  return {
    compile(value, context) {
      const limit = toCount(value, name, context)
      return (given, path, run) =>
        !Array.isArray(given) || holds(given.length, limit) || fail(run, path, `must have ${message} ${limit} items`)
    },
  }
}

export const LISTS: Readonly<Record<string, Keyword>> = {
  minItems: onCount('minItems', (count, limit) => count >= limit, 'at least'),
  maxItems: onCount('maxItems', (count, limit) => count <= limit, 'at most'),
  uniqueItems: {
    compile: (value) => (value === true ? isUnique : undefined),
  },
  prefixItems: { isNew: true, compile: (value, context) => tuple(value, 'prefixItems', context) },
  items: {
    compile(value, context) {
      if (Array.isArray(value)) return tuple(value, 'items', context)
      const { prefixItems } = context.schema
      const from = Array.isArray(prefixItems) && !context.resource.isOld ? prefixItems.length : 0
      return rest(context.compile(value, 'items'), from)
    },
  },
  additionalItems: {
    compile(value, context) {
      const check = context.compile(value, 'additionalItems')
      return Array.isArray(context.schema.items) ? rest(check, context.schema.items.length) : undefined
    },
  },
  contains: {
    compile(value, context) {
      const check = context.compile(value, 'contains')
      const { minContains = 1, maxContains = Number.MAX_SAFE_INTEGER } = context.resource.isOld ? {} : context.schema
      const least = toCount(minContains, 'minContains', context)
      const most = toCount(maxContains, 'maxContains', context)
      return (given, path, run, seen) => {
        if (!Array.isArray(given)) return true
        const quiet = withoutViolations(run)
        let count = 0
        given.forEach((item, index) => {
          if (!check(item, path, quiet, undefined)) return
          count++
          seen?.items.add(index)
        })
        if (count < least)
          return fail(run, path, `must contain at least ${least} of what contains describes, has ${count}`)
        return count <= most || fail(run, path, `must contain at most ${most} of what contains describes, has ${count}`)
      }
    },
  },
}

export const UNEVALUATED_ITEMS: Readonly<Record<string, Keyword>> = {
  unevaluatedItems: {
    isNew: true,
    compile(value, context) {
      const check = context.compile(value, 'unevaluatedItems')
      return (given, path, run, seen) => {
        if (!Array.isArray(given)) return true
        const accepted = everyItem(given, 0, check, path, run, (index) => seen?.hasItem(index) ?? false)
        if (seen !== undefined) seen.allItems = true
        return accepted
      }
    },
  },
}

/** A schema for each of the first items. */
function tuple(value: unknown, name: string, context: KeywordContext): Check | undefined {
  if (Array.isArray(value) && value.length === 0) return undefined
  const checks = toSchemas(value, name, context).map((inner, index) => context.compile(inner, name, index))
  return (given, path, run, seen) => {
    if (!Array.isArray(given)) return true
    const count = Math.min(checks.length, given.length)
    if (seen !== undefined) seen.firstItems = Math.max(seen.firstItems, count)
    let accepted = true
    for (const [at, check] of checks.slice(0, count).entries()) {
      accepted = check(given[at], appendPointer(path, at), run, undefined) && accepted
    }
    return accepted
  }
}

/** One schema for all items from an index on. */
function rest(check: Check, from: number): Check {
  return (given, path, run, seen) => {
    if (!Array.isArray(given)) return true
    if (seen !== undefined) seen.allItems = true
    return everyItem(given, from, check, path, run, () => false)
  }
}

function everyItem(
  items: readonly unknown[],
  from: number,
  check: Check,
  path: string,
  run: Run,
  skips: (index: number) => boolean,
): boolean {
  let accepted = true
  for (let at = from; at < items.length; at++) {
    if (skips(at) || check(items[at], appendPointer(path, at), run, undefined)) continue
    accepted = false
    if (run.violations === undefined) break
  }
  return accepted
}

const isUnique: Check = (given, path, run) => {
  if (!Array.isArray(given)) return true
  run.steps.take(countMembers(given))
  const firstAt = new Map<string, number>()
  for (const [index, item] of given.entries()) {
    const text = typeof item === 'object' ? toCanonicalText(item) : `${typeof item} ${item}`
    const before = firstAt.get(text)
    if (before !== undefined)
      return fail(run, path, `must not repeat an item: those at ${before} and ${index} are equal`)
    firstAt.set(text, index)
  }
  return true
}
