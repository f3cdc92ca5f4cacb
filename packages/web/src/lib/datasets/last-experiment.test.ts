import type { TracerSessionResult as Experiment } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { findAuthor, findTopMetric } from './last-experiment.ts'

const anExperiment = (id: string, scores: Record<string, [count: number, mean: number | null]>) =>
  ({
    id,
    feedback_stats: Object.fromEntries(Object.entries(scores).map(([key, [n, avg]]) => [key, { n, avg }])),
  }) as unknown as Experiment

describe('the top metric of an experiment', () => {
  const baseline = anExperiment('base', { correctness: [10, 0.5] })

  it('is the key with the most scores, with its difference to the baseline', () => {
    const experiment = anExperiment('new', { tone: [3, 1], correctness: [10, 0.75], label: [12, null] })
    expect(findTopMetric(experiment, baseline)).toEqual({ key: 'correctness', mean: 0.75, delta: 0.25 })
  })

  it('has no difference without a baseline, for the baseline itself and for a key that the baseline lacks', () => {
    const experiment = anExperiment('new', { tone: [3, 1] })
    expect(findTopMetric(experiment, undefined)?.delta).toBeUndefined()
    expect(findTopMetric(experiment, baseline)?.delta).toBeUndefined()
    expect(findTopMetric(baseline, baseline)?.delta).toBeUndefined()
  })

  it('is absent before the first score', () => {
    expect(findTopMetric(anExperiment('new', {}), baseline)).toBeUndefined()
  })
})

describe('the author of an experiment', () => {
  it.each([
    ['the Python client', { metadata: { git: { author_name: 'Ada' } } }, 'Ada'],
    ['the TypeScript client', { metadata: { git: { authorName: 'Lin' } } }, 'Lin'],
    ['a program without Git', { metadata: { git: null } }, undefined],
    ['a program without metadata', {}, undefined],
    ['hostile metadata', { metadata: { git: { author_name: { toString: 1 } } } }, undefined],
  ])('as recorded by %s', (_, extra, author) => {
    expect(findAuthor({ extra } as unknown as Experiment)).toBe(author)
  })
})
