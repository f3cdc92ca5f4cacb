import { MODEL_PROBLEMS, type ModelProblem, type ModelProblemCode } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { FailureStreaks, JobBudget } from './job-budget.ts'

function problem(code: ModelProblemCode, more: Partial<ModelProblem> = {}): ModelProblem {
  const { retry } = MODEL_PROBLEMS[code]
  const nothing = { provider_message: null, status: null, offending_parameter: null }
  return { code, message: code, retry, retry_after_seconds: 0, ...nothing, ...more }
}

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
