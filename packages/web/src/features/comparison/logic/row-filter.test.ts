import { describe, expect, it } from 'vitest'
import { someCells } from '../testing/some-cells.ts'
import { countOutcomes, measureCells } from './comparison-measures.ts'
import { findRegression, listSplits, nextSort, parseSort, printSort, sortRows } from './comparison-rows.ts'
import {
  type CellCondition,
  filterRows,
  isFiltering,
  parseConditions,
  parseShows,
  printConditions,
  printShows,
  type RowFilter,
  toggleShow,
} from './row-filter.ts'

const measure = { kind: 'score', key: 'correct' } as const
// Against x0: x1 is better, worse, the same, missing; x2 is worse, worse, better, the same.
const cells = someCells({
  scores: {
    correct: [
      [0.5, 0.5, 0.5, 0.5],
      [1, 0, 0.5, null],
      [0, 0.2, 1, 0.5],
    ],
    toxicity: [
      [0, 0, 0, 0],
      [0.9, 0, 0, 0],
      [0, 0, 0, 0],
    ],
  },
  splits: [['test'], ['test', 'hard'], ['train'], ['train']],
  run: (experiment, example) => ({
    latency: 100 * (example + 1),
    ...(experiment === 1 && example === 3 && { error: 'RateLimitError: 429' }),
  }),
})
const measured = measureCells(cells, { measure, baseline: 0 })
const filter = (some: Partial<RowFilter>) => filterRows(cells, measured, { shows: [], conditions: [], ...some })
const show = (text: string) => filter({ shows: parseShows(text) })

describe('rows that are shown', () => {
  it.each([
    ['', [0, 1, 2, 3]],
    ['worse.x1', [1]],
    ['better.x1,worse.x1', [0, 1]],
    ['worse.x1,worse.x2', [1]],
    ['worse', [0, 1]],
    ['different', [0, 1, 2]],
    ['same.x1', [2]],
    ['errors', [3]],
    ['errors.x2', []],
    ['missing.x1', [3]],
    ['missing', [3]],
    ['nonsense', [0, 1, 2, 3]],
  ])('for %j are %j', (text, expected) => {
    expect(show(text)).toEqual(expected)
  })

  it.each<[Partial<RowFilter>, number[]]>([
    [{ split: 'test' }, [0, 1]],
    [{ split: 'gone' }, []],
    [{ matching: new Set(['e2', 'other']) }, [2]],
    [{ conditions: [{ of: 'x1', on: 'score:correct', max: 0.5 }] }, [1, 2]],
    [{ conditions: [{ on: 'score:correct', min: 1 }] }, [0, 2]],
    [
      {
        conditions: [
          { of: 'x1', on: 'score:correct', min: 1 },
          { of: 'x1', on: 'score:toxicity', min: 0.5 },
        ],
      },
      [0],
    ],
    [{ conditions: [{ of: 'x2', on: 'delta:score:correct', max: -0.4 }] }, [0]],
    [{ conditions: [{ of: 'x0', on: 'latency', min: 250, max: 350 }] }, [2]],
    [{ conditions: [{ on: 'error', any: ['RateLimitError: 429'] }] }, [3]],
    [{ conditions: [{ on: 'error', any: ['Timeout'] }] }, []],
    [{ conditions: [{ on: 'weather', min: 1 }] }, [0, 1, 2, 3]],
    [{ shows: [{ kind: 'worse' }], split: 'hard' }, [1]],
  ])('for %j are %j', (some, expected) => {
    expect(filter(some)).toEqual(expected)
    expect(isFiltering({ shows: [], conditions: [], ...some })).toBe(true)
  })

  it('are those without a value on either side, as many as the header counts', () => {
    const some = someCells({
      scores: {
        correct: [
          [1, null, null, 1],
          [1, 1, null, null],
        ],
      },
    })
    const ofBoth = measureCells(some, { measure, baseline: 0 })
    const missing = (text: string) => filterRows(some, ofBoth, { shows: parseShows(text), conditions: [] })
    expect(missing('missing.x1')).toEqual([1, 2, 3])
    expect(missing('missing.x1')).toHaveLength(countOutcomes(ofBoth, 1, some.exampleIds.keys()).missing)
    expect(missing('missing.x0')).toEqual([1, 2])
    const [first] = some.experiments
    const alone = { ...some, experiments: first ? [first] : [] }
    const ofOne = measureCells(alone, { measure, baseline: 0 })
    expect(filterRows(alone, ofOne, { shows: parseShows('missing'), conditions: [] })).toEqual([1, 2])
  })

  it('match conditions by the chosen repetition alone', () => {
    const some = someCells({
      scores: {
        correct: [
          [
            [1, 0],
            [0, 1],
          ],
          [
            [1, 1],
            [0, 0],
          ],
        ],
      },
      run: (_, example, repetition) => (example === 0 && repetition === 0 ? { error: 'Timeout' } : {}),
    })
    const rows = (repetition: number | undefined, condition: CellCondition) =>
      filterRows(some, measureCells(some, { measure, baseline: 0, repetition }), {
        shows: [],
        conditions: [condition],
      })
    const isOne = { of: 'x0', on: 'score:correct', min: 1 }
    expect([undefined, 0, 1].map((repetition) => rows(repetition, isOne))).toEqual([[], [0], [1]])
    const isChanged = { of: 'x1', on: 'delta:score:correct', min: 1 }
    expect([undefined, 0, 1].map((repetition) => rows(repetition, isChanged))).toEqual([[], [], [0]])
    const hasError = { of: 'x0', on: 'error', any: ['Timeout'] }
    expect([undefined, 0, 1].map((repetition) => rows(repetition, hasError))).toEqual([[0], [0], []])
  })

  it('include those with a label', () => {
    const labeled = {
      ...cells,
      keys: [{ key: 'tone', isLowerBetter: false, labels: ['kind', 'rude'] }],
      experiments: cells.experiments.map((experiment) => ({
        ...experiment,
        details: new Map([
          ['tone', { counts: undefined, labels: new Int16Array([0, 1, -1, 0]), failed: new Set<number>() }],
        ]),
      })),
    }
    const conditions = [{ on: 'score:tone', any: ['kind'] }]
    expect(filterRows(labeled, measured, { shows: [], conditions })).toEqual([0, 3])
  })
})

