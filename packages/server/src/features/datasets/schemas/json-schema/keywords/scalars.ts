import { isRecord } from '../../../../../json/guards.ts'
import { appendPointer, type Check, fail, isEqual, schemaError, toCanonicalText } from '../check.ts'
import type { Keyword } from './index.ts'
import { printShort, toCount, toList, toNumber } from './values.ts'

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  object: isRecord,
  array: Array.isArray,
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  string: (value) => typeof value === 'string',
}

/** Holds for numbers that `holds` accepts, and for everything else. */
function onNumbers(name: string, holds: (value: number, limit: number) => boolean, says: string): Keyword {
  return {
    compile(value, place) {
      const limit = toNumber(value, name, place)
      return (given, path, run) =>
        typeof given !== 'number' || holds(given, limit) || fail(run, path, `must be ${says} ${limit}`)
    },
  }
}

function onLength(name: string, holds: (length: number, limit: number) => boolean, says: string): Keyword {
  return {
    compile(value, place) {
      const limit = toCount(value, name, place)
      return (given, path, run) => {
        if (typeof given !== 'string') return true
        run.steps.take(given.length >> 4)
        return holds(countCharacters(given), limit) || fail(run, path, `must have ${says} ${limit} characters`)
      }
    },
  }
}

export const SCALARS: Readonly<Record<string, Keyword>> = {
  type: {
    compile(value, place) {
      const names = [value].flat()
      for (const name of names) {
        if (typeof name !== 'string' || !Object.hasOwn(TYPES, name)) {
          throw schemaError(
            appendPointer(place.pointer, 'type'),
            `${printShort(name)} is not among ${Object.keys(TYPES).join(', ')}`,
          )
        }
      }
      if (names.length === 0) throw schemaError(appendPointer(place.pointer, 'type'), 'it must name at least one type')
      const tests = names.map((name) => TYPES[name as string]!)
      const says = `must be ${names.join(' or ')}`
      return (given, path, run) => tests.some((test) => test(given)) || fail(run, path, says)
    },
  },
  const: {
    compile: (value): Check => {
      const says = `must be ${printShort(value)}`
      return (given, path, run) => isEqual(given, value) || fail(run, path, says)
    },
  },
  enum: {
    compile(value, place) {
      const list = toList(value, 'enum', place)
      const scalars = new Set(list)
      const texts = new Set(list.filter((item) => typeof item === 'object').map(toCanonicalText))
      const says = `must be one of ${printShort(list)}`
      return (given, path, run) => {
        if (scalars.has(given)) return true
        if (typeof given !== 'object' || texts.size === 0) return fail(run, path, says)
        run.steps.take(countMembers(given!))
        return texts.has(toCanonicalText(given)) || fail(run, path, says)
      }
    },
  },
  minimum: onNumbers('minimum', (value, limit) => value >= limit, 'at least'),
  maximum: onNumbers('maximum', (value, limit) => value <= limit, 'at most'),
  exclusiveMinimum: onNumbers('exclusiveMinimum', (value, limit) => value > limit, 'more than'),
  exclusiveMaximum: onNumbers('exclusiveMaximum', (value, limit) => value < limit, 'less than'),
  multipleOf: {
    compile(value, place) {
      const unit = toNumber(value, 'multipleOf', place)
      if (unit <= 0) throw schemaError(appendPointer(place.pointer, 'multipleOf'), 'it must be more than 0')
      return (given, path, run) =>
        typeof given !== 'number' || isMultiple(given, unit) || fail(run, path, `must be a multiple of ${unit}`)
    },
  },
  minLength: onLength('minLength', (length, limit) => length >= limit, 'at least'),
  maxLength: onLength('maxLength', (length, limit) => length <= limit, 'at most'),
  pattern: {
    compile(value, place) {
      const matches = place.patterns.compile(value, appendPointer(place.pointer, 'pattern'))
      return (given, path, run) =>
        typeof given !== 'string' || matches(given, run.steps) || fail(run, path, `must match ${value}`)
    },
  },
}

/** In characters as people count them: a character outside the basic plane is one. */
function countCharacters(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if (text.codePointAt(at)! > 0xffff) {
      length--
      at++
    }
  }
  return length
}

function isMultiple(value: number, unit: number): boolean {
  const times = value / unit
  if (!Number.isFinite(times)) return value % unit === 0
  // 0.0075 is 75 times 0.0001, though not in floats.
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * 1e-14
}

/** Scalars inside a value, roughly: what comparing it costs. */
export function countMembers(value: object): number {
  let size = 0
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    size++
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner)
  }
  return size
}
