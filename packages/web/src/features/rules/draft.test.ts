import type { RuleDefinition } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { listConflicts, newAction, newDraft, type RuleDraft, toDefinition, toDraft } from './draft.ts'

const definition: RuleDefinition = {
  target: 'trace',
  project_ids: ['p'],
  dataset_id: null,
  filter: 'eq(status, "success")',
  trace_filter: null,
  tree_filter: 'eq(name, "search")',
  feedback: null,
  quiet_seconds: 30,
  idle_minutes: 10,
  sampling_rate: 0.07,
  sampling_seed: 's',
  actions: [
    { kind: 'evaluate', evaluator_id: 'e', version: 2 },
    { kind: 'feedback', key: 'seen', score: 1, value: null, comment: 'by rule' },
    { kind: 'tag', tags: ['a', 'b'] },
    { kind: 'notify', channel_ids: ['c'] },
    { kind: 'add_to_dataset', dataset_id: 'd', split: null },
    { kind: 'add_to_queue', queue_id: 'q' },
  ],
  notice_channel_ids: ['c'],
  after_rule_ids: ['r'],
  spend_limit: { limit_usd: 5, window: 'day', allows_unpriced: true },
}

const problemsOf = (draft: RuleDraft) => {
  const result = toDefinition(draft)
  return 'problems' in result ? result.problems : {}
}

describe('the draft of a rule', () => {
  it('gives the definition back that it was made of', () => {
    expect(toDefinition(toDraft(definition))).toEqual({ definition })
    const ofFeedback: RuleDefinition = {
      ...definition,
      target: 'feedback',
      feedback: { key: 'user_score', operator: 'lt', score: 0.5 },
      spend_limit: null,
    }
    expect(toDefinition(toDraft(ofFeedback))).toEqual({ definition: ofFeedback })
  })

  it('survives JSON, in which a field without a value is absent', () => {
    const draft = toDraft(definition)
    expect(JSON.parse(JSON.stringify(draft))).toEqual(draft)
  })

  it('begins with the project and the filters of a list, or with a template', () => {
    const filtered = newDraft({ project: 'p', target: 'run', filter: 'eq(status, "error")' })
    expect(filtered).toMatchObject({ target: 'run', projectIds: ['p'], filters: { run: 'eq(status, "error")' } })
    expect(newDraft({ template: 'judge' })).toMatchObject({ target: 'trace', percent: '10' })
    expect(newDraft({ template: 'review' }).actions).toEqual([newAction('add_to_queue')])
    expect(newDraft({ template: 'unknown', target: 'nothing' })).toEqual(newDraft({}))
  })

  it('names what is missing by field', () => {
    expect(problemsOf(newDraft({}))).toEqual({
      projects: 'Choose at least one project.',
      'action.0': 'Choose an evaluator.',
    })
    const whole = toDraft(definition)
    const refused: [Partial<RuleDraft>, string][] = [
      [{ percent: '101' }, 'percent'],
      [{ percent: '' }, 'percent'],
      [{ quietSeconds: '1.5' }, 'quiet'],
      [{ target: 'thread', idleMinutes: '0' }, 'idle'],
      [{ target: 'feedback' }, 'feedbackKey'],
      [{ target: 'feedback', feedbackKey: 'k', operator: 'lt', threshold: 'x' }, 'threshold'],
      [{ source: 'dataset', datasetId: '' }, 'dataset'],
      [{ source: 'dataset', datasetId: 'd', target: 'thread' }, 'target'],
      [{ limit: '-1' }, 'limit'],
      [{ actions: [] }, 'actions'],
      [{ actions: [{ ...newAction('tag'), tags: ' , ' }] }, 'action.0'],
      [{ actions: [{ ...newAction('tag'), tags: Array.from({ length: 21 }, (_, at) => at).join() }] }, 'action.0'],
      [{ actions: [{ ...newAction('feedback'), key: 'k', score: 'much' }] }, 'action.0'],
    ]
    for (const [part, field] of refused) expect(Object.keys(problemsOf({ ...whole, ...part }))).toEqual([field])
  })

  it('is not complete while the filter has text that is not applied', () => {
    expect(toDefinition(toDraft(definition), true)).toEqual({
      problems: { filter: 'Press Enter to apply the filter that you typed, or clear it.' },
    })
  })

  it('leaves out what is wrong in a field that its target does not show', () => {
    const result = toDefinition({ ...toDraft(definition), target: 'run', quietSeconds: 'abc', idleMinutes: '' })
    expect(result).toMatchObject({ definition: { quiet_seconds: 10, idle_minutes: 10 } })
  })

  it('shows both sides of each field that was changed elsewhere', () => {
    const mine = toDraft(definition)
    expect(listConflicts(mine, mine)).toEqual([])
    expect(listConflicts(mine, { ...mine, percent: '50' })).toEqual([
      { label: 'Percent of the traces', theirs: '50', mine: '7' },
    ])
  })
})