describe('filters in the URL', () => {
  it('are printed as they were read', () => {
    expect(printShows(parseShows('worse.x1,errors'))).toBe('worse.x1,errors')
    expect(printShows(toggleShow(parseShows('worse.x1'), { kind: 'worse', experiment: 'x1' }))).toBeUndefined()
    expect(printShows(toggleShow([], { kind: 'errors' }))).toBe('errors')
    const conditions = [{ of: 'x1', on: 'score:a', min: 0.5, below: 0.75, any: ['b'] }]
    expect(parseConditions(printConditions(conditions))).toEqual(conditions)
    expect(printConditions([])).toBeUndefined()
  })

  it.each(['{', '1', '[1, null, {"min": 1}]', undefined])('that cannot be read are skipped: %s', (text) => {
    expect(parseConditions(text)).toEqual([])
  })
})

describe('the order of rows', () => {
  const order = (text: string) => sortRows([0, 1, 2, 3], cells, measured, parseSort(text))

  it.each([
    ['delta.x1', [1, 2, 0, 3]],
    ['-delta.x1', [0, 2, 1, 3]],
    ['value.x2', [0, 1, 3, 2]],
    ['value.gone', [0, 1, 2, 3]],
    ['', [0, 1, 2, 3]],
  ])('by %j is %j', (text, expected) => {
    expect(order(text)).toEqual(expected)
  })

  it('is worst first, then best first, then that of the server', () => {
    const first = nextSort(undefined, 'delta', 'x1', false)
    const second = nextSort(first, 'delta', 'x1', false)
    expect([first, second].map((sort) => sort && printSort(sort))).toEqual(['delta.x1', '-delta.x1'])
    expect(nextSort(second, 'delta', 'x1', false)).toBeUndefined()
    expect(nextSort(undefined, 'value', 'x1', true)).toMatchObject({ isDescending: true })
  })
})

describe('walking through regressions', () => {
  const rows = [3, 2, 1, 0]

  it('goes cell by cell and around', () => {
    const first = findRegression(rows, measured, undefined, 1)
    expect(first).toEqual({ row: 2, experiment: 1 })
    const second = findRegression(rows, measured, first, 1)
    expect(second).toEqual({ row: 2, experiment: 2 })
    expect(findRegression(rows, measured, { row: 3, experiment: 2 }, 1)).toEqual(first)
    expect(findRegression(rows, measured, undefined, -1)).toEqual({ row: 3, experiment: 2 })
    expect(findRegression(rows, measured, first, -1)).toEqual({ row: 3, experiment: 2 })
  })

  it('finds nothing when nothing is worse', () => {
    expect(findRegression([2], measureCells(cells, { measure, baseline: 2 }), undefined, 1)).not.toBeUndefined()
    expect(findRegression([], measured, undefined, 1)).toBeUndefined()
  })
})

it('lists the splits of all examples', () => {
  expect(listSplits(cells)).toEqual(['hard', 'test', 'train'])
})
