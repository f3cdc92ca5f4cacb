import { describe, expect, it } from 'vitest'
import { shorten } from '../json/shorten.ts'
import { toPreview } from './preview.ts'

const preview = (value: unknown) => toPreview(value, JSON.stringify(value))

describe('previewing a payload', () => {
  it.each([
    [
      'the last message of the user',
      {
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'yes?' },
        ],
      },
      'hi',
    ],
    [
      'a nested list of messages',
      {
        messages: [
          [
            { role: 'system', content: 's' },
            { role: 'human', content: 'hello' },
          ],
        ],
      },
      'hello',
    ],
    ['a serialised message', { messages: [[{ lc: 1, id: ['x', 'HumanMessage'], kwargs: { content: 'hey' } }]] }, 'hey'],
    ['an OpenAI answer', { choices: [{ message: { role: 'assistant', content: 'done' } }] }, 'done'],
    ['a generation', { generations: [[{ text: 'generated' }]] }, 'generated'],
    [
      'the text parts of a message',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image' }, { text: 'b' }] }] },
      'a b',
    ],
    ['a well-named text', { k: 3, question: 'why?' }, 'why?'],
    ['the only text', { whatever: 'this' }, 'this'],
    ['the JSON otherwise', { a: 1, b: [2] }, '{"a":1,"b":[2]}'],
  ])('shows %s', (_what, value, expected) => {
    expect(preview(value)).toBe(expected)
  })

  it('folds white space and cuts long text, saying that it did', () => {
    expect(shorten('a\n\n  b\tc')).toBe('a b c')
    expect(shorten('x'.repeat(500))).toBe(`${'x'.repeat(239)}…`)
    expect(shorten(`${' '.repeat(480)}late`)).toBe('…')
  })

  it('never leaves half a character', () => {
    expect(shorten(`${'x'.repeat(238)}😀😀`).isWellFormed()).toBe(true)
  })
})
