import { Readable } from 'node:stream'
import {
  type Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { BODY_LIMITS } from '@touchstone/contract'
import type { FastifyInstance } from 'fastify'
import { WireReader } from './decode/wire-reader.ts'
import { type GrpcConnection, GrpcPort } from './grpc-port.ts'

export interface GrpcOptions {
  readonly host: string
  readonly port: number
  /** Bytes of one message; the limit of the HTTP route applies too. */
  readonly maxBytes: number
}

/** gRPC method → path of the same signal over HTTP. */
const METHODS: Readonly<Record<string, string>> = {
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export': '/otel/v1/traces',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export': '/otel/v1/logs',
  '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export': '/otel/v1/metrics',
}

/** Messages of one connection that are received at a time. */
const MAX_STREAMS = 16
/** Time without a call after which a connection is closed; exporters open another with their next call. */
const IDLE_MS = 300_000
/** Age at which a connection gets no more calls, and the time for those under way: a call that its sender never ends. */
const AGE_MS = 3_600_000
const AGE_GRACE_MS = 60_000

/**
 * Accepts the OTLP of gRPC exporters: each call becomes a request to the HTTP route of its signal, so that keys, limits,
 * receipts and answers are the same. Metadata are the headers. The message is read when the route reads its body: after its key
 * was checked.
 *
 * @returns stops it after the running calls
 * @throws Error when the port is taken
 */
export async function openGrpc(
  app: FastifyInstance,
  { host, port: number, maxBytes }: GrpcOptions,
): Promise<() => Promise<void>> {
  const forwarded = new WeakMap<Metadata, ForwardedCall>()
  const reads = new Reads()
  const port = new GrpcPort(app)
  const interceptor: ServerInterceptor = ({ path }, call) => {
    let own: ForwardedCall | undefined
    return new ServerInterceptingCall(call, {
      start: (start) =>
        start({
          onReceiveMetadata(metadata, readMessage) {
            own = forward(app, {
              url: METHODS[path] ?? path,
              call,
              metadata,
              reads,
              connection: port.find(call.getPeer()),
              readMessage: () => readMessage(metadata),
            })
            forwarded.set(metadata, own)
          },
          onReceiveMessage(message, next) {
            own?.receive(message as Buffer)
            next(message)
          },
          onCancel: () => own?.cancel(),
        }),
    })
  }
  const server = new Server({
    'grpc.max_receive_message_length': Math.min(maxBytes, BODY_LIMITS.telemetry),
    'grpc.max_concurrent_streams': MAX_STREAMS,
    'grpc.max_connection_idle_ms': IDLE_MS,
    'grpc.max_connection_age_ms': AGE_MS,
    'grpc.max_connection_age_grace_ms': AGE_GRACE_MS,
    // Statistics of each stream that nothing reads.
    'grpc.enable_channelz': 0,
    interceptors: [interceptor],
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
  const handlers: UntypedServiceImplementation = {
    export: ({ metadata }: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
      forwarded.get(metadata)?.answer.then(
        (bytes) => answer(null, bytes),
        (error) => answer(toFailure(error)),
      )
    },
  }
  for (const path of Object.keys(METHODS)) server.addService({ export: { path, ...serialization } }, handlers)
  await port.listen(server.createConnectionInjector(ServerCredentials.createInsecure()), host, number)
  return async () => {
    port.close()
    // A call that its sender never ends would delay the stop for an hour.
    const timer = setTimeout(() => port.destroy(), STOP_GRACE_MS)
    await new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
    clearTimeout(timer)
  }
}

/** Time that calls have to end when the server stops. */
const STOP_GRACE_MS = 5_000

const CANCELLED = 1
const DEADLINE_EXCEEDED = 4
const INTERNAL = 13
const UNAVAILABLE = 14

class GrpcFailure extends Error {
  constructor(
    readonly code: number,
    readonly details: string,
  ) {
    super(details)
  }
}

const toFailure = (error: unknown) =>
  error instanceof GrpcFailure ? error : new GrpcFailure(INTERNAL, 'The server failed.')

/** Messages that are read at a time, on all connections: each may take 64 MiB, and as much again while it is decompressed. */
const MAX_READS = 4
/** Calls that wait for this; their messages wait at the sender, but for 64 kB each. */
const MAX_WAITING = 256
/** Time that the message of a call may take to arrive. */
const READ_MS = 30_000

/** Limits how many messages are read at a time. */
class Reads {
  private running = 0
  private readonly waiting = new Set<() => void>()

  /** @throws GrpcFailure when too many calls wait */
  start(read: () => void): void {
    if (this.running >= MAX_READS && this.waiting.size >= MAX_WAITING)
      throw new GrpcFailure(UNAVAILABLE, 'Too many messages arrive at the same time; send it again.')
    if (this.running >= MAX_READS) this.waiting.add(read)
    else {
      this.running++
      read()
    }
  }

  /** A call that ended before its turn. */
  leave(read: () => void): void {
    this.waiting.delete(read)
  }

  end(): void {
    const [next] = this.waiting
    if (next === undefined) this.running--
    else {
      this.waiting.delete(next)
      next()
    }
  }
}

interface ForwardedCall {
  /** The body of the answer; fails with a GrpcFailure. */
  readonly answer: Promise<Buffer>
  receive(message: Buffer): void
  /** The sender ended the call. */
  cancel(): void
}

interface IncomingCall {
  /** Path of the HTTP route. */
  readonly url: string
  readonly call: ServerInterceptingCallInterface
  readonly metadata: Metadata
  readonly reads: Reads
  readonly connection: GrpcConnection | undefined
  readonly readMessage: () => void
}

/** Sends a call to its route, whose answer may come before the message is read: then it is sent from here. */
function forward(app: FastifyInstance, given: IncomingCall): ForwardedCall {
  const { url, call, metadata, reads, connection, readMessage } = given
  let state: 'new' | 'waiting' | 'reading' | 'read' | 'ended' = 'new'
  let timer: NodeJS.Timeout | undefined
  const endRead = (next: typeof state) => {
    clearTimeout(timer)
    const before = state
    state = next
    if (before === 'reading') reads.end()
    if (before === 'waiting') reads.leave(read)
  }
  const fail = (error: unknown) => {
    // After its message was read, the handler answers.
    if (state === 'read' || state === 'ended') return
    endRead('ended')
    const { code, details } = toFailure(error)
    call.sendStatus({ code, details, metadata: null })
  }
  const read = () => {
    state = 'reading'
    const seconds = READ_MS / 1000
    timer = setTimeout(
      () => fail(new GrpcFailure(DEADLINE_EXCEEDED, `The message took more than ${seconds} s.`)),
      READ_MS,
    )
    readMessage()
  }
  const payload = new Readable({
    read() {
      if (state !== 'new') return
      state = 'waiting'
      try {
        reads.start(read)
      } catch (error) {
        fail(error)
      }
    },
  })
  connection?.begin()
  const isOver = () => state === 'ended'
  const answer = whenNotReset(isOver, () => inject(app, { url, call, metadata }, payload))
  answer.catch(fail).finally(() => connection?.end())
  return {
    answer,
    receive(message) {
      endRead('read')
      payload.push(message)
      payload.push(null)
    },
    cancel() {
      // Also called after the answer.
      if (state === 'new' || state === 'waiting' || state === 'reading') connection?.noteReset()
      endRead('ended')
      payload.destroy()
    },
  }
}

/** Waits for what arrived together with the call: one that was reset at once costs no request. */
async function whenNotReset<Result>(isOver: () => boolean, work: () => Promise<Result>): Promise<Result> {
  await new Promise((resolve) => setImmediate(resolve))
  if (isOver()) throw new GrpcFailure(CANCELLED, 'The sender ended the call.')
  return work()
}

/** @throws GrpcFailure with the code and message of the answer */
async function inject(
  app: FastifyInstance,
  { url, call, metadata }: Pick<IncomingCall, 'url' | 'call' | 'metadata'>,
  payload: Readable,
): Promise<Buffer> {
  const { statusCode, rawPayload } = await app.inject({
    method: 'POST',
    url,
    headers: { ...readHeaders(metadata), host: call.getHost(), 'content-type': 'application/x-protobuf' },
    payload,
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

function readHeaders(metadata: Metadata): Record<string, string> {
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
