import { ApiError, MODEL_PROBLEMS, type ModelProblem, type ModelProblemCode, uuid7 } from '@touchstone/contract'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { callAtPace, Pace, Paces } from '../../models/pace-calls.ts'
import { playgroundCalls } from '../../storage/relational/tables/playground.ts'
import { openEmptyPglite } from '../../testing/pglite-template.ts'
import { FailureStreaks, JobBudget } from './job-budget.ts'
import { type KeptAnswer, keepCall, recordCall, recordRun } from './record-call.ts'

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

describe('the money of a job', () => {
  it('counts calls under way with the highest cost so far', () => {
    const budget = new JobBudget(1, 2)
    expect(budget.isAffordable(0)).toBe(true)
    budget.begin(0)
    expect(budget.isAffordable(0)).toBe(false) // its cost is not known yet
    expect(budget.isAffordable(1)).toBe(false) // nor that of this one
    budget.end(0)
    budget.add(0, undefined) // a failure without tokens
    budget.begin(0)
    expect(budget.isAffordable(1)).toBe(false)
    budget.end(0)
    budget.add(0, 0.4)
    budget.begin(0)
    expect([budget.isAffordable(0), budget.isAffordable(1)]).toEqual([true, false])
    budget.begin(0)
    expect(budget.isAffordable(0)).toBe(false) // 0.4 spent, 0.8 under way
    expect(budget.findLimit()).toBeUndefined()
    budget.addSpent(0.6)
    expect(budget.findLimit()).toMatchObject({ state: 'STOPPED' })
  })

  it('counts judges with the highest cost so far', () => {
    const budget = new JobBudget(1, 1, true)
    budget.begin(0)
    budget.add(0, 0.1)
    expect(budget.isAffordable(0)).toBe(false) // the cost of its judges is not known yet
    budget.addJudged(0, 0.3)
    expect(budget.isAffordable(0)).toBe(true)
    budget.begin(0)
    expect(budget.isAffordable(0)).toBe(false) // 0.4 spent, 0.8 under way
    budget.addSpent(0.6)
    expect(budget.findLimit()).toMatchObject({ state: 'STOPPED' })
  })

  it('is not raised by negative costs, of calls, judges and earlier turns', () => {
    const budget = new JobBudget(1, 1, true)
    budget.addSpent(1)
    budget.add(0, -5)
    budget.addJudged(0, -5)
    budget.addSpent(-5)
    budget.add(0, Number.NaN)
    expect(budget.findLimit()).toMatchObject({ state: 'STOPPED' })
  })

  it('has no limit unless one is given', () => {
    const budget = new JobBudget(null, 1)
    budget.begin(0)
    budget.add(0, 1e6)
    expect([budget.isAffordable(0), budget.findLimit()]).toEqual([true, undefined])
  })
})

describe('the recording of a call', () => {
  const call = {
    job_id: uuid7(),
    tenant_id: uuid7(),
    number: 0,
    variant: 0,
    run_id: uuid7(),
    cost: null,
    problem: null,
  }
  const recordWith = async (fail: (call: number) => void) => {
    const relational = await openEmptyPglite()
    // The call has no job.
    await relational.runScript('set session_replication_role = replica')
    try {
      let calls = 0
      const recordRuns = async () => {
        fail(++calls)
        return {}
      }
      const evaluators = {
        findRuns: () => Promise.reject(),
        readRuns: () => Promise.reject(),
        find: () => Promise.reject(),
        estimate: () => Promise.reject(),
        evaluate: () => Promise.reject(),
      }
      const deps = { relational, log: pino({ level: 'silent' }), recordRuns, evaluators }
      const { signal } = new AbortController()
      const kept = await keepCall(deps, call, { run: { id: call.run_id } }, signal)
      const isRefused = await recordCall(deps, kept!, {
        record: (answer) =>
          recordRun(deps, kept!, answer as KeptAnswer, { evaluators: [], signal, waitsForLimit: true }),
        signal,
        firstWaitMs: 1,
      })
        .then((recorded) => recorded.isRefused)
        .catch((error: Error) => error.message)
      const rows = await relational.db.select().from(playgroundCalls)
      return { calls, isRefused, error: rows[0]?.evaluator_error, isKept: rows[0]?.answer !== null }
    } finally {
      await relational.close()
    }
  }
  const error = expect.stringContaining('could not be recorded')

  it('is given up when it fails again and again, and kept while a store does not answer', async () => {
    const broken = await recordWith(() => {
      throw new Error('broken')
    })
    expect(broken).toEqual({ calls: 5, isRefused: false, error, isKept: false })
    const refused = await recordWith(() => {
      throw new ApiError('INVALID_REQUEST', 'No\0.')
    })
    expect(refused).toEqual({ calls: 1, isRefused: true, error, isKept: false })
    const once = await recordWith((count) => {
      if (count === 1) throw new Error('broken')
    })
    expect(once).toEqual({ calls: 2, isRefused: false, error: null, isKept: false })
    const away = await recordWith(() => {
      throw new ApiError('UNAVAILABLE')
    })
    expect(away).toMatchObject({ calls: 1, isKept: true })
  })
})

describe('failures in a row', () => {
  it('end a job when five of a lane are equal', () => {
    const streaks = new FailureStreaks()
    const forbidden = problem('forbidden')
    const ends = [...Array(4).fill(forbidden), null, ...Array(4).fill(forbidden), problem('dns'), forbidden]
    expect(ends.map((one) => streaks.count('a', one))).toEqual(ends.map(() => undefined))
    for (let n = 0; n < 3; n++) expect(streaks.count('a', forbidden)).toBeUndefined()
    expect(streaks.count('a', forbidden)).toMatchObject({
      state: 'ERROR',
      reason: expect.stringMatching(/^a failed 5 times/),
    })
  })
})
