import { describe, expect, it } from 'vitest'
import { type MessagesPlaceholder, renderMessages } from './render-messages.ts'

describe('render messages', () => {
  const history: MessagesPlaceholder = { role: 'placeholder', variable: 'history', optional: false }

  it('fills in texts and image URLs, and leaves tool calls as they are', () => {
    const call = { id: '1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } } as const
    const image = { type: 'image_url', image_url: { url: '{url}' } } as const
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'Hi {name}' }, image] },
      { role: 'assistant', content: null, tool_calls: [call] },
    ] as const
    const rendered = renderMessages(messages as never, 'f-string', { name: 'Ada', url: 'https://x/y.png' })
    expect(rendered).toEqual({
      ok: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi Ada' },
            { type: 'image_url', image_url: { url: 'https://x/y.png' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call] },
      ],
    })
  })

  it('inserts lists of messages in the forms of OpenAI and LangChain', () => {
    const value = [
      ['human', 'one'],
      { role: 'assistant', content: 'two' },
      { type: 'human', content: '{three}' },
      { type: 'ai', data: { content: 'four' } },
    ]
    expect(renderMessages([history], 'f-string', { history: value })).toEqual({
      ok: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: '{three}' },
        { role: 'assistant', content: 'four' },
      ],
    })
  })

  it('names the variable of a list that is missing or no list', () => {
    expect(renderMessages([history], 'none', {})).toMatchObject({
      problem: { code: 'missing_variable', variable: 'history' },
    })
    expect(renderMessages([{ ...history, optional: true }], 'none', {})).toEqual({ ok: [] })
    expect(renderMessages([history], 'none', { history: 'Hello' })).toMatchObject({
      problem: { code: 'invalid_template', variable: 'history' },
    })
  })

  it('refuses lists that are too long or too deep', () => {
    const problem = { code: 'invalid_template', variable: 'history' }
    const long = Array.from({ length: 150_000 }, () => ['human', 'one'])
    expect(renderMessages([history], 'none', { history: long })).toMatchObject({ problem })
    expect(renderMessages([history, history], 'none', { history: long.slice(0, 3000) })).toMatchObject({ problem })
    let deep: object = { role: 'user', content: 'one' }
    for (let depth = 0; depth < 50_000; depth++) deep = { data: deep }
    expect(renderMessages([history], 'none', { history: [deep] })).toMatchObject({ problem })
  })

  it('counts the steps of all messages together', () => {
    const rows = Array.from({ length: 900 }, () => ({}))
    // 800,000 steps of a million: a call with one of them is rendered, a call with a thousand ends in the second.
    const costly = { role: 'user', content: '{{#rows}}{{#rows}}{{/rows}}{{/rows}}' } as const
    const render = (count: number) => renderMessages(Array(count).fill(costly), 'mustache', { rows })
    expect(render(1)).toEqual({ ok: [{ role: 'user', content: '' }] })
    const message = 'The templates of this request take more than 1000000 steps.'
    expect(render(1_000)).toEqual({ problem: { code: 'invalid_template', message, variable: null } })
  })
})
