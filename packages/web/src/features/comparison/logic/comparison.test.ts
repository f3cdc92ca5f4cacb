import { describe, expect, it } from 'vitest'
import { someAnswer, someCells } from '../testing/some-cells.ts'
import { countRepetitions, findBaseline, getRunsOfExample, toComparisonCells } from './comparison.ts'
import {
  chooseMeasure,
  computeMeans,
  countOutcomes,
  getDelta,
  getOutcome,
  measureCells,
  parseMeasure,
  printMeasure,
  summarizeMeasure,
} from './comparison-measures.ts'

const correct = { kind: 'score', key: 'correct' } as const

describe('cells of a comparison', () => {
  it('find the runs of an example by repetition, also when runs of examples alternate', () => {
    const answer = someAnswer({ scores: { correct: [[1, 0]] } })
    const runs = answer.experiments[0]!.runs
    for (const [id, example, repetition] of [
      ['c', 0, 1],
      ['d', 1, 1],
    ] as const) {
      runs.id.push(id)
      runs.example.push(example)
      runs.repetition.push(repetition)
    }
    const cells = toComparisonCells(answer)
    const idsOf = (example: number) =>
      Array.from(getRunsOfExample(cells.experiments[0]!, example), (run) => cells.experiments[0]!.runs.id[run])
    expect(idsOf(0)).toEqual(['x0/e0/0', 'c'])
    expect(idsOf(1)).toEqual(['x0/e1/0', 'd'])
    expect(idsOf(2)).toEqual([])
    expect(countRepetitions(cells)).toBe(2)
  })

  it('compare with the named experiment, otherwise with the first', () => {
    const cells = someCells({ scores: { correct: [[1], [1]] } })
    expect([findBaseline(cells, 'x1'), findBaseline(cells, undefined), findBaseline(cells, 'gone')]).toEqual([1, 0, 0])
  })
})

describe('means of examples', () => {
  it('are over repetitions with a score, and NaN without any', () => {
    const cells = someCells({ scores: { correct: [[[1, 0, null], null, 0.25]] } })
    expect([...computeMeans(cells.experiments[0]!, 3, correct)]).toEqual([0.5, Number.NaN, 0.25])
    expect([...computeMeans(cells.experiments[0]!, 3, correct, 1)]).toEqual([0, Number.NaN, Number.NaN])
    expect([...computeMeans(cells.experiments[0]!, 3, { kind: 'score', key: 'other' })]).toEqual(
      Array(3).fill(Number.NaN),
    )
  })

  it('count every score once when a run has several', () => {
    const answer = someAnswer({ scores: { correct: [[[1, 0]]] } })
    answer.experiments[0]!.feedback[0]!.counts = [3, 1]
    expect(computeMeans(toComparisonCells(answer).experiments[0]!, 1, correct)[0]).toBe(0.75)
  })

  it('are of latency, tokens and cost too', () => {
    const cells = someCells({
      scores: { correct: [[[1, 1]]] },
      run: (_x, _e, at) => ({ latency: at * 100, cost: null }),
    })
    const [experiment] = cells.experiments
    expect(computeMeans(experiment!, 1, { kind: 'latency' })[0]).toBe(50)
    expect(computeMeans(experiment!, 1, { kind: 'tokens' })[0]).toBe(30)
    expect(computeMeans(experiment!, 1, { kind: 'cost' })[0]).toBeNaN()
  })
})

describe('outcomes against the baseline', () => {
  const cells = someCells({
    scores: {
      correct: [
        [0, 1, [0.1, 0.2], null, 1],
        [1, 0, [0.2, 0.1], 1, null],
      ],
      cost: [[1], [2]],
    },
    lowerIsBetter: ['cost'],
  })
  const measured = measureCells(cells, { measure: correct, baseline: 0 })

  it('are better, worse, the same, or missing on either side', () => {
    expect([0, 1, 2, 3, 4].map((example) => getOutcome(measured, 1, example))).toEqual([
      'better',
      'worse',
      'same',
      'missing',
      'missing',
    ])
    expect(countOutcomes(measured, 1, [0, 1, 2, 3, 4])).toEqual({ better: 1, worse: 1, same: 1, missing: 2 })
    expect(countOutcomes(measured, 1, [0])).toEqual({ better: 1, worse: 0, same: 0, missing: 0 })
    expect(getDelta(measured, 1, 1)).toBe(-1)
  })

  it('do not exist for the baseline and for one experiment alone', () => {
    expect(getOutcome(measured, 0, 0)).toBeUndefined()
    expect(getDelta(measured, 0, 0)).toBeNaN()
    const one = someCells({ scores: { correct: [[1]] } })
    expect(getOutcome(measureCells(one, { measure: correct, baseline: 0 }), 0, 0)).toBeUndefined()
  })

  it('follow the direction of the key, and the switch of the page', () => {
    const measure = { kind: 'score', key: 'cost' } as const
    expect(getOutcome(measureCells(cells, { measure, baseline: 0 }), 1, 0)).toBe('worse')
    expect(getOutcome(measureCells(cells, { measure, baseline: 0, isFlipped: true }), 1, 0)).toBe('better')
    expect(getOutcome(measureCells(cells, { measure, baseline: 1 }), 0, 0)).toBe('better')
  })

  it('have a mean over all examples and a difference over the pairs', () => {
    expect(summarizeMeasure(measured, 1, [0, 1, 3])).toEqual({ mean: 2 / 3, delta: 0, count: 3, pairs: 2 })
    expect(summarizeMeasure(measured, 1, [])).toEqual({ mean: Number.NaN, delta: Number.NaN, count: 0, pairs: 0 })
  })
})

describe('the measure of the page', () => {
  const cells = someCells({ scores: { a: [[1], [null]], b: [[1], [1]] } })

  it.each([
    [undefined, { kind: 'score', key: 'b' }],
    ['a', { kind: 'score', key: 'a' }],
    ['latency', { kind: 'latency' }],
    ['gone', { kind: 'score', key: 'b' }],
  ] as const)('for %s in the URL is %o', (wanted, expected) => {
    expect(chooseMeasure(cells, wanted)).toEqual(expected)
  })

  it('is latency without any score', () => {
    expect(chooseMeasure(someCells({ scores: { a: [[null]] } }), undefined)).toEqual({ kind: 'latency' })
  })

  it.each(['score:a:b', 'score:', 'latency', 'tokens', 'cost'])('prints and parses %s', (text) => {
    const parsed = parseMeasure(text)
    expect(parsed && printMeasure(parsed)).toBe(text)
  })
})
