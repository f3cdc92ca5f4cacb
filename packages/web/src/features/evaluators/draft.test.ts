import type { EvaluatorDefinition } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import {
  hasBoundary,
  type JudgeDraft,
  listMappedVariables,
  listPaths,
  NEW_FEEDBACK,
  newDraft,
  previewPath,
  toDefinition,
  toDraft,
} from './draft.ts'

const PROVIDER = '00000000-0000-4000-8000-000000000001'
const judge: JudgeDraft = { ...(newDraft('llm_judge') as JudgeDraft), providerId: PROVIDER, model: 'm' }
const problemsOf = (draft: JudgeDraft) => {
  const result = toDefinition(draft)
  return 'problems' in result ? Object.keys(result.problems) : []
}

describe('the draft of an evaluator', () => {
  it('becomes the definition that it came from', () => {
    const definition: EvaluatorDefinition = {
      kind: 'llm_judge',
      provider_id: PROVIDER,
      model: 'judge-1',
      parameters: { top_p: 0.5, temperature: 0 },
      messages: [{ role: 'user', content: 'Is {{answer}} right for {{inputs}}?' }],
      template_format: 'mustache',
      mapping: { answer: 'outputs.messages[0].content' },
      feedback: [
        { key: 'right', type: 'boolean', description: 'Whether it is right.' },
        {
          key: 'tone',
          type: 'category',
          categories: [
            { label: 'kind', value: 1 },
            { label: 'rude', value: -1 },
          ],
        },
        { key: 'length', type: 'number', min: 1, max: 5 },
      ],
      reasoning: false,
    }
    expect(toDefinition(toDraft(definition))).toEqual({ definition })
    const script: EvaluatorDefinition = { kind: 'javascript', source: 'x', keys: ['a', 'b'], timeout_ms: 500 }
    expect(toDefinition(toDraft(script))).toEqual({ definition: script })
  })

  it('has a boundary around judged values when it is new, which needs no path', () => {
    expect(hasBoundary(judge)).toBe(true)
    expect(listMappedVariables(judge)).toEqual([])
    const [, user = ''] = judge.messages.map(({ content }) => content)
    for (const name of ['inputs', 'outputs', 'reference_outputs']) {
      expect(user).toContain(`{{boundary}}\n{{${name}}}\n{{boundary}}`)
    }
    expect(hasBoundary({ ...judge, messages: [{ role: 'user', content: '{{outputs}}' }] })).toBe(false)
    const mapped = { ...judge, mapping: { boundary: 'outputs.line' } }
    expect([hasBoundary(mapped), listMappedVariables(mapped)]).toEqual([false, ['boundary']])
  })

  it('is complete when it is new, apart from provider and model', () => {
    expect(problemsOf(newDraft('llm_judge') as JudgeDraft)).toEqual(['provider', 'model'])
    expect(problemsOf(judge)).toEqual([])
    expect(toDefinition(newDraft('javascript'))).toHaveProperty('definition')
  })

  it.each<[string, Partial<JudgeDraft>, string]>([
    ['a temperature', { temperature: 'hot' }, 'temperature'],
    ['messages', { messages: [{ role: 'user', content: ' ' }] }, 'messages'],
    ['a path', { messages: [{ role: 'user', content: '{{question}}' }] }, 'mapping.question'],
    ['a path of a row', { messages: [{ role: 'user', content: '{{q}}' }], mapping: { q: 'metadata.q' } }, 'mapping.q'],
    ['feedback keys', { feedback: [] }, 'feedback'],
    ['a key', { feedback: [NEW_FEEDBACK] }, 'feedback.0'],
    [
      'different keys',
      {
        feedback: [
          { ...NEW_FEEDBACK, key: 'a' },
          { ...NEW_FEEDBACK, key: 'a ' },
        ],
      },
      'feedback.1',
    ],
    ['a range', { feedback: [{ ...NEW_FEEDBACK, key: 'a', type: 'number', min: '5', max: '1' }] }, 'feedback.0'],
    ['two categories', { feedback: [{ ...NEW_FEEDBACK, key: 'a', type: 'category', categories: [] }] }, 'feedback.0'],
  ])('needs %s', (_, change, field) => {
    expect(problemsOf({ ...judge, ...change })).toEqual([field])
  })

  it('maps the variables that its messages use, and no others', () => {
    const messages = [{ role: 'user' as const, content: '{{question}} {{outputs}} {{#items}}{{title}}{{/items}}' }]
    const mapping = { question: 'inputs.q', items: 'outputs.items', old: 'inputs.old' }
    expect(listMappedVariables({ ...judge, messages })).toEqual(['question', 'items'])
    expect(toDefinition({ ...judge, messages, mapping })).toMatchObject({
      definition: { mapping: { question: 'inputs.q', items: 'outputs.items' } },
    })
  })
})

describe('paths of a row', () => {
  const row = { inputs: { q: 'Hi', 'a key': { list: [{ n: 1 }] } }, outputs: null }

  it('are suggested, outer ones first, and found again', () => {
    const paths = listPaths(row)
    expect(paths).toEqual([
      'inputs',
      'outputs',
      'inputs.q',
      'inputs["a key"]',
      'inputs["a key"].list',
      'inputs["a key"].list[0]',
      'inputs["a key"].list[0].n',
    ])
    expect(paths.map((path) => 'text' in previewPath(row, path))).toEqual(paths.map(() => true))
  })

  it('show their value, or why there is none', () => {
    expect(previewPath(row, ' inputs.q ')).toEqual({ text: 'Hi' })
    expect(previewPath(row, 'inputs["a key"].list')).toEqual({ text: '[{"n":1}]' })
    expect(previewPath(row, 'inputs.none')).toEqual({ problem: 'no key "none" in inputs' })
    expect(previewPath({ inputs: 'x'.repeat(1000) }, 'inputs')).toEqual({ text: `${'x'.repeat(300)}…` })
  })
})
