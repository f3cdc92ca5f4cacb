import type { Dataset, TracerSessionResult as Experiment } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { arrangeDatasets, listShownExperiments, toDatasetRow } from './datasets-controller.ts'

const aDataset = (name: string, given: Partial<Dataset> = {}) =>
  ({ id: `id-${name}`, name, description: null, example_count: 0, session_count: 0, ...given }) as Dataset
const anExperiment = (id: string, mean: number) =>
  ({ id, name: id, start_time: '2026-01-01', feedback_stats: { ok: { n: 2, avg: mean } } }) as unknown as Experiment

const withExperiment = aDataset('qa', { last_session_id: 'new', baseline_experiment_id: 'base' })
const none = { experiments: undefined, tokens: undefined }

describe('a row of the datasets list', () => {
  it('shows the newest experiment and the baseline', () => {
    const experiments = new Map([anExperiment('new', 0.75), anExperiment('base', 0.5)].map((one) => [one.id, one]))
    const tokens = new Map([[withExperiment.id, { token: 'secret' }]])
    expect(toDatasetRow(withExperiment, { experiments, tokens })).toMatchObject({
      lastExperiment: { id: 'new', metric: { key: 'ok', mean: 0.75 }, baseline: { id: 'base' } },
      isWaiting: false,
      shareToken: 'secret',
    })
  })

  it('waits for the figures of its experiment, and never without an experiment', () => {
    expect(toDatasetRow(withExperiment, none)).toMatchObject({ isWaiting: true, lastExperiment: undefined })
    expect(toDatasetRow(aDataset('empty', { last_session_id: null }), none).isWaiting).toBe(false)
  })

  it('needs each experiment once', () => {
    const same = aDataset('same', { last_session_id: 'base', baseline_experiment_id: 'base' })
    expect(listShownExperiments([withExperiment, same, aDataset('empty')])).toEqual(['base', 'new'])
  })
})

describe('the datasets list', () => {
  const rows = [
    aDataset('b', { example_count: 5, last_session_start_time: null }),
    aDataset('A', { example_count: 70, last_session_start_time: '2026-01-02', description: 'Golden set' }),
    aDataset('c', { example_count: 5, last_session_start_time: '2026-01-01', metadata: { team: 'search' } }),
  ].map((dataset) => toDatasetRow(dataset, none))
  const names = (q: string, sort: string) =>
    arrangeDatasets(rows, { q, sort })
      .map(({ dataset }) => dataset.name)
      .join(' ')

  it.each([
    ['', 'name', 'A b c'],
    ['', '-name', 'c b A'],
    ['', '-examples', 'A b c'],
    ['', '-last_experiment', 'A c b'],
    ['', 'toString', 'A b c'],
    ['golden', 'name', 'A'],
    ['SEARCH', 'name', 'c'],
    ['id-b', 'name', 'b'],
    ['nothing', 'name', ''],
  ])('finds %j sorted by %s', (q, sort, expected) => {
    expect(names(q, sort)).toBe(expected)
  })
})
