import type { ModelUsage } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { getCostPrefix, printModelUsage, sortModels, toModelFilter } from './model-usage.ts'

function usage(
  model: string | null,
  total_tokens: number,
  total_cost: string | null,
  unpriced_run_count = 0,
): ModelUsage {
  const figures = {
    run_count: 2,
    prompt_tokens: total_tokens - 1,
    completion_tokens: 1,
    total_tokens,
    total_cost,
    reported_cost: null,
    unpriced_fees: null,
  }
  const project = { session_id: 'p', session_name: 'bot, the first', ...figures, unpriced_run_count }
  return { model, provider: 'openai', ...figures, unpriced_run_count, projects: [project] }
}

const models = [usage('small', 30, '0.10'), usage('Large', 10, '2.5'), usage(null, 20, null, 2)]
const names = (sort: string) => sortModels(models, sort).map(({ model }) => model)

describe('the usage of models', () => {
  it.each([
    ['-cost', ['Large', 'small', null]],
    ['cost', ['small', 'Large', null]],
    ['-tokens', ['small', null, 'Large']],
    ['name', ['Large', null, 'small']],
  ])('is sorted by %s, unknown costs last', (sort, expected) => {
    expect(names(sort)).toEqual(expected)
  })

  it('marks a cost that is incomplete or unknown', () => {
    expect(models.map(getCostPrefix)).toEqual(['', '', ''])
    expect(getCostPrefix(usage('x', 1, '2', 1))).toBe('≥ ')
    expect(getCostPrefix({ ...usage('x', 1, '2', 1), unpriced_fees: 1 })).toBe('')
  })

  it('leads to the runs of a model', () => {
    expect([toModelFilter({ model: 'a "b"' }), toModelFilter({ model: null })]).toEqual([
      'eq(model, "a \\"b\\"")',
      'eq(model, null)',
    ])
  })

  it('is printed with a line per project', () => {
    expect(printModelUsage(models.slice(1)).slice(1)).toEqual([
      'Large,openai,"bot, the first",2,9,1,10,2.5,,0,0\n',
      ',openai,"bot, the first",2,19,1,20,,,2,0\n',
    ])
  })
})
