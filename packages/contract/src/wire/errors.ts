/**
 * Every way a request can fail. Domain code throws `ApiError` with a code; only the server's error handler turns a code
 * into a status and a body. Statuses follow the wire contract: a client error is 400 rather than 422, because the
 * clients retry a 422 six times.
 */
export const ERRORS = {
  INVALID_REQUEST: { status: 400, retry: false, message: 'The request does not match the contract.' },
  UNAUTHENTICATED: { status: 401, retry: false, message: 'Invalid token' },
  FORBIDDEN: { status: 403, retry: false, message: 'This key may not do that.' },
  WORKSPACE_REQUIRED: { status: 403, retry: false, message: 'org_scoped_key_requires_workspace' },
  NOT_FOUND: { status: 404, retry: false, message: 'Not found.' },
  METHOD_NOT_ALLOWED: { status: 405, retry: false, message: 'This path does not support the method.' },
  REQUEST_TIMEOUT: { status: 408, retry: true, message: 'The request arrived too slowly.' },
  CONFLICT: { status: 409, retry: false, message: 'It already exists, or it has changed since you read it.' },
  PAYLOAD_TOO_LARGE: { status: 413, retry: false, message: 'The body exceeds the limit.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retry: false, message: 'This content type is not supported.' },
  UNPROCESSABLE: {
    status: 422,
    retry: false,
    message: 'The request is well formed, but refers to something that does not exist or is not allowed.',
  },
  RATE_LIMITED: { status: 429, retry: true, message: 'Too many writes are waiting to be stored. Try again shortly.' },
  SPENDING_LIMIT: { status: 429, retry: false, message: 'A monthly limit of spending is reached.' },
  INTERNAL: { status: 500, retry: true, message: 'Internal error. Find it in the log by the request id.' },
  NOT_IMPLEMENTED: { status: 501, retry: false, message: 'This server does not support that.' },
  UNAVAILABLE: { status: 503, retry: true, message: 'A store is not answering.' },
} as const satisfies Record<string, ErrorSpec>

export interface ErrorSpec {
  /** HTTP status of the answer. */
  readonly status: number
  /** Whether repeating the same request later may succeed; such answers carry `Retry-After`. */
  readonly retry: boolean
  /** The default message. */
  readonly message: string
}

export type ErrorCode = keyof typeof ERRORS

/** One violated rule of a request, as the `detail` list of the v1 API contains it. */
export interface FieldProblem {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

export interface ApiErrorOptions {
  /** Invalid fields; they become the `detail` list. */
  readonly problems?: readonly FieldProblem[]
  /** Seconds after which a retry may succeed. @default 1 for codes that may be retried */
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** A failure that is reported to the caller. Any other error becomes INTERNAL and is logged with its stack. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly problems: readonly FieldProblem[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: ErrorCode,
    message: string = ERRORS[code].message,
    options: ApiErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.problems = options.problems
    this.retryAfterSeconds = options.retryAfterSeconds ?? (ERRORS[code].retry ? 1 : undefined)
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}
