import { describe, expect, it } from 'vitest'
import { findOnlyText, toReadableText, toRowTexts } from './row-texts.ts'

describe('a whole payload', () => {
  it.each([
    ['why?', 'why?'],
    [{ answer: 'so' }, 'so'],
    [{ answer: 'so', confidence: 0.3 }, '{"answer":"so","confidence":0.3}'],
    [{ question: 'why?', context: 'a page' }, '{"question":"why?","context":"a page"}'],
    [{ answer: '' }, ''],
    [{ confidence: 0.3 }, '{"confidence":0.3}'],
    [['so'], '["so"]'],
    [null, ''],
    [undefined, ''],
  ])('%j is shown as %j', (value, expected) => {
    expect(toReadableText(value)).toBe(expected)
  })

  it('is one text only when it has no other key, so that a difference in another key is seen', () => {
    expect(findOnlyText({ answer: 'so', confidence: 0.3 })).toBeUndefined()
    expect(findOnlyText({ answer: 'so' })).toBe('so')
  })
})

describe('the preview of an example', () => {
  const preview = (inputs: Record<string, unknown>, outputs?: Record<string, unknown>) =>
    toRowTexts({ inputs, outputs: outputs ?? null, runs: [] })

  it('is its best-named text', () => {
    const texts = preview({ context: 'a page', question: 'why?' }, { score: 1, answer: 'so' })
    expect([texts.input, texts.reference]).toEqual(['why?', 'so'])
  })

  it('is the last message of a conversation', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'why?' },
    ]
    expect(preview({ messages }).input).toBe('why?')
    const blocks = { messages: [{ role: 'user', content: [{ type: 'text', text: 'why?' }] }] }
    expect(preview(blocks).input).toBe(JSON.stringify(blocks))
    expect(preview({ messages: [] }).input).toBe('{"messages":[]}')
  })

  it('is its JSON without a named text, and its beginning when it is long', () => {
    expect(preview({ a: 1, b: 'x' }).input).toBe('{"a":1,"b":"x"}')
    expect(preview({ question: '', n: 1 }).input).toBe('{"question":"","n":1}')
    expect(preview({ q: 'x'.repeat(500) }).input).toHaveLength(401)
  })
})
