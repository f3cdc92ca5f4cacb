import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { RenderBudget } from './render-budget.ts'
import type { RenderedCall } from './render-call.ts'

const aCall = (bytes: number): RenderedCall => ({
  call: { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(bytes - 'rolecontentuser'.length - 24) }] },
})
const { signal } = new AbortController()

/** A call that is held until it is ended. */
function hold(budget: RenderBudget, bytes: number, given = signal) {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const state = { isBegun: false, end, done: Promise.resolve() as Promise<unknown> }
  state.done = budget.hold(
    given,
    () => aCall(bytes),
    async (rendered) => {
      state.isBegun = true
      await ended
      return rendered
    },
  )
  return state
}

describe('the memory of rendered calls', () => {
  it('holds no more than its bytes; further calls wait in their order', async () => {
    const budget = new RenderBudget({ maxBytes: 1000, maxCallBytes: 600 })
    const [first, second, third, small] = [500, 400, 300, 100].map((bytes) => hold(budget, bytes))
    await turn()
    expect([first, second, third, small].map((one) => one?.isBegun)).toEqual([true, true, false, false])
    expect(budget.used).toBe(900)
    second?.end()
    await second?.done
    await turn()
    expect([third?.isBegun, small?.isBegun, budget.used]).toEqual([true, true, 900])
    for (const one of [first, third, small]) one?.end()
    await Promise.all([first, third, small].map((one) => one?.done))
    expect(budget.used).toBe(0)
  })

  it('refuses a call that is too large with its size, and renders the others', async () => {
    const budget = new RenderBudget({ maxBytes: 1000, maxCallBytes: 600 })
    const refused = await budget.hold(
      signal,
      () => aCall(601),
      async (rendered) => rendered,
    )
    expect(refused).toMatchObject({ problem: { code: 'too_large', message: expect.stringMatching(/601 bytes.*600/) } })
    const failed = budget.hold(
      signal,
      () => {
        throw new Error('broken')
      },
      async () => undefined,
    )
    await expect(failed).rejects.toThrow('broken')
    expect(
      'call' in
        (await budget.hold(
          signal,
          () => aCall(600),
          async (rendered) => rendered,
        )),
    ).toBe(true)
    expect(budget.used).toBe(0)
  })

  it('lets a call that is cancelled while it waits go, and the next one in', async () => {
    const budget = new RenderBudget({ maxBytes: 1000, maxCallBytes: 1000 })
    const cancelled = new AbortController()
    const first = hold(budget, 900)
    const waiting = hold(budget, 500, cancelled.signal)
    const next = hold(budget, 100)
    await turn()
    cancelled.abort()
    await expect(waiting.done).rejects.toThrow('abort')
    await turn()
    expect([next.isBegun, budget.used]).toEqual([true, 1000])
    first.end()
    next.end()
    await Promise.all([first.done, next.done])
    expect(budget.used).toBe(0)
  })

  it('leaves the event loop free while many calls are rendered', async () => {
    const budget = new RenderBudget()
    let turns = 0
    const count = () => {
      turns++
      if (turns < 1000) setImmediate(count)
    }
    setImmediate(count)
    const render = () => {
      const endsAt = performance.now() + 4
      while (performance.now() < endsAt);
      return aCall(100)
    }
    await Promise.all(Array.from({ length: 20 }, () => budget.hold(signal, render, async () => undefined)))
    expect(turns).toBeGreaterThan(3)
  })
})
