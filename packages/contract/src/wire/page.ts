import { z } from 'zod'

/** Booleans in a query string: `true`, `True`, `1`, `false`, `False`, `0`. */
export const QueryFlag = z
  .union([z.boolean(), z.string(), z.number()])
  .transform((value, context) => {
    const word = String(value).toLowerCase()
    if (word === 'true' || word === '1') return true
    if (word === 'false' || word === '0' || word === '') return false
    context.addIssue({ code: 'custom', message: 'value could not be parsed to a boolean' })
    return z.NEVER
  })
  .meta({ type: 'boolean' })

/** Most ids in a body. */
export const MAX_LISTED = 10_000

/** A list of ids in a body, or one id. A list longer than `MAX_LISTED` is refused without reading its ids. */
export function idList<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value: readonly z.input<Item>[] | z.input<Item> | null | undefined, context) => {
    if (!Array.isArray(value)) return typeof value === 'string' ? [value] : value
    if (value.length <= MAX_LISTED) return value
    context.addIssue({ code: 'custom', message: tooMany(value.length, MAX_LISTED) })
    return z.NEVER
  }, z.array(item).nullish())
}

/** Texts in a body, such as names of fields. */
export function shortList<Item extends z.ZodType>(item: Item, most: number) {
  return z.array(item).max(most, { error: ({ input }) => tooMany((input as unknown[]).length, most) })
}

const tooMany = (found: number, most: number) => `found ${found} items, at most ${most} are allowed`

/** Repeated keys of a query string (`id=a&id=b`), one key, or `id=a,b`. */
export function queryList<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value: readonly z.input<Item>[] | z.input<Item> | undefined) =>
      value === undefined ? undefined : [value].flat().flatMap((entry) => String(entry).split(',')),
    z.array(item).optional(),
  )
}

/** Repeated keys of a query string whose values may contain commas. */
export function queryTexts<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value: readonly z.input<Item>[] | z.input<Item> | undefined) => (value === undefined ? undefined : [value].flat()),
    z.array(item).optional(),
  )
}

/** An integer limited to a range. Clients pass the totals of their users, so a value above the range is no error. */
export function clamped(minimum: number, maximum: number, otherwise: number) {
  return z.coerce
    .number<number>()
    .catch(otherwise)
    .transform((value) => Math.min(Math.max(Math.trunc(value), minimum), maximum))
    .default(otherwise)
    .meta({ type: 'integer', minimum, maximum, default: otherwise })
}

/** `offset` and `limit` of lists that answer a top-level array. Pages have at most 100 items. */
export const offsetPage = { offset: clamped(0, Number.MAX_SAFE_INTEGER, 0), limit: clamped(0, 100, 100) }

/**
 * `offset` and `limit` (1 to 100) of datasets, their versions and their examples. Values out of range are refused: a
 * client that asked for 250 rows and got 100 would take the page for the last one.
 */
export const strictPage = { offset: whole(0, Number.MAX_SAFE_INTEGER, 0), limit: whole(1, 100, 100) }

/** The same for the prompt hub, with 20 items by default. */
export const hubPage = { offset: whole(0, Number.MAX_SAFE_INTEGER, 0), limit: whole(1, 100, 20) }

/** The same for short items, with 50 by default. */
export const historyPage = { offset: whole(0, Number.MAX_SAFE_INTEGER, 0), limit: whole(1, 100, 50) }

function whole(minimum: number, maximum: number, otherwise: number) {
  return z.coerce.number<number>().pipe(z.int().min(minimum).max(maximum)).default(otherwise)
}
