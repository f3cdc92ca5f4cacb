interface ErrorFacts {
  status?: number | undefined
  code?: string | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** Base class of all errors thrown by this package. `status` is the HTTP status of the response, if any. */
export class TouchstoneError extends Error {
  override name = 'TouchstoneError'
  declare readonly status: number | undefined
  /** The server's error code, if the body contains one. */
  declare readonly code: string | undefined
  /** Identifies the request in the server's log. */
  declare readonly requestId: string | undefined

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    // Undefined fields are not assigned, so that a printed error shows no empty members.
    if (facts.status !== undefined) this.status = facts.status
    if (facts.code !== undefined) this.code = facts.code
    if (facts.requestId !== undefined) this.requestId = facts.requestId
  }
}

/** The server answered with a status other than 2xx, or did not answer. */
export class APIError extends TouchstoneError {
  override name = 'APIError'
}
/**
 * The caller aborted the request. Aborts normally reject with the signal's own reason; this class is for code that
 * creates such errors.
 */
export class APIUserAbortError extends APIError {
  override name = 'AbortError'
}
/** No response: connection refused, reset, or unknown host. The request may or may not have reached the server. */
export class APIConnectionError extends APIError {
  override name = 'APIConnectionError'
}
/** One attempt took longer than `timeout_ms`. Never retried: the server may still be processing it. */
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
/** 404, or an empty result of a lookup by name. The `name` is the one that existing code checks. */
export class NotFoundError extends APIError {
  override name = 'LangSmithNotFoundError'
}
/** 409. The `name` is the one that existing code checks. */
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
/** The account of the key has exhausted its quota. Never retried, because waiting does not help. */
export class InsufficientQuotaError extends APIError {
  override name = 'InsufficientQuotaError'
}

/** The public package's name for its base class. */
export { TouchstoneError as LangsmithError }
