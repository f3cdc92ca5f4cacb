import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aRunHead, readRunText, send } from '../support/raw-ingest.ts'
import { type StartedServer, startServer } from '../support/start-server.ts'

let server: StartedServer
beforeAll(async () => {
  server = await startServer({
    env: {
      TOUCHSTONE_BODY_GRACE_MS: '1500',
      TOUCHSTONE_MIN_BODY_RATE: '2000',
      TOUCHSTONE_HEADERS_TIMEOUT_MS: '1500',
    },
  })
})
const sockets: Socket[] = []
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await server?.stop()
})

/** A connection that was sent a text; `received` is all that came back. */
function open(text: string) {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  sockets.push(socket)
  const state = { received: '', closed: false }
  socket.on('data', (chunk) => {
    state.received += chunk.toString()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    state.closed = true
  })
  socket.write(text)
  return { socket, state }
}

const head = (path: string, bytes: number) =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`

describe('B10: slow clients', () => {
  it.each(['/auth/login', '/runs/batch', '/sessions'])(
    'with a byte now and then at %s get 408 and are dropped',
    async (path) => {
      const slow = Array.from({ length: 20 }, () => open(`${head(path, 1000)}{`))
      const drip = setInterval(() => {
        for (const { socket } of slow) if (socket.writable) socket.write(' ')
      }, 200)

      await expect.poll(() => slow.every(({ state }) => state.closed)).toBe(true)
      clearInterval(drip)

      for (const { state } of slow) expect(state.received).toMatch(/^HTTP\/1\.1 408 [\s\S]*arrives too slowly/)
    },
  )

  it('are dropped although their request was refused before its body', async () => {
    const { state } = open(`${head('/public/nothing/here', 1000)}{`)
    await expect.poll(() => state.closed).toBe(true)
    expect(state.received).toContain('HTTP/1.1 404')
  })

  it('that never end their headers are dropped', async () => {
    const { state } = open('GET /ok HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ')
    await expect.poll(() => state.closed).toBe(true)
  })

  it('that keep the minimum rate are served however long they take', async () => {
    const run = aRunHead({ inputs: { text: 'x'.repeat(24_000) } })
    const body = JSON.stringify(run)
    const { socket, state } = open(head('/runs', body.length))
    for (let at = 0; at < body.length; at += 1200) {
      socket.write(body.slice(at, at + 1200))
      // Pause: twice the grace period in all, at four times the rate.
      await new Promise((resolve) => setTimeout(resolve, 150))
    }

    await expect.poll(() => state.received).toMatch(/^HTTP\/1\.1 202/)
    expect((await readRunText(server.url, run.id)).status).toBe(200)
  })

  it('leave the server answering', async () => {
    expect((await send(`${server.url}/ok`)).status).toBe(200)
  })
})

describe('a request that names two hosts', () => {
  it('is refused', async () => {
    const { state } = open('GET /ok HTTP/1.1\r\nhost: 127.0.0.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n')
    await expect.poll(() => state.closed).toBe(true)
    expect(state.received).toMatch(/^HTTP\/1\.1 400 [\s\S]*more than one Host header/)
  })
})
