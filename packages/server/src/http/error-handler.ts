import { ApiError, ERRORS, type ErrorForm, FilterError } from '@touchstone/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  findLostStore,
  isFullDisk,
  isLostConnection,
  isReadOnlyDisk,
  isReadOnlyStore,
} from '../storage/unavailable-store.ts'
import { OTLP_MEDIA_TYPES, printStatus, RPC_CODES, toOtlpEncoding } from './otlp-answers.ts'

/**
 * Converts errors of handlers into answers in the form of their route. Only this file and the error table use statuses.
 */
export function handleErrors(fastify: FastifyInstance): void {
  fastify.setErrorHandler((error: Error, request, reply) => sendError(request, reply, error))
}

/** Answers requests that Fastify refuses before any hook runs, such as a path that cannot be decoded. */
export function sendFrameworkError(thrown: Error, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
  sendError(request, reply, thrown)
}

export function sendError(request: FastifyRequest, reply: FastifyReply, thrown: Error): FastifyReply {
  const error = toApiError(thrown)
  if (error.status >= 500) request.log.error({ err: thrown, code: error.code }, 'request failed')
  else request.log.debug({ code: error.code, message: error.message }, 'request refused')
  if (error.retryAfterSeconds !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfterSeconds)))
  // Generated clients retry 409 and every status from 500, unless a header tells them not to.
  const isFinal = error.status === 409 || error.status === 501 || error.code === 'SPENDING_LIMIT'
  if (isFinal) reply.header('x-should-retry', 'false')
  const form = findErrorForm(request)
  if (form === 'otlp') return sendRpcStatus(request, reply, error)
  // A streamed answer that fails before its first byte leaves the headers of its encoding.
  reply.removeHeader('content-encoding')
  reply.code(error.status).header('content-type', form === 'problem' ? 'application/problem+json' : 'application/json')
  return reply.send(JSON.stringify({ ...toErrorBody(error, form, request), request_id: request.id }))
}

/** A google.rpc.Status in the encoding of the request. */
function sendRpcStatus(request: FastifyRequest, reply: FastifyReply, error: ApiError): FastifyReply {
  const encoding = toOtlpEncoding(request.headers['content-type']) ?? 'json'
  reply.removeHeader('content-encoding')
  reply.code(error.status).header('content-type', OTLP_MEDIA_TYPES[encoding])
  return reply.send(printStatus(encoding, RPC_CODES[error.code], error.message))
}

function toErrorBody(error: ApiError, form: ErrorForm, request: FastifyRequest): Record<string, unknown> {
  if (error.code === 'WORKSPACE_REQUIRED') return { error: ERRORS.WORKSPACE_REQUIRED.message }
  if (form === 'ingest') {
    return { error: error.message, ...(error.problems && { details: JSON.stringify(error.problems) }) }
  }
  if (error.code === 'SPENDING_LIMIT') {
    // The code by which OpenAI tells a used-up budget from a rate: clients do not repeat the request.
    return { detail: error.message, error: { code: 'insufficient_quota', message: error.message } }
  }
  if (form === 'classic') return { detail: error.problems ?? error.message }
  if (form === 'platform') return { error: error.message, detail: error.problems ?? error.message }
  return {
    type: 'about:blank',
    title: toTitle(error),
    status: error.status,
    detail: error.problems?.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') ?? error.message,
    instance: request.url.split('?')[0],
  }
}

/** The error form of the matched route; a path without a route answers in the form of its prefix. */
function findErrorForm(request: FastifyRequest): ErrorForm {
  const route = request.routeOptions?.config?.route
  if (route) return route.errors
  return /^\/(api\/)?v2(\/|$)/.test(request.url) ? 'problem' : 'classic'
}

/** `NOT_FOUND` as a title: `Not Found`. */
function toTitle(error: ApiError): string {
  if (error.code === 'INVALID_REQUEST') return 'Bad Request'
  return error.code
    .toLowerCase()
    .replaceAll(/(^|_)(\w)/g, (_, gap: string, letter: string) => (gap ? ' ' : '') + letter.toUpperCase())
}

function toApiError(thrown: Error): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof FilterError) return new ApiError('INVALID_REQUEST', thrown.message, { cause: thrown })
  // Fastify refuses invalid HTTP requests, such as a path that it cannot decode or contradicting headers.
  const status = (thrown as Partial<FastifyError>).statusCode
  if (status === 413) return new ApiError('PAYLOAD_TOO_LARGE', thrown.message, { cause: thrown })
  if (status !== undefined && status < 500) return new ApiError('INVALID_REQUEST', thrown.message, { cause: thrown })
  const failure = STORE_FAILURES.find(({ isReportedBy }) => isReportedBy(thrown))
  if (failure)
    return new ApiError('UNAVAILABLE', failure.explain(thrown), { cause: thrown, retryAfterSeconds: failure.seconds })
  return new ApiError('INTERNAL', undefined, { cause: thrown })
}

/** A state of a store that passes. */
interface PassingState {
  /** Whether an error or one of its causes reports it. */
  readonly isReportedBy: (error: Error) => boolean
  readonly explain: (error: Error) => string
  /** After which a client may try again. */
  readonly seconds: number
}

const STORE_FAILURES: readonly PassingState[] = [
  {
    isReportedBy: isFullDisk,
    explain: () => 'The disk of the server is full. Nothing of this request was stored; free space and send it again.',
    seconds: 10,
  },
  {
    isReportedBy: isReadOnlyDisk,
    explain: () =>
      'The disk of the server is read-only. Nothing of this request was stored; mount it for writing and send it again.',
    seconds: 10,
  },
  {
    isReportedBy: isReadOnlyStore,
    explain: () =>
      'The database of the server is read-only: its disk is, or PostgreSQL is a standby. Nothing of this request was stored; make it writable and send it again.',
    seconds: 10,
  },
  {
    isReportedBy: isLostConnection,
    explain: (error) =>
      `The connection to ${findLostStore(error) ?? 'a store'} was lost during this request. Send it again; a change may have been stored already.`,
    seconds: 1,
  },
]
