import { expect, it } from 'vitest'
import { someCells } from '../testing/some-cells.ts'
import { describeCondition } from './describe-condition.ts'

const cells = someCells({ scores: { correct: [[1], [0]] } })

it.each([
  [{ on: 'score:correct', min: 0, max: 1 }, 'correct of any experiment from 0 to 1'],
  [{ on: 'score:correct', min: 0, below: 0.5 }, 'correct of any experiment from 0 to below 0.5'],
  [{ of: 'x1', on: 'delta:latency', max: 5 }, 'change of latency in ms of experiment 1 to 5'],
  [{ of: 'gone', on: 'error', any: ['Timeout', '429'] }, 'error of gone is Timeout or 429'],
])('describes the condition %j as "%s"', (condition, expected) => {
  expect(describeCondition(cells, condition)).toBe(expected)
})
