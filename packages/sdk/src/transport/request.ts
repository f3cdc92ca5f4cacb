import type { PathParams, PlainRoute, RouteBody, RouteQuery } from '@touchstone/contract'
import type { CallOptions } from '../config/client-config.ts'
import type { APIError } from '../errors.ts'
import type { ApiRoute } from '../schemas.ts'
import type { Reply } from './http-error.ts'
import type { RetryRule } from './retry.ts'

export type QueryValue = string | number | boolean | Date | readonly (string | number)[] | null | undefined
export type Query = Readonly<Record<string, QueryValue>>

/** A request of any route. */
export interface Request extends CallOptions {
  /** Values of the `{name}` parts of the path. */
  params?: Readonly<Record<string, string>> | undefined
  query?: Query | undefined
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, with its own headers; instead of `body`. */
  bytes?: Uint8Array<ArrayBuffer> | undefined
  headers?: Record<string, string> | undefined
  /** Completes "Failed to …". @default "fetch PATH" or "delete PATH" */
  doing?: string | undefined
  /** Makes the error of an answer that is not 2xx. @default `toHttpError` */
  toError?: ((doing: string, reply: Reply) => APIError) | undefined
  retry?: RetryRule | undefined
  /** Awaited before each attempt, so that one refusal can hold back its neighbors. */
  beforeAttempt?: (() => Promise<void>) | undefined
  /** Called after each failed attempt with the pause that the server asked for and whether there will be another. */
  onFailure?: ((failure: unknown, next: { pauseMs: number | undefined; isRetried: boolean }) => void) | undefined
}

/** A request that a program sends to any route. */
export type RawRequest = Pick<
  Request,
  'params' | 'query' | 'body' | 'bytes' | 'headers' | 'doing' | 'signal' | 'timeoutMs' | 'maxRetries'
>

/** A request of one route, with the types of the contract. @internal */
export type RequestOf<Route extends PlainRoute> = Omit<Request, 'params' | 'query' | 'body'> & {
  query?: { readonly [Name in keyof RouteQuery<Route>]?: QueryValue } | undefined
  body?: RouteBody<Route> | undefined
} & (PathParams<Route['path']> extends infer Params extends Readonly<Record<string, string>>
    ? { params: Params }
    : { params?: undefined })

/** The whole address of a request. */
export function toUrl(apiUrl: string, route: ApiRoute, { params, query }: Request): string {
  return `${toFamilyUrl(apiUrl, route.family)}${toPath(route, params)}${queryString(query)}`
}

/** The path of a route with its parameters filled in. */
export function toPath({ path }: ApiRoute, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** The API's address may or may not end with `/v1`. */
function toFamilyUrl(apiUrl: string, family: ApiRoute['family'] = 'v1'): string {
  if (family === 'v1') return apiUrl
  if (family === 'root') return new URL(apiUrl).origin
  return apiUrl.replace(/(\/v1)?$/, family === 'v2' ? '/v2' : '/v1/platform')
}

/** `?a=1&id=x&id=y`, or nothing at all: absent values are left out, arrays repeat their key. */
function queryString(query: Query = {}): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    for (const item of [value ?? []].flat()) params.append(key, item instanceof Date ? item.toISOString() : `${item}`)
  }
  const text = `${params}`
  return text && `?${text}`
}

/** What a request does, as it reads after "Failed to". */
export function describeRequest(route: ApiRoute, { doing, params }: Request): string {
  return doing ?? `${route.method === 'DELETE' ? 'delete' : 'fetch'} ${toPath(route, params)}`
}
