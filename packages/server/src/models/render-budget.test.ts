import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError } from '@touchstone/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RenderBudget, type RenderLimits } from './render-budget.ts'

const { signal } = new AbortController()

/** Lets all that is ready run: a slice that is used up takes a turn of the event loop for each call. */
async function turn(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await nextTurn()
}
const LIMITS: RenderLimits = {
  maxBytes: 1000,
  maxWorkspaceBytes: 600,
  smallBytes: 50,
  maxSmallBytes: 100,
  silentMs: 20_000,
}
const aBudget = (limits: Partial<RenderLimits> = {}) => new RenderBudget({ ...LIMITS, ...limits })

/** A call that is held until it is ended. */
function hold(budget: RenderBudget, workspace: string, bytes: number, given = signal, maxWaitMs?: number) {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const state = { isBegun: false, end, evicted: signal, heard: () => {}, done: Promise.resolve() as Promise<unknown> }
  state.done = budget.hold(
    { workspace, signal: given, ...(maxWaitMs !== undefined && { maxWaitMs }) },
    () => ({ made: bytes, bytes }),
    async (held) => {
      state.isBegun = true
      state.evicted = held.evicted
      state.heard = held.heard
      await ended
    },
  )
  state.done.catch(() => undefined)
  return state
}

const begun = (calls: readonly { readonly isBegun: boolean }[]) => calls.map(({ isBegun }) => isBegun)

describe('the memory of rendered calls', () => {
  it('gives a workspace no more than its share; its further calls wait in their order', async () => {
    const budget = aBudget()
    const calls = [400, 200, 300, 100].map((bytes) => hold(budget, 'a', bytes))
    await turn()
    expect([...begun(calls), budget.used]).toEqual([true, true, false, false, 600])
    calls[0]?.end()
    await calls[0]?.done
    await turn()
    expect([...begun(calls), budget.used]).toEqual([true, true, true, true, 600])
    for (const one of calls) one.end()
    await Promise.all(calls.map(({ done }) => done))
    expect(budget.used).toBe(0)
  })

  it('does not let the calls of a workspace wait for those of another one that has used up its share', async () => {
    const budget = aBudget()
    const full = [600, 500, 500, 500].map((bytes) => hold(budget, 'a', bytes))
    const other = hold(budget, 'b', 300)
    await turn()
    expect([...begun(full), other.isBegun]).toEqual([true, false, false, false, true])
    for (const one of [...full, other]) one.end()
    await Promise.all([...full, other].map(({ done }) => done))
  })

  it('lets waiting workspaces in by turns', async () => {
    const budget = aBudget()
    const first = hold(budget, 'a', 600)
    const second = hold(budget, 'b', 400)
    const ofA = [hold(budget, 'a', 100), hold(budget, 'a', 100)]
    const ofC = [hold(budget, 'c', 400), hold(budget, 'c', 400)]
    await turn()
    expect(begun([first, second, ...ofA, ...ofC])).toEqual([true, true, false, false, false, false])
    second.end()
    await second.done
    await turn()
    expect(begun([...ofA, ...ofC])).toEqual([false, false, true, false])
    first.end()
    await first.done
    await turn()
    expect(begun([...ofA, ...ofC])).toEqual([true, true, true, false])
    ofC[0]?.end()
    await ofC[0]?.done
    await turn()
    expect(begun(ofC)).toEqual([true, true])
    for (const one of [...ofA, ...ofC]) one.end()
    await Promise.all([...ofA, ...ofC].map(({ done }) => done))
    expect(budget.used).toBe(0)
  })

  it('never lets a small call wait for large ones, also of its own workspace, up to a number of small ones', async () => {
    const budget = aBudget()
    const large = [hold(budget, 'a', 600), hold(budget, 'b', 400), hold(budget, 'a', 400)]
    const small = [hold(budget, 'a', 40), hold(budget, 'c', 40), hold(budget, 'a', 40), hold(budget, 'a', 40)]
    await turn()
    expect(begun([...large, ...small])).toEqual([true, true, false, true, true, true, false])
    for (const one of [...large, ...small]) one.end()
    await Promise.all([...large, ...small].map(({ done }) => done))
    expect(budget.used).toBe(0)
  })

  it('admits a call that is larger than the share of its workspace when the workspace has no other', async () => {
    const budget = aBudget()
    const one = hold(budget, 'a', 900)
    await turn()
    expect(one.isBegun).toBe(true)
    one.end()
    await one.done
  })

  it('takes no memory for a problem, and gives it back when rendering fails', async () => {
    const budget = aBudget()
    const first = hold(budget, 'a', 600)
    const use = async ({ made }: { readonly made: unknown }) => made
    expect(await budget.hold({ workspace: 'a', signal }, () => ({ made: 'problem', bytes: 0 }), use)).toBe('problem')
    let renders = 0
    const failing = budget.hold(
      { workspace: 'a', signal },
      () => {
        if (++renders === 2) throw new Error('broken')
        return { made: 1, bytes: 500 }
      },
      use,
    )
    failing.catch(() => undefined)
    first.end()
    await expect(failing).rejects.toThrow('broken')
    expect(budget.used).toBe(0)
  })

  it('lets a call that is cancelled while it waits go, and the next one in', async () => {
    const budget = aBudget()
    const cancelled = new AbortController()
    const first = hold(budget, 'a', 500)
    const waiting = hold(budget, 'a', 500, cancelled.signal)
    const next = hold(budget, 'a', 100)
    await turn()
    cancelled.abort()
    await expect(waiting.done).rejects.toThrow('abort')
    await turn()
    expect([next.isBegun, budget.used]).toEqual([true, 600])
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
      return { made: undefined, bytes: 100 }
    }
    const wait = { workspace: 'a', signal }
    await Promise.all(Array.from({ length: 20 }, () => budget.hold(wait, render, async () => undefined)))
    expect(turns).toBeGreaterThan(3)
  })
})

