import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { aRunHead, readRunText, send } from '../support/raw-ingest.ts'
import { freePort, type StartedServer, type StartOptions, startServer } from '../support/start-server.ts'
import { connectionStart, openCall, resetCall } from './support/raw-http2.ts'

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'

const sockets: Socket[] = []
let server: StartedServer | undefined
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server?.stop()
})

async function start(options: StartOptions = {}) {
  const ports = { grpc: await freePort(), live: await freePort() }
  server = await startServer({
    ...options,
    env: {
      TOUCHSTONE_OTLP_GRPC_PORT: String(ports.grpc),
      TOUCHSTONE_LIVE_PORT: String(ports.live),
      ...options.env,
    },
  })
  return { server, ports: { ...ports, http: Number(new URL(server.url).port) } }
}

/** A connection that sends nothing but `bytes`. */
async function open(port: number, bytes?: Buffer) {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  const state = { socket, isClosed: false, received: 0 }
  socket.on('data', (chunk) => {
    state.received += chunk.length
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    state.isClosed = true
  })
  await new Promise<void>((resolve) => {
    socket.once('connect', () => resolve())
    socket.once('close', () => resolve())
  })
  if (bytes !== undefined) socket.write(bytes)
  return state
}

const openMany = async (count: number, port: number, bytes?: Buffer) => {
  const opened: Awaited<ReturnType<typeof open>>[] = []
  for (let at = 0; at < count; at++) opened.push(await open(port, bytes))
  return opened
}

async function storeAndRead({ url }: StartedServer) {
  const head = aRunHead()
  const stored = await send(`${url}/runs`, { method: 'POST', body: JSON.stringify(head) })
  return [stored.status, (await readRunText(url, head.id)).status]
}

describe.runIf(process.platform === 'linux')('S3: 1,100 idle connections with 1,024 open files', () => {
  it('to any port leave all ports reachable', async () => {
    const { server, ports } = await start({ under: ['prlimit', '--nofile=1024:1024'] })
    const floods: readonly [string, number, Buffer?][] = [
      ['gRPC', ports.grpc],
      ['gRPC with a preface', ports.grpc, connectionStart()],
      ['HTTP', ports.http],
      ['live', ports.live],
    ]
    for (const [kind, port, bytes] of floods) {
      const opened = await openMany(1_100, port, bytes)
      expect(await storeAndRead(server), kind).toEqual([202, 200])
      expect((await send(`http://127.0.0.1:${ports.live}/live`)).status, kind).toBe(200)
      // The longest idle ones were closed.
      await expect.poll(() => opened.filter(({ isClosed }) => isClosed).length, { message: kind }).toBeGreaterThan(500)
    }
    expect(server.output()).not.toContain('EMFILE')
    expect(server.output()).toContain('512 connections are open')
  }, 120_000)
})

describe('S3: connections over the limit', () => {
  it('take the place of the one that was idle for longest, and not of one that is used', async () => {
    const { server, ports } = await start({ env: { TOUCHSTONE_MAX_CONNECTIONS: '5' } })
    const body = JSON.stringify(aRunHead())
    const head = `POST /runs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    const used = await open(ports.http, Buffer.from(head))
    const idle = await openMany(20, ports.grpc)
    await expect.poll(() => idle.filter(({ isClosed }) => isClosed).length).toBeGreaterThanOrEqual(15)
    expect((await send(`${server.url}/ok`)).status).toBe(200)

    expect(used.isClosed).toBe(false)
    used.socket.write(body)
    await expect.poll(() => used.received).toBeGreaterThan(0)
  })
})

describe('S3: connections to the gRPC port', () => {
  it('without a preface, without a call, and with resets only are closed', async () => {
    const { server, ports } = await start()
    const silent = await open(ports.grpc)
    const other = await open(ports.grpc, Buffer.from('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'))
    const withoutCall = await open(ports.grpc, connectionStart())

    const calls = Array.from({ length: 20_000 }, (_, at) => [openCall(2 * at + 1, EXPORT), resetCall(2 * at + 1)])
    const flood = Buffer.concat([connectionStart(), ...calls.flat()])
    const floods = await openMany(5, ports.grpc, flood)
    expect((await send(`${server.url}/ok`)).status).toBe(200)
    await expect.poll(() => floods.every(({ isClosed }) => isClosed)).toBe(true)
    // A call whose reset came with it did not become a request: at most the last one of a chunk did.
    const { text } = await send(`${server.url}/metrics`)
    const answered = [...text.matchAll(/^.*_count\{[^}]*v1\/traces[^}]*\} (\d+)$/gm)].map(([, count]) => Number(count))
    expect(answered.reduce((sum, count) => sum + count, 0)).toBeLessThan(50)
    expect(server.output()).toMatch(/it reset 101 calls within/)

    expect(other.isClosed).toBe(true)
    await expect.poll(() => silent.isClosed, { timeout: 20_000 }).toBe(true)
    expect(withoutCall.isClosed).toBe(false)
    await expect.poll(() => withoutCall.isClosed, { timeout: 70_000 }).toBe(true)
  }, 120_000)
})
