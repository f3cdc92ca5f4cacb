import { describe, expect, it } from 'vitest'
import { computeMargin, getT975, printMetadata } from './experiment-row.ts'
import { anExperiment, NOON } from './testing/an-experiment.ts'

describe('an experiment of the list', () => {
  it('has the model, the prompt and the version of its metadata', () => {
    const metadata = { models: ['a', 'b'], prompt: 'tone', prompt_commit: '1f2a3b4c5d', dataset_version: '2026-03-01' }
    expect(anExperiment({ metadata })).toMatchObject({ model: 'a, b', prompt: 'tone:1f2a3b4c', version: '2026-03-01' })
    expect(anExperiment()).toMatchObject({ model: undefined, prompt: undefined, version: undefined, repetitions: 1 })
  })

  it('has figures in milliseconds and dollars; an unknown cost is not zero', () => {
    expect(anExperiment().figures).toMatchObject({ latencyP50Ms: 1000, latencyP99Ms: 2000, cost: 0.5, runCount: 10 })
    expect(anExperiment({ project: { total_cost: null } }).figures.cost).toBeUndefined()
  })

  it('has means with an interval over examples, and scores of the experiment as a whole without one', () => {
    const row = anExperiment({
      scores: { correct: { avg: 0.8, n: 30, stdev: 0.4 } },
      metadata: { num_repetitions: 3 },
      project: { session_feedback_stats: { f1: { n: 1, avg: 0.7 } } },
    })
    // Ten examples: t = 2.262, 0.4 / sqrt(10).
    expect(row.figures.feedback.get('correct')?.margin).toBeCloseTo(0.286, 3)
    expect(row.figures.feedback.get('f1')).toMatchObject({ mean: 0.7, margin: undefined, isOfExperiment: true })
  })
})

describe('the interval of a mean', () => {
  it.each([
    [1, 12.706],
    [6, 2.447],
    [9, 2.262],
    [29, 2.045],
    [1000, 1.962],
  ])('uses the quantile of t with %i degrees of freedom', (degrees, expected) => {
    expect(getT975(degrees)).toBeCloseTo(expected, 2)
  })

  it('is not known below two examples', () => {
    expect(computeMargin(0.1, 1, 1)).toBeUndefined()
    expect(computeMargin(0.1, 5, 3)).toBeUndefined()
    expect(computeMargin(null, 50, 1)).toBeUndefined()
  })
})

describe('progress', () => {
  const running = { end_time: null, last_run_start_time: new Date(NOON - 60_000).toISOString() }
  const announced = { expected_run_count: 20, run_progress: 0.5, evaluator_progress: { a: 0.4, b: 0.3 } }

  it('is the share of announced runs and of the slowest evaluator', () => {
    const { progress } = anExperiment({ project: { ...running, experiment_progress: announced } })
    expect(progress).toEqual({ state: 'running', runCount: 10, expected: 20, isEstimate: false, scored: 0.3 })
  })

  it('ends with all runs and scores', () => {
    const complete = { expected_run_count: 10, run_progress: 1, evaluator_progress: { a: 1 } }
    expect(anExperiment({ project: { ...running, experiment_progress: complete } }).progress.state).toBe('done')
  })

  it('ends with all runs when an evaluator never scores under the key that was announced', () => {
    const complete = { expected_run_count: 10, run_progress: 1, evaluator_progress: { a: 1, isOdd: 0 } }
    expect(anExperiment({ project: { ...running, experiment_progress: complete } }).progress.state).toBe('done')
    const partly = { ...complete, evaluator_progress: { a: 0.5, isOdd: 0 } }
    expect(anExperiment({ project: { ...running, experiment_progress: partly } }).progress.state).toBe('running')
  })

  it('is stopped when nothing arrives for ten minutes, or the program ended early', () => {
    const silent = { ...running, last_run_start_time: new Date(NOON - 11 * 60_000).toISOString() }
    expect(anExperiment({ project: { ...silent, experiment_progress: announced } }).progress.state).toBe('stopped')
    expect(anExperiment({ project: { experiment_progress: announced } }).progress.state).toBe('stopped')
  })

  it('is estimated from the dataset when the client announced no numbers', () => {
    const options = { project: running, metadata: { num_repetitions: 2 } }
    expect(anExperiment(options).progress).toMatchObject({ state: 'running', expected: 20, isEstimate: true })
    expect(anExperiment({ ...options, project: {} }).progress).toMatchObject({ state: 'done', expected: undefined })
  })
})

describe('printing metadata', () => {
  it.each([
    ['text', 'text'],
    [['a', 'b'], 'a, b'],
    [{ a: 1 }, '{"a":1}'],
    [0, '0'],
    [null, ''],
  ])('%j is %s', (value, expected) => expect(printMetadata(value)).toBe(expected))
})
