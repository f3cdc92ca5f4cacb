import { describe, expect, it } from 'vitest'
import { toComparisonCells } from '../logic/comparison.ts'
import { aComparison } from '../testing/a-comparison.ts'
import { someAnswer } from '../testing/some-cells.ts'
import { getSpread, listCellScores, listRepetitions } from './cell-scores.ts'

const answer = someAnswer({
  scores: {
    correct: [
      [[1, 1, 1], 0],
      [[1, 0, null], 0],
    ],
    tone: [
      [0.5, null],
      [1, null],
    ],
  },
  run: (experiment, example, repetition) => ({
    ...(experiment === 1 && example === 0 && repetition === 2 && { error: 'Timeout' }),
  }),
})
const [, second] = answer.experiments
second!.feedback[1]!.failed = [3]
answer.keys[1]!.labels = ['kind']
second!.feedback[1]!.labels = [0, null, null, null]
const cells = toComparisonCells(answer)

const compare = (repetition?: number) => aComparison(cells, { repetition })

describe('the scores of a cell', () => {
  it('start with the metric of the page and have differences to the baseline', () => {
    expect(listCellScores(compare(), 1, 0)).toEqual([
      { key: 'correct', value: 0.5, label: undefined, delta: -0.5, outcome: 'worse', hasFailed: false },
      { key: 'tone', value: 1, label: 'kind', delta: 0.5, outcome: 'better', hasFailed: false },
    ])
    expect(listCellScores(compare(0), 1, 0)[0]).toMatchObject({ value: 1, outcome: 'same' })
    expect(listCellScores(compare(), 0, 0)[0]).toMatchObject({ delta: Number.NaN, outcome: undefined })
  })

  it('name evaluators that failed and leave out keys without feedback', () => {
    expect(listCellScores(compare(), 1, 1).map(({ key, hasFailed }) => [key, hasFailed])).toEqual([
      ['correct', false],
      ['tone', true],
    ])
    expect(listCellScores(compare(), 0, 1).map(({ key }) => key)).toEqual(['correct'])
  })
})

describe('the repetitions of a cell', () => {
  it('are compared with the mean of the baseline', () => {
    const dots = listRepetitions(compare(), 1, 0)
    expect(dots.map(({ state }) => state)).toEqual(['same', 'worse', 'error'])
    expect(getSpread(dots)).toBe(1)
    expect(getSpread(dots.slice(0, 1))).toBe(0)
    expect(listRepetitions(compare(), 0, 0).map(({ state }) => state)).toEqual(['same', 'same', 'same'])
  })
})
