import { describe, expect, it } from 'vitest'
import { CompareSearch } from '#features/experiments/search.ts'
import {
  addExperiment,
  chooseMetric,
  getRevision,
  parseRepetition,
  parseSelected,
  removeExperiment,
  stepRepetition,
} from './compare-state.ts'

const id = (at: number) => `9c2e2d4e-51b0-4b63-9d0c-7a0b1f0c220${at}`
const list = (...ids: number[]) => ids.map(id).join(',')

describe('the experiments of a comparison', () => {
  it('are read without repeats and without what is not an id, six at most', () => {
    expect(parseSelected({ selectedSessions: `${id(1)}, ${id(2)},x,${id(1).toUpperCase()}` })).toEqual({
      ids: [id(1), id(2)],
      omitted: 0,
    })
    expect(parseSelected({ selectedSessions: list(1, 2, 3, 4, 5, 6, 7, 8) })).toMatchObject({ omitted: 2 })
    expect(parseSelected({ selectedSessions: undefined })).toEqual({ ids: [], omitted: 0 })
  })

  it('are removed with the baseline, sort and filters that refer to them', () => {
    const search = CompareSearch.parse({
      selectedSessions: list(1, 2),
      baseline: id(2),
      sort: `-delta.${id(2)}`,
      show: `worse.${id(2)},errors`,
      filter: JSON.stringify([{ of: id(1), on: 'latency', min: 1 }]),
    })
    expect(removeExperiment(search, id(2))).toMatchObject({
      selectedSessions: id(1),
      baseline: undefined,
      sort: undefined,
      show: 'errors',
      filter: search.filter,
    })
  })

  it('are added once', () => {
    const search = CompareSearch.parse({ selectedSessions: list(1) })
    expect(addExperiment(search, id(2))).toEqual({ selectedSessions: list(1, 2) })
    expect(addExperiment(search, id(1))).toEqual({})
    expect(addExperiment(CompareSearch.parse({ selectedSessions: list(1, 2, 3, 4, 5, 6) }), id(7))).toEqual({})
  })
})

it('forgets the switched direction when another metric is chosen', () => {
  expect(chooseMetric('tone')).toStrictEqual({ metric: 'tone', flip: undefined })
})

describe('repetitions', () => {
  it.each([
    ['2', 3, 1],
    ['4', 3, undefined],
    ['0', 3, undefined],
    ['x', 3, undefined],
    [undefined, 3, undefined],
  ])('of %s among %i are %s', (rep, repetitions, expected) => {
    expect(parseRepetition({ rep }, repetitions)).toBe(expected)
  })

  it('are stepped through and around', () => {
    const forward = [undefined, 0, 1, 2].map((current) => stepRepetition(current, 3, 1))
    expect(forward).toEqual(['1', '2', '3', undefined])
    expect(stepRepetition(undefined, 3, -1)).toBe('3')
    expect(stepRepetition(undefined, 1, 1)).toBeUndefined()
  })
})

it('notices new runs and new scores', () => {
  const before = getRevision([{ run_count: 1, feedback_stats: { a: { n: 1 }, b: { n: 2 } } }, {}])
  expect(before).toBe('1/3 0/0')
  expect(getRevision([{ run_count: 1, feedback_stats: { a: { n: 2 }, b: { n: 2 } } }, {}])).not.toBe(before)
})
