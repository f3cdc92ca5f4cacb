import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { EventStream, openSender } from './stream-runs.ts'

const EVENT = { type: 'text', text: 'x', variant: 0, repeat: 0 } as const
const NEVER = new AbortController().signal
/** Longer than the test. */
const LONG_MS = 600_000

/** A stream that is full after one event. */
const aStream = () => new EventStream({ highWaterMark: 1 })

describe('the events of a run whose client reads nothing', () => {
  it('wait until the client reads again', async () => {
    const stream = aStream()
    const sent = openSender(stream, NEVER, LONG_MS)(EVENT)
    stream.resume()
    await sent
    expect(stream.destroyed).toBe(false)
  })

  it('end the stream after a time, and no call waits for it any longer', async () => {
    const stream = aStream()
    const send = openSender(stream, NEVER, 20)
    await Promise.all([send(EVENT), send(EVENT)])
    expect(stream.destroyed).toBe(true)
    await send(EVENT)
  })

  it('keep the stream of a client that reads slowly', async () => {
    const stream = aStream()
    const send = openSender(stream, NEVER, 1_000)
    let isSent = false
    const sent = Promise.all(Array.from({ length: 20 }, () => send(EVENT))).then(() => {
      isSent = true
    })
    // Together they take longer than a client may read nothing.
    const startedAt = performance.now()
    while (!isSent) {
      await sleep(100)
      stream.read()
    }
    expect(performance.now() - startedAt).toBeGreaterThan(1_000)
    await sent
    expect(stream.destroyed).toBe(false)
  })

  it('hold no call whose memory is needed elsewhere', async () => {
    const stream = aStream()
    const send = openSender(stream, NEVER, LONG_MS)
    const evicted = new AbortController()
    const sent = send(EVENT, evicted.signal)
    evicted.abort()
    await sent
    await send(EVENT, evicted.signal)
    expect(stream.destroyed).toBe(false)
    stream.destroy()
  })

  it('end with the connection', async () => {
    const stream = aStream()
    const gone = new AbortController()
    const sent = openSender(stream, gone.signal, LONG_MS)(EVENT)
    gone.abort()
    await sent
  })
})
