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
  /** One export of OpenTelemetry, which recommends this limit to receivers. */
  telemetry: 64 * 1024 * 1024,
} as const

/**
 * Body of a failure: `{ detail }`, `{ error, details }`, `{ error, detail }`, RFC 7807 problem details, or `google.rpc.Status` in
 * the encoding of the request.
 */
export type ErrorForm = 'classic' | 'ingest' | 'platform' | 'problem' | 'otlp'

/** The part of a route that clients need at run time. */
export interface PlainRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below its family's prefix, parameters as `{name}`. */
  readonly path: `/${string}`
  /** @default v1 */
  readonly family?: RouteFamily
  /** @default key */
  readonly access?: Access
  /** @default platform in the platform family, problem in v2, else classic */
  readonly errors?: ErrorForm
}

/** The routes of one noun, by verb. */
export type PlainRoutes = Readonly<Record<string, PlainRoute>>

/** The part of a route that the server, OpenAPI and the reference need: shapes, limits and summary. */
export interface RouteSpec {
  readonly summary: string
  /** Section of the reference. @default the tag of the noun */
  readonly tag?: string
  /** Not part of the API that the public LangSmith clients call. */
  readonly extension?: boolean
  /** Kept for older clients; the next version removes it. */
  readonly deprecated?: boolean
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** Media type of the request body. @default application/json */
  readonly bodyType?: 'application/json' | 'multipart/form-data' | 'application/x-protobuf'
  /** Whether the key may also be the password, or the name, of Basic authentication. */
  readonly acceptsBasic?: boolean
  /** Largest request body. @default 64 kB for public routes, 1 MB for all others */
  readonly maxBodyBytes?: BodyLimit
  /** Status of success. @default 200 */
  readonly status?: number
  /** Body of success; absent means an empty or free-form body. */
  readonly answer?: z.ZodType
}

/** A route with its defaults filled in. The server mounts it, OpenAPI prints it and tests enumerate it. */
export type Route<Plain extends PlainRoute = PlainRoute, Spec extends RouteSpec = RouteSpec> = Plain &
  Spec & {
    readonly family: FamilyOf<Plain>
    readonly access: Access
    readonly errors: ErrorForm
    readonly tag: string
    readonly status: number
    readonly maxBodyBytes: BodyLimit
  }

/** The family of a route with the default filled in. */
export type FamilyOf<Plain extends PlainRoute> = PlainRoute extends Plain
  ? RouteFamily
  : Plain extends { readonly family: infer Family extends RouteFamily }
    ? Family
    : 'v1'

/**
 * Joins the plain routes of a noun with their shapes. Every route needs a spec, and every spec a route.
 *
 * @param tag  section of the reference
 */
export function describeRoutes<
  Plain extends PlainRoutes,
  const Specs extends { readonly [Verb in keyof Plain]: RouteSpec },
>(plain: Plain, tag: string, specs: Specs & Record<Exclude<keyof Specs, keyof Plain>, never>) {
  const routes = Object.entries(plain).map(([verb, route]) => [
    verb,
    fillDefaults(route, tag, specs[verb] as RouteSpec),
  ])
  return Object.fromEntries(routes) as { readonly [Verb in keyof Plain]: Route<Plain[Verb], Specs[Verb]> }
}

function fillDefaults(route: PlainRoute, tag: string, spec: RouteSpec): Route {
  const { family = 'v1', access = 'key' } = route
  const maxBodyBytes = access === 'public' ? BODY_LIMITS.public : BODY_LIMITS.editing
  return { errors: ERROR_FORMS[family], tag, status: 200, maxBodyBytes, ...route, ...spec, family, access }
}

const ERROR_FORMS: Readonly<Record<RouteFamily, ErrorForm>> = {
  v1: 'classic',
  v2: 'problem',
  platform: 'platform',
  root: 'classic',
}

/** The paths at which a route answers, parameters still as `{name}`. */
export function mountedPaths({ family, path }: { readonly family: RouteFamily; readonly path: string }): string[] {
  return PREFIXES[family].map((prefix) => prefix + path)
}

const PREFIXES: Readonly<Record<RouteFamily, readonly string[]>> = {
  v1: ['', '/v1', '/api', '/api/v1'],
  v2: ['/v2', '/api/v2'],
  platform: ['/platform', '/v1/platform', '/api/platform', '/api/v1/platform'],
  root: [''],
}
