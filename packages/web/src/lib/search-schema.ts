import * as z from 'zod/mini'
import { parseTimeRange } from './time/time-range.ts'

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

/**
 * Parses search params as plain text: `?t=24h&errors=1`. The router's own JSON format quotes text that looks like a number
 * and turns numeric ids into numbers; here the schema of a route gives values their types.
 */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** `true` prints as 1; `undefined`, `null`, `false` and the empty string are left out. */
export function printSearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null || value === false || value === '') continue
    params.set(name, value === true ? '1' : Array.isArray(value) ? value.join(',') : String(value))
  }
  const printed = params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return printed === '' ? '' : `?${printed}`
}

/** Returns the path to open after sign-in. URLs of other sites are replaced by `/`, to prevent open redirects. */
export function toOwnPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/'
}
