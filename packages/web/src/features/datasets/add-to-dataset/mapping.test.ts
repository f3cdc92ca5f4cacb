import { describe, expect, it } from 'vitest'
import { mapRun } from './mapping.ts'

const PAYLOAD = {
  inputs: {
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'text', text: 'Where is it?' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"order":88}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'shipped' },
    ],
    user: 88,
  },
  outputs: { choices: [{ message: { role: 'assistant', content: 'It is on its way.' } }], usage: {} },
}

describe('a run as an example', () => {
  it('is the whole run', () => {
    expect(mapRun(PAYLOAD, { kind: 'whole' })).toEqual(PAYLOAD)
    expect(mapRun({ inputs: { a: 1 }, outputs: undefined }, { kind: 'whole' })).toEqual({
      inputs: { a: 1 },
      outputs: null,
    })
  })

  it('contains only the selected keys', () => {
    expect(mapRun(PAYLOAD, { kind: 'keys', inputs: ['user', 'toString'], outputs: ['usage'] })).toEqual({
      inputs: { user: 88 },
      outputs: { usage: {} },
    })
  })

  it('is the conversation as plain messages, from any recorded format', () => {
    expect(mapRun(PAYLOAD, { kind: 'messages' })).toEqual({
      inputs: {
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'Where is it?' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: '{"order":88}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'shipped' },
        ],
      },
      outputs: { messages: [{ role: 'assistant', content: 'It is on its way.' }] },
    })
    expect(mapRun({ inputs: { n: 1 }, outputs: {} }, { kind: 'messages' })).toBeUndefined()
  })
})