describe('waiting for the memory of rendered calls', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('ends with 429 and a message', async () => {
    const budget = aBudget()
    const first = hold(budget, 'a', 600)
    const waiting = hold(budget, 'a', 100, signal, 30_000)
    await turn()
    vi.advanceTimersByTime(30_000)
    await expect(waiting.done).rejects.toSatisfy(
      (error) =>
        error instanceof ApiError &&
        error.code === 'RATE_LIMITED' &&
        error.retryAfterSeconds === 5 &&
        /wait for memory for 30 s/.test(error.message),
    )
    first.end()
    await first.done
    expect(budget.used).toBe(0)
  })

  it('ends the calls of silent providers when another workspace waits, the longest silence first', async () => {
    const budget = aBudget()
    const silent = hold(budget, 'a', 600)
    const heard = hold(budget, 'b', 400)
    await turn()
    vi.advanceTimersByTime(15_000)
    heard.heard()
    const waiting = hold(budget, 'c', 300)
    await turn()
    expect(silent.evicted.aborted).toBe(false)
    vi.advanceTimersByTime(5_000)
    expect([silent.evicted.aborted, heard.evicted.aborted, waiting.isBegun]).toEqual([true, false, false])
    expect(String(silent.evicted.reason)).toMatch(/silent for 20 s while another workspace waited/)
    silent.end()
    await silent.done
    await turn()
    expect(waiting.isBegun).toBe(true)
    for (const one of [heard, waiting]) one.end()
    await Promise.all([heard.done, waiting.done])
    expect(budget.used).toBe(0)
  })

  it('does not end the calls of a silent provider for its own workspace', async () => {
    const budget = aBudget()
    const silent = hold(budget, 'a', 600)
    const waiting = hold(budget, 'a', 300)
    await turn()
    vi.advanceTimersByTime(100_000)
    expect([silent.evicted.aborted, waiting.isBegun]).toEqual([false, false])
    silent.end()
    await silent.done
    await turn()
    waiting.end()
    await waiting.done
  })
})
