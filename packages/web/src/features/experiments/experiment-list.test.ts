import type { TracerSessionResult as Project } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import {
  findColumnChoice,
  getDefaultColumns,
  listColumnChoices,
  metadataKeyColumn,
  moveColumn,
  parseColumns,
} from './experiment-columns.ts'
import {
  arrangeExperiments,
  combineFigures,
  findExperiments,
  getRefreshMs,
  sortExperiments,
  toExperimentsTable,
} from './experiment-list.ts'
import { anExperiment } from './testing/an-experiment.ts'

const rows = [
  anExperiment({ name: 'v9', day: 1, scores: { a: 0.5 }, metadata: { temperature: 0.2, model: 'small' } }),
  anExperiment({ name: 'v10', day: 2, scores: { a: 0.9, b: 1 }, metadata: { temperature: 1, model: 'large' } }),
  anExperiment({ name: 'old', day: 3, metadata: { model: 'small' } }),
]
const names = (sorted: readonly { name: string }[]) => sorted.map(({ name }) => name)
const list = { sort: '-start_time', group: undefined, closed: new Set<string>(), baselineId: undefined }

describe('the order of experiments', () => {
  it.each([
    ['-start_time', ['old', 'v10', 'v9']],
    ['name', ['old', 'v9', 'v10']],
    ['feedback:a', ['v9', 'v10', 'old']],
    ['-feedback:a', ['v10', 'v9', 'old']],
    [metadataKeyColumn('temperature'), ['v9', 'v10', 'old']],
    ['model', ['v10', 'old', 'v9']],
    ['unknown', ['old', 'v10', 'v9']],
  ])('by %s; rows without a value come last', (sort, expected) => {
    expect(names(sortExperiments(rows, sort))).toEqual(expected)
  })

  it('starts with the baseline', () => {
    expect(arrangeExperiments(rows, { ...list, baselineId: 'id of v9' }).map(({ id }) => id)).toEqual([
      'id of v9',
      'id of old',
      'id of v10',
    ])
  })
})

describe('finding experiments', () => {
  it('searches names and metadata', () => {
    expect(names(findExperiments(rows, ' LARGE '))).toEqual(['v10'])
    expect(names(findExperiments(rows, 'v1'))).toEqual(['v10'])
    expect(findExperiments(rows, '')).toHaveLength(3)
  })
})

describe('groups of experiments', () => {
  it('have a heading per value, and hide the experiments of closed ones', () => {
    const shown = arrangeExperiments(rows, { ...list, group: 'temperature', closed: new Set(['group:1']) })
    expect(shown.map((row) => (row.kind === 'group' ? `# ${row.label} ${row.count}` : row.experiment.name))).toEqual([
      '# 0.2 1',
      'v9',
      '# 1 1',
      '# no value 1',
      'old',
    ])
  })

  it('have means weighted by the number of scores, and sums of tokens and costs', () => {
    const figures = combineFigures([
      anExperiment({ scores: { a: { avg: 0, n: 30 } }, project: { run_count: 30, total_cost: null } }),
      anExperiment({ scores: { a: { avg: 1, n: 10 } }, project: { run_count: 10, latency_p50: 5 } }),
    ])
    expect(figures.feedback.get('a')).toMatchObject({ mean: 0.25, count: 40 })
    expect(figures).toMatchObject({ runCount: 40, tokens: 200, cost: 0.5, latencyP50Ms: 2000 })
  })
})

describe('columns', () => {
  it('are only those with values until the user chooses others', () => {
    expect(getDefaultColumns(rows)).toEqual([
      'name',
      'created',
      'model',
      'runs',
      'feedback:a',
      'feedback:b',
      'latency',
      'tokens',
      'cost',
      'errors',
    ])
  })

  it('can be any feedback or metadata key', () => {
    const odd = [anExperiment({ metadata: { 'a, "b"': 1 }, scores: { 'c,d': 1 } })]
    const choices = listColumnChoices(odd)
    expect(choices.filter(({ kind }) => kind !== 'built-in').map(({ label }) => label)).toEqual([
      'c,d',
      '["a, \\"b\\""]',
    ])
    const ids = choices.map(({ id }) => id)
    expect(parseColumns(ids.join())).toEqual(ids)
    const table = toExperimentsTable(odd, ['name', ids.at(-1) ?? ''])
    expect(table[1]).toEqual(['id of v1', 'v1', 1])
  })

  it('keep the name first, and skip ids that do not exist', () => {
    expect(parseColumns('runs,nonsense,name,runs')).toEqual(['name', 'runs'])
    expect(parseColumns('')).toBeUndefined()
    expect(findColumnChoice('constructor')).toBeUndefined()
    expect(moveColumn(['name', 'a', 'b'], 'b', -1)).toEqual(['name', 'b', 'a'])
    expect(moveColumn(['name', 'a', 'b'], 'a', -1)).toEqual(['name', 'a', 'b'])
  })
})

describe('the exported table', () => {
  it('has the shown columns with all digits', () => {
    expect(toExperimentsTable(rows.slice(0, 1), ['name', 'created', 'feedback:a', 'latency'])).toEqual([
      ['experiment_id', 'Name', 'Created', 'a', 'a ±', 'a n', 'p50_ms'],
      ['id of v9', 'v9', '2026-03-01T08:00:00.000000Z', 0.5, '', 10, 1000],
    ])
  })
})

describe('the list of experiments', () => {
  const now = Date.parse('2026-03-01T00:10:00Z')
  const project = (more: object = {}) =>
    ({ id: 'p', name: 'p', start_time: '2026-03-01T00:09:00Z', run_count: 1, ...more }) as unknown as Project

  it.each([
    ['is not read again before it is loaded', undefined, false],
    ['waits for the first experiment', [], 3_000],
    ['follows a running experiment', [project({ end_time: '2026-03-01T00:09:30Z' }), project()], 5_000],
    ['looks for new experiments when all are done', [project({ end_time: '2026-03-01T00:09:30Z' })], 20_000],
  ])('%s', (_, projects, expected) => {
    expect(getRefreshMs(projects, 3, now)).toBe(expected)
  })
})
