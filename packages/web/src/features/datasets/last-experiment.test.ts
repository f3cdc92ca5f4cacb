import type { TracerSessionResult as Experiment } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { toLastExperiment } from './last-experiment.ts'

const anExperiment = (id: string, scores: Record<string, [count: number, mean: number | null]>, extra: unknown = {}) =>
  ({
    id,
    name: `named ${id}`,
    extra,
    feedback_stats: Object.fromEntries(Object.entries(scores).map(([key, [n, avg]]) => [key, { n, avg }])),
  }) as unknown as Experiment

describe('the newest experiment of a dataset', () => {
  const baseline = anExperiment('base', { correctness: [10, 0.5] })

  it('shows the key with the most scores', () => {
    const experiment = anExperiment('new', { tone: [3, 1], correctness: [10, 0.75], label: [12, null] })
    expect(toLastExperiment(experiment, baseline)).toMatchObject({
      metric: { key: 'correctness', mean: 0.75, count: 10 },
      baseline: { id: 'base', name: 'named base' },
    })
  })

  it('is not compared with itself or without a baseline', () => {
    expect(toLastExperiment(baseline, baseline).baseline).toBeUndefined()
    expect(toLastExperiment(baseline, undefined).baseline).toBeUndefined()
  })

  it('has no metric before the first score', () => {
    expect(toLastExperiment(anExperiment('new', {}), baseline).metric).toBeUndefined()
  })

  it.each([
    ['the Python client', { metadata: { git: { author_name: 'Ada' } } }, 'Ada'],
    ['the TypeScript client', { metadata: { git: { authorName: 'Lin' } } }, 'Lin'],
    ['a program without Git', { metadata: { git: null } }, undefined],
    ['a program without metadata', {}, undefined],
    ['hostile metadata', { metadata: { git: { author_name: { toString: 1 } } } }, undefined],
  ])('has the author recorded by %s', (_, extra, author) => {
    expect(toLastExperiment(anExperiment('new', {}, extra), undefined).author).toBe(author)
  })
})
