import { describe, expect, it } from 'vitest'
import type { Message } from '../model.ts'
import { readMessages } from '../read/read-message.ts'
import { writeAnthropic } from './anthropic.ts'
import { writeGemini } from './gemini.ts'
import { writeOpenaiResponses } from './openai-responses.ts'

const text = (value: string) => ({ kind: 'text' as const, text: value })
const CONVERSATION: readonly Message[] = [
  { role: 'system', parts: [text('Be brief.')] },
  { role: 'user', parts: [text('Two'), text('texts')] },
  {
    role: 'assistant',
    parts: [
      { kind: 'tool_call', id: 'c1', name: 'add', args: { a: 1 }, text: '{"a":1}', signature: 'proof' },
      text('Well'),
      { kind: 'reasoning', text: 'hm', signature: 'signed' },
      { kind: 'tool_call', id: 'c2', name: 'find', args: '', text: '{"id":107505301260286111}' },
    ],
  },
  { role: 'tool', parts: [{ kind: 'tool_result', id: 'c1', parts: [text('{"sum":2}')] }] },
  { role: 'tool', parts: [{ kind: 'tool_result', id: 'c2', parts: [text('none')], isError: true }] },
]

describe('a conversation', () => {
  it('for Anthropic has one turn with all results, thoughts first and calls last', () => {
    expect(writeAnthropic(CONVERSATION)).toEqual({
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: ['Two', 'texts'].map((one) => ({ type: 'text', text: one })) },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'signed' },
            { type: 'text', text: 'Well' },
            { type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 } },
            { type: 'tool_use', id: 'c2', name: 'find', input: { id: '107505301260286111' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: '{"sum":2}' }] },
            { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'none' }], is_error: true },
          ],
        },
      ],
    })
  })

  it('for Gemini names the function of each result', () => {
    const { system, contents } = writeGemini(CONVERSATION, { hasIds: false })
    expect(system).toEqual([{ text: 'Be brief.' }])
    expect(contents[1]?.parts[0]).toEqual({
      functionCall: { name: 'add', args: { a: 1 } },
      thoughtSignature: 'proof',
    })
    expect(contents[2]).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { name: 'add', response: { sum: 2 } } },
        { functionResponse: { name: 'find', response: { error: 'none' } } },
      ],
    })
  })

  it('for the responses of OpenAI has items', () => {
    expect(writeOpenaiResponses(CONVERSATION)).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: ['Two', 'texts'].map((one) => ({ type: 'input_text', text: one })) },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], signature: 'signed' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Well' }] },
      { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'c2', name: 'find', arguments: '{"id":107505301260286111}' },
      { type: 'function_call_output', call_id: 'c1', output: '{"sum":2}' },
      { type: 'function_call_output', call_id: 'c2', output: 'none', is_error: true },
    ])
  })

  it('for Gemini has the signatures again, and the files of results', () => {
    const recorded = [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', reasoning: 'Hm', thoughtSignature: 's1' },
          { type: 'text', text: 'Done', thoughtSignature: 's2' },
          { type: 'text', text: '', thoughtSignature: 's3' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' }, thoughtSignature: 's4' },
        ],
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'shoot', arguments: '{}' }, thoughtSignature: 's5' },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'c',
        name: 'shoot',
        content: [
          { type: 'text', text: '{"ok":true}' },
          { inlineData: { mimeType: 'image/png', data: 'iVBO', displayName: 'a.png' } },
        ],
      },
    ]
    const file = { inlineData: { mimeType: 'image/png', data: 'iVBO', displayName: 'a.png' } }
    const inlineData = { mimeType: 'image/png', data: 'iVBO' }
    const { contents } = writeGemini(readMessages(recorded) ?? [])
    expect(contents).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'Hm', thought: true, thoughtSignature: 's1' },
          { text: 'Done', thoughtSignature: 's2' },
          { text: '', thoughtSignature: 's3' },
          { inlineData, thoughtSignature: 's4' },
          { functionCall: { id: 'c', name: 'shoot', args: {} }, thoughtSignature: 's5' },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'c', name: 'shoot', response: { ok: true }, parts: [file] } }],
      },
    ])
    expect(writeGemini(readMessages(contents) ?? []).contents).toEqual(contents)
  })
})
