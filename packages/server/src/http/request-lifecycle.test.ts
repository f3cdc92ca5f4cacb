import fastify from 'fastify'
import { describe, expect, it, vi } from 'vitest'
import { limitConnections } from './request-lifecycle.ts'

describe('a request without a connection, as one that came over gRPC', () => {
  it('has none that is closed after its answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const app = fastify()
      const bodyPace = { graceMs: 10_000, minBytesPerSecond: 1 }
      limitConnections(app, { bodyPace, headersTimeoutMs: 1_000 })
      app.post('/', async () => 'ok')
      const { body } = await app.inject({ method: 'POST', url: '/', payload: { a: 1 } })
      expect(body).toBe('ok')
      expect(() => vi.advanceTimersByTime(20_000)).not.toThrow()
    } finally {
      vi.useRealTimers()
    }
  })
})
