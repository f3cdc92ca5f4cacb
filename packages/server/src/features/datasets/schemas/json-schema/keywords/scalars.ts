import { isRecord } from '@touchstone/formats/guards'
import { appendPointer, type Check, fail, isEqual, schemaError, toCanonicalText } from '../check.ts'
import { type Keyword, printShort, toCount, toList, toNumber } from './keyword.ts'

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  object: isRecord,
  array: Array.isArray,
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  string: (value) => typeof value === 'string',
}

/** Checks numbers; accepts other values. */
function onNumbers(name: string, holds: (value: number, limit: number) => boolean, message: string): Keyword {
  return {
    compile(value, context) {
      const limit = toNumber(value, name, context)
      return (given, path, run) =>
        typeof given !== 'number' || holds(given, limit) || fail(run, path, `must be ${message} ${limit}`)
    },
  }
}

function onLength(name: string, holds: (length: number, limit: number) => boolean, message: string): Keyword {
  return {
    compile(value, context) {
      const limit = toCount(value, name, context)
      return (given, path, run) => {
        if (typeof given !== 'string') return true
        run.steps.take(given.length >> 4)
        return holds(countCharacters(given), limit) || fail(run, path, `must have ${message} ${limit} characters`)
      }
    },
  }
}

export const SCALARS: Readonly<Record<string, Keyword>> = {
  type: {
    compile(value, context) {
      const names = [value].flat()
      const tests = names.map((name) => {
        const test = typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
        if (test !== undefined) return test
        throw schemaError(
          appendPointer(context.pointer, 'type'),
          `${printShort(name)} is not among ${Object.keys(TYPES).join(', ')}`,
        )
      })
      if (names.length === 0)
        throw schemaError(appendPointer(context.pointer, 'type'), 'it must name at least one type')
      const message = `must be ${names.join(' or ')}`
      return (given, path, run) => tests.some((test) => test(given)) || fail(run, path, message)
    },
  },
  const: {
    compile: (value): Check => {
      const message = `must be ${printShort(value)}`
      return (given, path, run) => isEqual(given, value) || fail(run, path, message)
    },
  },
  enum: {
    compile(value, context) {
      const list = toList(value, 'enum', context)
      const scalars = new Set(list)
      const texts = new Set(list.filter((item) => typeof item === 'object').map(toCanonicalText))
      const message = `must be one of ${printShort(list)}`
      return (given, path, run) => {
        if (scalars.has(given)) return true
        if (typeof given !== 'object' || given === null || texts.size === 0) return fail(run, path, message)
        run.steps.take(countMembers(given))
        return texts.has(toCanonicalText(given)) || fail(run, path, message)
      }
    },
  },
  minimum: onNumbers('minimum', (value, limit) => value >= limit, 'at least'),
  maximum: onNumbers('maximum', (value, limit) => value <= limit, 'at most'),
  exclusiveMinimum: onNumbers('exclusiveMinimum', (value, limit) => value > limit, 'more than'),
  exclusiveMaximum: onNumbers('exclusiveMaximum', (value, limit) => value < limit, 'less than'),
  multipleOf: {
    compile(value, context) {
      const unit = toNumber(value, 'multipleOf', context)
      if (unit <= 0) throw schemaError(appendPointer(context.pointer, 'multipleOf'), 'it must be more than 0')
      return (given, path, run) =>
        typeof given !== 'number' || isMultiple(given, unit) || fail(run, path, `must be a multiple of ${unit}`)
    },
  },
  minLength: onLength('minLength', (length, limit) => length >= limit, 'at least'),
  maxLength: onLength('maxLength', (length, limit) => length <= limit, 'at most'),
  pattern: {
    compile(value, context) {
      const matches = context.patterns.compile(value, appendPointer(context.pointer, 'pattern'))
      return (given, path, run) =>
        typeof given !== 'string' || matches(given, run.steps) || fail(run, path, `must match ${value}`)
    },
  },
}

/** Counts a character outside the basic plane as one. */
function countCharacters(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) {
      length--
      at++
    }
  }
  return length
}

function isMultiple(value: number, unit: number): boolean {
  const times = value / unit
  if (!Number.isFinite(times)) return value % unit === 0
  // 0.0075 is 75 times 0.0001, but not in floats.
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * 1e-14
}

/** Approximate number of scalars in a value: the cost of comparing it. */
export function countMembers(value: object): number {
  let size = 0
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    size++
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner)
  }
  return size
}
