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
  const body = parseBody(reply.text)
  const code = errorCode(body)
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

interface ErrorBody {
  error?: unknown
  code?: unknown
}

function parseBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

function errorCode({ error, code }: ErrorBody): string | undefined {
  const nested = typeof error === 'object' && error !== null ? (error as ErrorBody).code : error
  const found = nested ?? code
  return typeof found === 'string' ? found : undefined
}

function hint(status: number, body: ErrorBody): string {
  if (status !== 403 || body.error !== 'org_scoped_key_requires_workspace') return ''
  return '\nThis key spans several workspaces: set the `workspaceId` option, or LANGSMITH_WORKSPACE_ID (TOUCHSTONE_WORKSPACE_ID).'
}
