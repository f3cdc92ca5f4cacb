interface ErrorFacts {
  status?: number | undefined
  code?: string | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** Everything this package throws on purpose. `status` is the HTTP status, when there was an answer. */
export class TouchstoneError extends Error {
  override name = 'TouchstoneError'
  declare readonly status: number | undefined
  /** The server's error code, when the body carries one. */
  declare readonly code: string | undefined
  /** Finds the server's log line. */
  declare readonly requestId: string | undefined

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    // Only what is known becomes a member, so that a printed error shows no empty ones.
    if (facts.status !== undefined) this.status = facts.status
    if (facts.code !== undefined) this.code = facts.code
    if (facts.requestId !== undefined) this.requestId = facts.requestId
  }
}

/** The server answered, and not with a 2xx; or no answer came. */
export class APIError extends TouchstoneError {
  override name = 'APIError'
}
/** The caller gave up. Aborts normally reject with the signal's own reason; this class is for code that builds one. */
export class APIUserAbortError extends APIError {
  override name = 'AbortError'
}
/** No answer: refused, reset, or no such host. The request may or may not have reached the server. */
export class APIConnectionError extends APIError {
  override name = 'APIConnectionError'
}
/** One attempt took longer than `timeout_ms`. Never retried: the server may still be working on it. */
export class APIConnectionTimeoutError extends APIConnectionError {
  override name = 'TimeoutError'
}
export class BadRequestError extends APIError {
  override name = 'BadRequestError'
}
export class AuthenticationError extends APIError {
  override name = 'AuthenticationError'
}
export class PermissionDeniedError extends APIError {
  override name = 'PermissionDeniedError'
}
/** 404, or a lookup by name whose list was empty. The `name` is the one existing code tests for. */
export class NotFoundError extends APIError {
  override name = 'LangSmithNotFoundError'
}
/** 409. The `name` is the one existing code tests for. */
export class ConflictError extends APIError {
  override name = 'LangSmithConflictError'
}
export class UnprocessableEntityError extends APIError {
  override name = 'UnprocessableEntityError'
}
export class RateLimitError extends APIError {
  override name = 'RateLimitError'
}
export class InternalServerError extends APIError {
  override name = 'InternalServerError'
}
/** The account behind the key is out of quota; waiting does not help, so this is never retried. */
export class InsufficientQuotaError extends APIError {
  override name = 'InsufficientQuotaError'
}

/** The name the public package gives its base class. */
export { TouchstoneError as LangsmithError }
