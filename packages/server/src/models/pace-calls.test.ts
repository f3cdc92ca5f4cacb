import { MODEL_PROBLEMS, type ModelProblem, type ModelProblemCode } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { callAtPace, Pace, Paces } from './pace-calls.ts'

function problem(code: ModelProblemCode, more: Partial<ModelProblem> = {}): ModelProblem {
  const { retry } = MODEL_PROBLEMS[code]
  const nothing = { provider_message: null, status: null, offending_parameter: null }
  return { code, message: code, retry, retry_after_seconds: 0, ...nothing, ...more }
}

describe('a call at the pace of its provider', () => {
  const { signal } = new AbortController()
  const count = (problems: readonly (ModelProblem | null)[], pace = new Pace()) => {
    const left = [...problems]
    let calls = 0
    const call = async () => {
      calls++
      return { problem: left.shift() ?? null }
    }
    return callAtPace(pace, signal, call).then(({ problem: last }) => ({ calls, last: last?.code }))
  }

  it('is repeated while its problem may pass', async () => {
    const overloaded = problem('provider_failed')
    expect(await count([overloaded, problem('rate_limited'), null])).toEqual({ calls: 3, last: undefined })
    expect(await count(Array(9).fill(overloaded))).toEqual({ calls: 5, last: 'provider_failed' })
  })

  it.each(['forbidden', 'cancelled', 'invalid_request'] as const)('is not repeated for %s', async (code) => {
    expect(await count([problem(code)])).toEqual({ calls: 1, last: code })
  })

  it('ends its waiting when no more calls begin', async () => {
    const halted = new AbortController()
    const call = async () => {
      // Pause: ends the wait of 50 s, whenever it has begun.
      setTimeout(() => halted.abort(), 10)
      return { problem: problem('rate_limited', { retry_after_seconds: 50 }) }
    }
    await expect(callAtPace(new Pace(), halted.signal, call)).rejects.toThrow('abort')
  })

  it('makes all calls of the provider wait after a refusal', async () => {
    const paces = new Paces()
    const pace = paces.get('tenant', 'provider')
    expect(paces.get('tenant', 'provider')).toBe(pace)
    expect(paces.get('other', 'provider')).not.toBe(pace)
    const startedAt = performance.now()
    pace.slowDown(200)
    await pace.wait(signal)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195)
  })
})
