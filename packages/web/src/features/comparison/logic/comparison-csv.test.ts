import { describe, expect, it } from 'vitest'
import { someCells } from '../testing/some-cells.ts'
import { buildCsvHeader, buildCsvRows, listCsvColumns, listKeptColumns } from './comparison-csv.ts'

const cells = someCells({
  scores: {
    correct: [
      [[1, 0], null],
      [[0.5], 1],
    ],
  },
  run: (experiment, example, repetition) => ({
    cost: 0.002,
    ...(repetition === 1 && { reported: 0.002 }),
    ...(experiment === 1 && example === 1 && { isAbsent: true }),
  }),
})
const texts = {
  inputs: { question: 'why?' },
  outputs: { answer: 'because' },
  runs: new Map([
    ['x0/e0/0', { outputs: { answer: 'so' }, error: null }],
    ['x0/e0/1', { outputs: null, error: 'Timeout' }],
    ['x1/e0/0', { outputs: { a: 1, b: [2] } }],
  ]),
}

describe('a comparison as CSV', () => {
  it('has a line per example and repetition, and the columns of each experiment', () => {
    expect(buildCsvHeader(cells).slice(0, 9)).toEqual([
      'example_id',
      'splits',
      'input',
      'reference',
      'repetition',
      'experiment 0: output',
      'experiment 0: error',
      'experiment 0: correct',
      'experiment 0: latency_ms',
    ])
    const rows = buildCsvRows(cells, 0, texts, { repetition: undefined })
    expect(rows).toEqual([
      [
        'e0',
        'base',
        'why?',
        'because',
        '1',
        'so',
        '',
        '1',
        '100',
        '30',
        '0.002',
        '',
        'x0/e0/0',
        '{"a":1,"b":[2]}',
        '',
        '0.5',
        '100',
        '30',
        '0.002',
        '',
        'x1/e0/0',
      ],
      [
        'e0',
        'base',
        'why?',
        'because',
        '2',
        '',
        'Timeout',
        '0',
        '100',
        '30',
        '0.002',
        '0.002',
        'x0/e0/1',
        ...Array(8).fill(''),
      ],
    ])
    expect(rows.every((row) => row.length === buildCsvHeader(cells).length)).toBe(true)
    expect(buildCsvRows(cells, 0, texts, { repetition: 1 })).toEqual([rows[1]])
  })

  it('has a line for an example without texts and without a run', () => {
    const [row] = buildCsvRows(cells, 1, undefined, { repetition: undefined })
    expect(row).toEqual([
      'e1',
      'base',
      '',
      '',
      '1',
      '',
      '',
      '',
      '100',
      '30',
      '0.002',
      '',
      'x0/e1/0',
      ...Array(8).fill(''),
    ])
  })

  it('keeps the chosen columns, the same ones for every experiment', () => {
    const hidden = new Set([
      'splits',
      'reference',
      'repetition',
      'error',
      'score correct',
      'latency_ms',
      'tokens',
      'reported_cost_usd',
      'run_id',
    ])
    const kept = listKeptColumns(cells, hidden)
    const choose = (line: readonly string[]) => line.filter((_, at) => kept[at])
    expect(choose(buildCsvHeader(cells))).toEqual([
      'example_id',
      'input',
      'experiment 0: output',
      'experiment 0: cost_usd',
      'experiment 1: output',
      'experiment 1: cost_usd',
    ])
    const [row] = buildCsvRows(cells, 0, texts, { repetition: 0 })
    expect(choose(row!)).toEqual(['e0', 'why?', 'so', '0.002', '{"a":1,"b":[2]}', '0.002'])
    expect(
      listCsvColumns(cells)
        .ofExperiment.filter(({ isText }) => isText)
        .map(({ id }) => id),
    ).toEqual(['output', 'error'])
  })

  it('has the label of feedback without a score', () => {
    const labeled = {
      ...cells,
      keys: cells.keys.map((key) => ({ ...key, labels: ['wrong', 'right'] })),
      experiments: cells.experiments.map((experiment) => ({
        ...experiment,
        details: new Map([
          ['correct', { counts: undefined, labels: new Int16Array([1, 0, 1]), failed: new Set<number>() }],
        ]),
      })),
    }
    const column = buildCsvHeader(labeled).indexOf('experiment 0: correct')
    const read = (example: number) =>
      buildCsvRows(labeled, example, undefined, { repetition: undefined }).map((row) => row[column])
    expect(read(0)).toEqual(['1', '0'])
    expect(read(1)).toEqual(['right'])
  })
})
