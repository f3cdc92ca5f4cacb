import { z } from 'zod'
import { printRepaired } from './text.ts'

/**
 * Names the fields of a request that the route does not have, as in `query.limt, filter.nam`; those of the body have no
 * prefix. They change nothing. Requests are not refused for them: the public clients send fields that this server does not know.
 */
export const IGNORED_HEADER = 'x-touchstone-ignored'

export const printIgnored = printRepaired

/** Names that are found in one request; a header holds few. */
const MAX_NAMES = 20
/** Elements of one list, or entries of one map, that are looked at. */
const MAX_ELEMENTS = 100

/**
 * The fields of a value that its shape does not have, by path. Of a union a field is unknown when no member has it. Values
 * of users (records, loose objects, unknown values) and what a transformation reads have no unknown fields.
 */
export function findIgnoredFields(shape: z.ZodType | undefined, value: unknown): string[] {
  const found = new Set<string>()
  if (shape !== undefined) visit([shape], value, [], found)
  return [...found]
}

function visit(shapes: readonly z.ZodType[], value: unknown, path: readonly string[], found: Set<string>): void {
  if (typeof value !== 'object' || value === null || found.size >= MAX_NAMES) return
  const known = shapes.flatMap(unwrap)
  if (known.some(isOpen)) return
  if (Array.isArray(value)) {
    const elements = known.flatMap((one) => (one instanceof z.ZodArray ? [one.element as z.ZodType] : []))
    if (elements.length === 0) return
    for (const [at, element] of value.slice(0, MAX_ELEMENTS).entries())
      visit(elements, element, [...path, `${at}`], found)
    return
  }
  const objects = known.filter((one) => one instanceof z.ZodObject)
  const values = known.flatMap((one) => (one instanceof z.ZodRecord ? [one.valueType as z.ZodType] : []))
  if (objects.length === 0 && values.length === 0) return
  for (const [name, member] of Object.entries(value).slice(0, MAX_ELEMENTS)) {
    const inner = objects.flatMap(({ shape }) => (Object.hasOwn(shape, name) ? [shape[name] as z.ZodType] : []))
    if (inner.length === 0 && values.length === 0) {
      if (found.size < MAX_NAMES) found.add([...path, name].join('.'))
    } else visit([...inner, ...values], member, [...path, name], found)
  }
}

/** The shapes that a value may have, without wrappers. */
function unwrap(shape: z.ZodType): z.ZodType[] {
  if (
    shape instanceof z.ZodOptional ||
    shape instanceof z.ZodNullable ||
    shape instanceof z.ZodDefault ||
    shape instanceof z.ZodPrefault ||
    shape instanceof z.ZodReadonly ||
    shape instanceof z.ZodCatch ||
    shape instanceof z.ZodNonOptional
  ) {
    return unwrap(shape.def.innerType as z.ZodType)
  }
  if (shape instanceof z.ZodPipe) return unwrap(shape.def.in as z.ZodType)
  if (shape instanceof z.ZodLazy) return unwrap(shape.def.getter() as z.ZodType)
  if (shape instanceof z.ZodUnion) return shape.def.options.flatMap((one) => unwrap(one as z.ZodType))
  if (shape instanceof z.ZodIntersection) {
    return [shape.def.left, shape.def.right].flatMap((one) => unwrap(one as z.ZodType))
  }
  return [shape]
}

/** Whether any member is accepted, so that none is unknown. */
function isOpen(shape: z.ZodType): boolean {
  if (shape instanceof z.ZodObject)
    return shape.def.catchall !== undefined && !(shape.def.catchall instanceof z.ZodNever)
  return (
    shape instanceof z.ZodUnknown ||
    shape instanceof z.ZodAny ||
    shape instanceof z.ZodTransform ||
    shape instanceof z.ZodCustom ||
    shape instanceof z.ZodTuple
  )
}
