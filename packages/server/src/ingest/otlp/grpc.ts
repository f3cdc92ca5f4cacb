import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { BODY_LIMITS } from '@touchstone/contract'
import type { FastifyInstance } from 'fastify'
import { WireReader } from './decode/wire-reader.ts'

export interface GrpcOptions {
  readonly host: string
  readonly port: number
  /** Bytes of one message; the limit of the HTTP route applies too. */
  readonly maxBytes: number
}

/** gRPC method → path of the same signal over HTTP. */
const METHODS = {
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export': '/otel/v1/traces',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export': '/otel/v1/logs',
} as const

/** Messages of one connection that are received at a time. */
const MAX_STREAMS = 16

/**
 * Accepts the OTLP of gRPC exporters: each message becomes a request to the HTTP route of its signal, so that keys, limits,
 * receipts and answers are the same. Metadata are the headers.
 *
 * @returns stops it after the running calls
 * @throws Error when the port is taken
 */
export async function openGrpc(
  app: FastifyInstance,
  { host, port, maxBytes }: GrpcOptions,
): Promise<() => Promise<void>> {
  const server = new Server({
    'grpc.max_receive_message_length': Math.min(maxBytes, BODY_LIMITS.telemetry),
    'grpc.max_concurrent_streams': MAX_STREAMS,
  })
  const pass = (bytes: Buffer) => bytes
  const serialization = {
    requestStream: false,
    responseStream: false,
    requestSerialize: pass,
    requestDeserialize: pass,
    responseSerialize: pass,
    responseDeserialize: pass,
  }
  for (const [path, route] of Object.entries(METHODS)) {
    const handlers: UntypedServiceImplementation = {
      export: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
        void forward(app, route, call).then(
          (bytes) => answer(null, bytes),
          (error) => answer(error instanceof GrpcFailure ? error : { code: INTERNAL, details: 'The server failed.' }),
        )
      },
    }
    server.addService({ export: { path, ...serialization } }, handlers)
  }
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()))
  })
  return () => new Promise((resolve) => server.tryShutdown(() => resolve()))
}

const INTERNAL = 13

class GrpcFailure extends Error {
  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    super(details)
  }
}

/** @throws GrpcFailure with the code and message of the answer */
async function forward(app: FastifyInstance, url: string, call: ServerUnaryCall<Buffer, Buffer>): Promise<Buffer> {
  const { statusCode, rawPayload } = await app.inject({
    method: 'POST',
    url,
    headers: { ...readHeaders(call), host: call.getHost(), 'content-type': 'application/x-protobuf' },
    payload: call.request,
    // A server without keys is open to programs on its own machine only.
    remoteAddress: readAddress(call.getPeer()),
  })
  if (statusCode === 200) return rawPayload
  let code = INTERNAL
  let details = `The server answered ${statusCode}.`
  const status = new WireReader(rawPayload)
  while (status.next()) {
    if (status.tag === 0x08) code = status.int32()
    else if (status.tag === 0x12) details = status.text()
    else status.skip()
  }
  throw new GrpcFailure(code, details)
}

/** Headers of the transport, which do not apply to the message. */
const OF_TRANSPORT = /^(:|grpc-|te$|content-|transfer-encoding$|connection$|host$)/

function readHeaders({ metadata }: ServerUnaryCall<Buffer, Buffer>): Record<string, string> {
  const entries = Object.entries(metadata.getMap()).filter(([name]) => !OF_TRANSPORT.test(name))
  return Object.fromEntries(entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
}

/** `ipv4:127.0.0.1:5000` and `[::1]:5000` without the port. */
function readAddress(peer: string): string {
  return peer
    .replace(/^ipv[46]:/, '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}
