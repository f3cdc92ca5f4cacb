import type { z } from 'zod'

/**
 * Where a route answers. `v1`: without prefix and below `/v1`, `/api`, `/api/v1`. `v2`: below `/v2`, `/api/v2`.
 * `platform`: below `/platform`, `/v1/platform`, `/api/platform`, `/api/v1/platform`. `root`: at its own path only.
 */
export type RouteFamily = 'v1' | 'v2' | 'platform' | 'root'

/**
 * Who may call: `key` is the default, for everybody with a key or a sign-in, whatever their role; `write` is for members and
 * admins, `admin` for admins of the workspace alone; `server-admin` is for server administrators alone, whatever their role
 * in the workspace; `public` needs neither and ignores a bad one; `optional` takes a valid one into account and answers a
 * caller without with what is public.
 */
export type Access = 'key' | 'write' | 'admin' | 'server-admin' | 'public' | 'optional'

/**
 * Bytes of a request body after decompression. `configured` stands for the operator's TOUCHSTONE_MAX_BODY_BYTES, which
 * is also an upper bound of every other limit.
 */
export type BodyLimit = number | 'configured'

/** Limits that several routes share. */
export const BODY_LIMITS = {
  /** Sign-in, set-up, invites and passwords. */
  credentials: 16 * 1024,
  /** Routes that anybody may call. */
  public: 64 * 1024,
  /** Queries and edits of small things. */
  editing: 1024 * 1024,
  /** One record with a user's payload: an example, feedback with a correction, a manifest. */
  record: 21 * 1024 * 1024,
} as const

export interface RouteSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below its family's prefix, parameters as `{name}`. */
  readonly path: `/${string}`
  readonly family?: RouteFamily
  readonly access?: Access
  readonly summary: string
  readonly tag: string
  /** Ours, outside the surface that the public clients know. */
  readonly extension?: boolean
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** Media type of the request body. @default application/json */
  readonly bodyType?: 'application/json' | 'multipart/form-data'
  /** Largest request body. @default 64 kB for public and local routes, 1 MB for all others */
  readonly maxBodyBytes?: BodyLimit
  /** Status of success. @default 200 */
  readonly status?: number
  /** Body of success; absent means an empty or free-form body. */
  readonly answer?: z.ZodType
}

/** A route with its defaults filled in; what the server mounts, OpenAPI prints and tests enumerate. */
export type Route<Spec extends RouteSpec = RouteSpec> = Spec & {
  readonly family: RouteFamily
  readonly access: Access
  readonly status: number
  readonly maxBodyBytes: BodyLimit
}

/** Declares a route; the types of its parts follow the schemas given. */
export function route<const Spec extends RouteSpec>(spec: Spec): Route<Spec> {
  const access = spec.access ?? 'key'
  const isOpen = access === 'public'
  return {
    ...spec,
    access,
    family: spec.family ?? 'v1',
    status: spec.status ?? 200,
    maxBodyBytes: spec.maxBodyBytes ?? (isOpen ? BODY_LIMITS.public : BODY_LIMITS.editing),
  }
}

/** The paths at which a route answers, parameters still as `{name}`. */
export function mountedPaths(of: { readonly family: RouteFamily; readonly path: string }): string[] {
  return PREFIXES[of.family].map((prefix) => prefix + of.path)
}

const PREFIXES: Record<RouteFamily, readonly string[]> = {
  v1: ['', '/v1', '/api', '/api/v1'],
  v2: ['/v2', '/api/v2'],
  platform: ['/platform', '/v1/platform', '/api/platform', '/api/v1/platform'],
  root: [''],
}
