import { parseTimeRange } from './time/time-range.ts'

// Search params never fail: a value that cannot be read falls back to its default. A library for schemas would be a
// seventh of the code that every first page loads.

/** Reads one kind of value. Returns undefined for a value of another kind. */
export type Kind<Value> = (raw: unknown) => Value | undefined

interface OptionalParam<Value> {
  readonly read: Kind<Value>
  readonly isOptional: true
}

interface DefaultParam<Value> {
  readonly read: Kind<Value>
  readonly isOptional: false
  readonly fallback: Value
}

type Param<Value> = OptionalParam<Value> | DefaultParam<Value>
type Params = Readonly<Record<string, Param<unknown>>>
type ValueOf<One> = One extends Param<infer Value> ? Value : never
type Flat<Of> = { [Name in keyof Of]: Of[Name] }

type Given<Of extends Params> = { [Name in keyof Of]?: ValueOf<Of[Name]> | undefined }
type Read<Of extends Params> = Flat<
  {
    [Name in keyof Of as Of[Name] extends DefaultParam<unknown> ? Name : never]: ValueOf<Of[Name]>
  } & {
    [Name in keyof Of as Of[Name] extends DefaultParam<unknown> ? never : Name]?: ValueOf<Of[Name]> | undefined
  }
>

/** The search params of a page, as the router takes them in `validateSearch`. */
export class SearchSchema<Of extends Params> {
  /** For the types of links only. */
  declare readonly types: { input: Given<Of>; output: Read<Of> }
  readonly params: Of

  constructor(params: Of) {
    this.params = params
  }

  /** Reads params from the URL or from a saved view. Unknown params are left out. */
  parse(input: unknown): Read<Of> {
    const given: Readonly<Record<string, unknown>> = typeof input === 'object' ? { ...input } : {}
    const read: Record<string, unknown> = {}
    for (const [name, param] of Object.entries(this.params)) {
      const value = param.read(given[name]) ?? (param.isOptional ? undefined : param.fallback)
      if (value !== undefined) read[name] = value
    }
    return read as Read<Of>
  }

  extend<More extends Params>(more: More): SearchSchema<Of & More> {
    return new SearchSchema({ ...this.params, ...more })
  }
}

/** The params as a page gets them. */
export type SearchOf<Schema extends { readonly types: { output: unknown } }> = Schema['types']['output']

export function searchSchema<Of extends Params>(params: Of): SearchSchema<Of> {
  return new SearchSchema(params)
}

/** @param pattern  that the text must match */
export function text(pattern?: RegExp): Kind<string> {
  return (raw) => (typeof raw === 'string' && (pattern?.test(raw) ?? true) ? raw : undefined)
}

export function oneOf<const Value extends string>(values: readonly Value[]): Kind<Value> {
  return (raw) => values.find((value) => value === raw)
}

export function guid(): Kind<string> {
  return text(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i)
}

/** A param that may be absent. */
export function optional<Value>(read: Kind<Value>): OptionalParam<Value> {
  return { read, isOptional: true }
}

/** A param with a default. Routes strip defaults from the URL with `stripSearchParams`. */
export function withDefault<Value>(read: Kind<Value>, fallback: NoInfer<Value>): DefaultParam<Value> {
  return { read, isOptional: false, fallback }
}

/** `1` or `true` in the URL, true in the code, absent when off. */
export function flag(): OptionalParam<true> {
  return optional((raw) => (raw === '1' || raw === 'true' || raw === true ? true : undefined))
}

/** A time range such as `7d`, `90m` or `from..to`. */
export function timeRange(fallback: string): DefaultParam<string> {
  return withDefault(
    (raw) => (typeof raw === 'string' && parseTimeRange(raw) !== undefined ? raw : undefined),
    fallback,
  )
}

/** The tab of a run panel. The panel ignores names it does not have, for example from links of other products. */
export function tab(): OptionalParam<string> {
  return optional(text(/^[a-z]+$/))
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
