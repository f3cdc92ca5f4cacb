import { describe, expect, it } from 'vitest'
import { someCells } from '../testing/some-cells.ts'
import { measureCells } from './comparison-measures.ts'
import {
  computeBins,
  computeMean,
  computeReportedPart,
  computeRunFigures,
  getBinRange,
  hashScores,
  listPairs,
  toDots,
} from './distribution.ts'
import { filterRows } from './row-filter.ts'

const measure = { kind: 'score', key: 'correct' } as const
const measured = (scores: (number | null)[][]) =>
  measureCells(someCells({ scores: { correct: scores } }), { measure, baseline: 0 })
const all = (count: number) => Array.from({ length: count }, (_, at) => at)

describe('the distribution of a metric', () => {
  it('has a bar per value of a few values', () => {
    const bins = computeBins(
      measured([
        [0, 1, 1, null],
        [1, 1, 1, 0.5],
      ]),
      all(4),
    )
    expect(bins).toEqual([
      { low: 0, high: 0, includesHigh: true, counts: [1, 0] },
      { low: 0.5, high: 0.5, includesHigh: true, counts: [0, 1] },
      { low: 1, high: 1, includesHigh: true, counts: [2, 3] },
    ])
  })

  it('has bars of equal width for many values, and counts each example once', () => {
    const scores = Array.from({ length: 100 }, (_, at) => at / 99)
    const bins = computeBins(measured([scores, scores]), all(100))
    expect(bins).toHaveLength(16)
    expect(bins[0]?.low).toBe(0)
    expect(bins.at(-1)?.high).toBe(1)
    expect(bins.reduce((sum, { counts }) => sum + (counts[1] ?? 0), 0)).toBe(100)
  })

  it.each([
    ['few values', [0, 0.5, 0.5, 1]],
    ['values on the limits of bars', Array.from({ length: 161 }, (_, at) => at / 160)],
    ['limits that are rounded', Array.from({ length: 200 }, (_, at) => 0.1 + at * 0.07)],
  ])('has bars that filter to exactly the examples they count: %s', (_, scores) => {
    const cells = someCells({ scores: { correct: [scores] } })
    const ofKey = measureCells(cells, { measure, baseline: 0 })
    const bins = computeBins(ofKey, all(scores.length))
    const found = bins.map((bin) =>
      filterRows(cells, ofKey, { shows: [], conditions: [{ on: 'score:correct', ...getBinRange(bin) }] }),
    )
    expect(found.map((rows) => rows.length)).toEqual(bins.map(({ counts }) => counts[0]))
    expect(found.flat().sort((a, b) => a - b)).toEqual(all(scores.length))
  })

  it('considers the shown examples only', () => {
    expect(
      computeBins(
        measured([
          [0, 1],
          [1, 1],
        ]),
        [1],
      ),
    ).toEqual([{ low: 1, high: 1, includesHigh: true, counts: [1, 1] }])
    expect(computeBins(measured([[null], [null]]), [0])).toEqual([])
  })
})

describe('pairs with the baseline', () => {
  const pairs = listPairs(
    measured([
      [0, 1, 1, null],
      [1, 1, 1, 0.5],
    ]),
    1,
    all(4),
  )

  it('are the examples with a value in both', () => {
    expect(pairs).toEqual([
      { example: 0, x: 0, y: 1 },
      { example: 1, x: 1, y: 1 },
      { example: 2, x: 1, y: 1 },
    ])
  })

  it('at the same position are one dot', () => {
    expect(toDots(pairs)).toEqual([
      { x: 0, y: 1, count: 1 },
      { x: 1, y: 1, count: 2 },
    ])
    expect(toDots([])).toEqual([])
  })
})

describe('figures of the runs', () => {
  it('have the median latency, sums and the number of errors; an unknown cost is not zero', () => {
    const cells = someCells({
      scores: { correct: [[1, 1, 0]] },
      run: (_, example) => ({
        latency: 100 * (example + 1),
        cost: example === 0 ? null : 0.5,
        ...(example === 2 && { error: 'x' }),
      }),
    })
    const [experiment] = cells.experiments
    expect(experiment && computeRunFigures(experiment)).toEqual({
      runCount: 3,
      errorCount: 1,
      latencyP50Ms: 200,
      tokens: 90,
      cost: 1,
      reportedCost: Number.NaN,
      costPerRun: 0.5,
    })
  })
})

describe('the reported part of a cost', () => {
  it('is summed for an experiment, and a mean for an example', () => {
    const cells = someCells({
      scores: { correct: [[[1, 1], 1, 1]] },
      run: (_, example, repetition) => ({
        cost: example === 2 ? null : 0.5,
        reported: example === 0 && repetition === 1 ? 0.5 : null,
      }),
    })
    const [experiment] = cells.experiments
    expect(experiment && computeRunFigures(experiment)).toMatchObject({ cost: 1.5, reportedCost: 0.5 })
    expect([0, 1, 2].map((example) => experiment && computeReportedPart(experiment, example))).toEqual([
      0.25,
      undefined,
      undefined,
    ])
  })
})

describe('the mean of a metric', () => {
  it('has a margin from two examples on', () => {
    expect(computeMean(Float64Array.of(1, 2, 3, Number.NaN), all(4))).toEqual({
      mean: 2,
      count: 3,
      margin: expect.closeTo(2.484, 3),
    })
    expect(computeMean(Float64Array.of(1), [0])).toEqual({ mean: 1, count: 1, margin: undefined })
    expect(computeMean(undefined, [0]).mean).toBeNaN()
  })
})

describe('the revision of the scores', () => {
  const hash = (...scores: (number | null)[]) => hashScores(someCells({ scores: { correct: [scores, [1, 1, 1]] } }))

  it('stays the same for the same scores', () => {
    expect(hash(1, 0, null)).toBe(hash(1, 0, null))
  })

  it.each([
    ['new', [1, 0, 1]],
    ['corrected', [1, 1, null]],
    ['exchanged', [0, 1, null]],
    ['gone', [1, null, null]],
  ])('changes with a score that is %s', (_, scores) => {
    expect(hash(...scores)).not.toBe(hash(1, 0, null))
  })
})
