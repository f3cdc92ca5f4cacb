import * as z from 'zod/mini'
import { parseTimeRange } from '../time/time-range.ts'

// Search params never fail: a value that cannot be read falls back to its default.

/** A param that may be absent. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.catch(z.optional(schema), undefined)
}

/** A param with a default. Routes strip defaults from the URL with `stripSearchParams`. */
export function withDefault<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: z.core.util.NoUndefined<z.output<Schema>>,
) {
  return z.catch(z._default(schema, value), value)
}

/** `1` or `true` in the URL, true in the code, absent when off. */
export function flag() {
  return optional(
    z.pipe(
      z.union([z.literal('1'), z.literal('true'), z.literal(true)]),
      z.transform(() => true as const),
    ),
  )
}

/** A time range such as `7d`, `90m` or `from..to`. */
export function timeRange(fallback: string) {
  return withDefault(z.string().check(z.refine((text) => parseTimeRange(text) !== undefined)), fallback)
}

/** The tab of a run panel. The panel ignores names it does not have, for example from links of other products. */
export function tab() {
  return optional(z.string().check(z.regex(/^[a-z]+$/)))
}
