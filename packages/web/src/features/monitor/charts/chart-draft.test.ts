import type { DashboardChart } from '@touchstone/contract'
import { describe, expect, it } from 'vitest'
import { findFilterProblem, isCompleteChart, needsFeedbackKey, toChart, toChartDraft } from './chart-draft.ts'

const chart: DashboardChart = { id: 'a', metric: 'latency', scope: 'traces', kind: 'line', size: 'small' }
const draft = toChartDraft(chart)

describe('the draft of a chart', () => {
  it('keeps a chart unchanged', () => {
    const full: DashboardChart = {
      ...chart,
      metric: 'feedback',
      feedback_key: 'tone',
      title: 'Tone',
      filter: 'eq(run_type, "llm")',
      group_by: { attribute: 'metadata', path: 'env' },
    }
    expect(toChart(toChartDraft(full))).toEqual(full)
  })

  it('saves empty and blank fields as null', () => {
    const empty = { title: null, filter: null, feedback_key: null, group_by: null }
    expect(toChart({ ...draft, title: ' ', filter: ' ', feedbackKey: 'tone' })).toEqual({ ...chart, ...empty })
  })

  it('saves the table of errors as a table', () => {
    expect(toChart({ ...draft, metric: 'errors' }).kind).toBe('table')
  })

  it('saves the grouping by an attribute', () => {
    expect(toChart({ ...draft, group: 'run_type' }).group_by).toEqual({ attribute: 'run_type' })
  })

  it.each([
    ['a metric', {}, true],
    ['feedback without a key', { metric: 'feedback' }, false],
    ['feedback with a key', { metric: 'feedback', feedbackKey: 'tone' }, true],
    ['metadata without a key', { group: 'metadata' }, false],
    ['metadata with a key', { group: 'metadata', metadataKey: 'env' }, true],
    ['an invalid filter', { filter: 'eq(run_type' }, false],
  ] as const)('with %s is complete: %s', (_, part, expected) => {
    expect(isCompleteChart({ ...draft, ...part })).toBe(expected)
  })

  it('needs a feedback key for feedback only', () => {
    expect(needsFeedbackKey({ ...draft, metric: 'feedback' })).toBe(true)
    expect(needsFeedbackKey(draft)).toBe(false)
  })

  it('explains an invalid filter', () => {
    expect(findFilterProblem('eq(run_type, "llm"')).toBeTypeOf('string')
    expect(findFilterProblem('eq(run_type, "llm")')).toBeUndefined()
    expect(findFilterProblem('')).toBeUndefined()
  })
})
