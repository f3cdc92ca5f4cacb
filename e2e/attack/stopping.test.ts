import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Client } from '@touchstone/sdk'
import { expect, it } from 'vitest'
import { freePort, startServer } from '../support/start-server.ts'
import { connectionStart, openCall } from './support/raw-http2.ts'

/** A provider that gets calls and never responds. */
async function startSilentProvider() {
  let calls = 0
  const provider = createServer((request) => {
    request.resume().on('end', () => {
      calls++
    })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  const close = () => {
    provider.closeAllConnections()
    provider.close()
  }
  return { url, countCalls: () => calls, close }
}

function open(port: number, bytes: string | Buffer) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(bytes)
  return socket
}

it('S2: a server stops in order on SIGTERM while streams, calls, uploads and jobs are under way', async () => {
  const grpcPort = await freePort()
  const server = await startServer({ env: { TOUCHSTONE_OTLP_GRPC_PORT: String(grpcPort) } })
  const provider = await startSilentProvider()
  const client = new Client({ apiUrl: server.url })
  const port = Number(new URL(server.url).port)
  const { id: provider_id } = await client.createModelProvider({
    name: 'Silent',
    kind: 'openai-chat',
    base_url: provider.url,
    key: 'sk-silent-0123456789',
  })
  const { id: dataset_id } = await client.createDataset('rows')
  await client.createExamples([{ dataset_id, inputs: { question: 'why' } }])
  const variant = {
    name: 'silent',
    provider_id,
    model: 'silent',
    template_format: 'f-string' as const,
    messages: [{ role: 'user' as const, content: 'Say something' }],
  }

  await client.createPlaygroundJob({ dataset_id, name: 'under way', variants: [variant] })
  const stream = JSON.stringify({ variants: [variant], inputs: {} })
  const post = (path: string, type: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`
  const sockets = [
    open(port, post('/api/v1/playground/runs', 'application/json', stream.length) + stream),
    open(port, `${post('/api/v1/datasets/upload', 'multipart/form-data; boundary=b', 100_000)}--b\r\n`),
    open(port, `${post('/runs/multipart', 'multipart/form-data; boundary=b', 100_000)}--b\r\n`),
    open(port, 'GET /ok HTTP/1.1\r\nhost: '),
    open(grpcPort, ''),
    open(
      grpcPort,
      Buffer.concat([connectionStart(), openCall(1, '/opentelemetry.proto.collector.trace.v1.TraceService/Export')]),
    ),
  ]
  try {
    // The job and the stream wait for the provider.
    await expect.poll(provider.countCalls, { timeout: 60_000 }).toBe(2)
    process.kill(server.pid, 'SIGTERM')
    // The code of an ordered stop; after 30 s the process would be ended by a signal.
    expect(await server.exited).toBe(0)
    expect(server.output()).not.toContain('did not stop within')
  } finally {
    for (const socket of sockets) socket.destroy()
    provider.close()
    await server.kill()
  }
}, 120_000)
