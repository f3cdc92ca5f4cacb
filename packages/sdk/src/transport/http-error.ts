import {
  APIError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InsufficientQuotaError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  UnprocessableEntityError,
} from '../errors.ts'
import { isObject, parseRecord } from '../guards.ts'

export interface Reply {
  status: number
  statusText: string
  headers: Headers
  text: string
}

/**
 * The error for an answer that is not 2xx: `Failed to CONTEXT. Received status [S]: STATUSTEXT. Message: BODY`.
 *
 * @param doing what was being tried, as it reads after "Failed to"
 */
export function toHttpError(doing: string, reply: Reply): APIError {
  const body = parseRecord(reply.text)
  const code = typeof body.error === 'string' ? body.error : (readCode(body.error) ?? readCode(body))
  const message = `Failed to ${doing}. Received status [${reply.status}]: ${reply.statusText}. Message: ${reply.text}${hint(reply.status, body)}`
  const facts = { status: reply.status, code, requestId: reply.headers.get('x-request-id') ?? undefined }
  if (code === 'insufficient_quota') return new InsufficientQuotaError(message, facts)
  const Class = CLASSES[reply.status] ?? (reply.status >= 500 ? InternalServerError : APIError)
  return new Class(message, facts)
}

const CLASSES: Record<number, typeof APIError> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableEntityError,
  429: RateLimitError,
}

/** The `code` of an error or of the body of an answer, when it is a text. */
export function readCode(value: unknown): string | undefined {
  return isObject(value) && typeof value.code === 'string' ? value.code : undefined
}

function hint(status: number, body: Record<string, unknown>): string {
  if (status !== 403 || body.error !== 'org_scoped_key_requires_workspace') return ''
  return '\nSet `workspaceId` or LANGSMITH_WORKSPACE_ID: this key has several workspaces.'
}
