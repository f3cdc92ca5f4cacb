import { ApiError, contract } from '@touchstone/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  OTLP_MEDIA_TYPES,
  type OtlpEncoding,
  type PartialSuccess,
  printExportResponse,
  type RejectedCount,
  toOtlpEncoding,
} from '../../http/otlp-answers.ts'
import { readBody } from '../../http/read-body.ts'
import { type App, type Caller, serveRaw } from '../../http/serve.ts'
import { imageRoutes } from '../media/images-of-openllmetry.ts'
import { langfuseMediaRoutes } from '../media/media-of-langfuse.ts'
import { type ReceiptDeps, recordReceipt } from '../receipts/record-receipts.ts'
import type { openGrpc } from './grpc.ts'
import type { OtlpDeps } from './receive-spans.ts'

type OtlpRouteDeps = OtlpDeps & ReceiptDeps

/** The routes of OpenTelemetry exporters. What reads and converts spans is loaded with the first request. */
export function otlpRoutes(app: App, deps: OtlpRouteDeps): void {
  const { traces, tracesShort, tracesOfLangfuse, logs, metrics } = contract.openTelemetry
  for (const route of [traces, tracesShort, tracesOfLangfuse]) {
    serveRaw(app, route, ({ request, reply, caller }) => answer(deps, caller, request, reply, 'rejectedSpans'))
  }
  serveRaw(app, logs, ({ request, reply, caller }) => answer(deps, caller, request, reply, 'rejectedLogRecords'))
  serveRaw(app, metrics, ({ request, reply }) => answerMetrics(request, reply))
  imageRoutes(app, deps)
  langfuseMediaRoutes(app, deps)
}

/** Opens the gRPC port; its code is loaded only where the port is set. */
export async function listenForGrpc(...args: Parameters<typeof openGrpc>): ReturnType<typeof openGrpc> {
  const grpc = await import('./grpc.ts')
  return grpc.openGrpc(...args)
}

async function answer(
  deps: OtlpRouteDeps,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  counted: 'rejectedSpans' | 'rejectedLogRecords',
): Promise<unknown> {
  const encoding = toOtlpEncoding(request.headers['content-type']) ?? refuseContentType(request)
  const receipt = await recordReceipt(deps, { caller, request }, async (notes) => {
    refuseOtherCompressions(request)
    const body = await readBody(request)
    deps.metrics.ingested(0, body.length)
    const { receiveLogs, receiveSpans } = await import('./receive-spans.ts')
    const receive = counted === 'rejectedSpans' ? receiveSpans : receiveLogs
    return receive(deps, caller, { body, encoding, projectName: readProjectHeader(request), notes })
  })
  return sendResponse(reply, encoding, receipt, counted)
}

/** Exporters of all signals share one endpoint, and report a refusal on every flush: a partial success is quiet. */
async function answerMetrics(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const encoding = toOtlpEncoding(request.headers['content-type']) ?? refuseContentType(request)
  refuseOtherCompressions(request)
  const body = await readBody(request)
  const { countMetrics } = await import('./receive-spans.ts')
  return sendResponse(reply, encoding, await countMetrics(body, encoding), 'rejectedDataPoints')
}

function sendResponse(
  reply: FastifyReply,
  encoding: OtlpEncoding,
  result: PartialSuccess,
  counted: RejectedCount,
): FastifyReply {
  reply.code(200).header('content-type', OTLP_MEDIA_TYPES[encoding]).header('cache-control', 'no-store')
  return reply.send(printExportResponse(encoding, result, counted))
}

function refuseContentType({ headers }: FastifyRequest): never {
  const given = headers['content-type']
  const sentence = given === undefined ? 'No content type was sent' : `The content type ${given} is not supported`
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `${sentence}; send application/x-protobuf or application/json.`)
}

const COMPRESSIONS: ReadonlySet<string> = new Set(['', 'identity', 'gzip', 'x-gzip', 'deflate', 'zstd'])

function refuseOtherCompressions({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? ''
  if (COMPRESSIONS.has(encoding.trim().toLowerCase())) return
  const sentence = `Content-Encoding ${encoding} is not supported; send gzip, deflate, zstd or none.`
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', sentence)
}

function readProjectHeader({ headers }: FastifyRequest): string | undefined {
  const name = headers['langsmith-project']
  return typeof name === 'string' && name.trim() !== '' ? decodeHeader(name.trim()) : undefined
}

/** Node reads headers as Latin-1; names in UTF-8 arrive as their bytes, or percent-encoded where a client sends only ASCII. */
function decodeHeader(text: string): string {
  const decoded = Buffer.from(text, 'latin1').toString('utf8')
  return decoded.includes('\ufffd') ? text : decodePercents(decoded)
}

/** Percent signs of a name that needs no encoding are its own. */
function decodePercents(text: string): string {
  if (!/%[89a-f][\da-f]/i.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
