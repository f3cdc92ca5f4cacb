import type { Run } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import type { ChatMessage, ToolCall } from './conversation.ts'
import { linkToolRuns } from './tool-calls.ts'

const call = (name: string, id?: string): ToolCall => ({
  kind: 'tool_call',
  name,
  args: {},
  ...(id === undefined ? {} : { id }),
})
const message = (...parts: ChatMessage['parts']): ChatMessage => ({ role: 'assistant', parts })
const ran = (id: string, name: string, more: Partial<Run> = {}) => ({ id, name, ...more }) as Run

function link(messages: ChatMessage[], firstAnswer: number, after: Run[], before: Run[] = []) {
  return linkToolRuns(messages, firstAnswer, { after, before }).flatMap(({ parts }) => parts as ToolCall[])
}

describe('linking tool calls to runs', () => {
  it('matches by the id of the call in all fields that clients use', () => {
    const runs = [
      ran('r1', 'lookup', { outputs: { output: { type: 'tool', content: 'two', tool_call_id: 'c2' } } }),
      ran('r2', 'lookup', { extra: { metadata: { tool_call_id: 'c1' } } }),
      ran('r3', 'renamed', { inputs: { type: 'tool_call', id: 'c3', args: {} } }),
    ]
    const calls = link([message(call('lookup', 'c1'), call('lookup', 'c2'), call('save', 'c3'))], 0, runs)
    expect(calls.map(({ run }) => run?.id)).toEqual(['r2', 'r1', 'r3'])
  })

  it('matches by name in order without ids, and never matches different ids', () => {
    const runs = [
      ran('r1', 'lookup', { extra: { tool_call_id: 'elsewhere' } }),
      ran('r2', 'lookup'),
      ran('r3', 'lookup'),
    ]
    const calls = link([message(call('lookup', 'c1'), call('lookup', 'c2'), call('lookup', 'c3'))], 0, runs)
    expect(calls.map(({ run }) => run?.id)).toEqual(['r2', 'r3', undefined])
  })

  it('matches calls of the input with earlier runs, from the latest back', () => {
    const messages = [message(call('lookup')), message(call('lookup')), message({ kind: 'text', text: 'done' })]
    const calls = link(messages, 2, [ran('later', 'lookup')], [ran('second', 'lookup')])
    expect(calls.map(({ run }) => run?.id)).toEqual([undefined, 'second', undefined])
  })

  it('adds the output of the run to a call without a result', () => {
    const answered: ToolCall = {
      ...call('a'),
      result: { kind: 'tool_result', parts: [{ kind: 'text', text: 'result' }] },
    }
    const [a, b, c, d, e] = link([message(answered, call('b'), call('c'), call('d'), call('e'))], 0, [
      ran('ra', 'a', { outputs: { output: 'recorded' } }),
      ran('rb', 'b', { outputs: { output: { type: 'tool', content: 'recorded', tool_call_id: 'x' } }, extra: {} }),
      ran('rc', 'c', { outputs: { rows: [1] } }),
      ran('rd', 'd', { error_preview: 'Boom' }),
      ran('re', 'e', { outputs_preview: 'It begins' }),
    ])
    expect(a!.result!.parts).toEqual([{ kind: 'text', text: 'result' }])
    expect(b!.result).toMatchObject({ isRecorded: true, parts: [{ kind: 'text', text: 'recorded' }] })
    expect(c!.result!.parts).toEqual([{ kind: 'unknown', value: { rows: [1] } }])
    expect(d!.result).toMatchObject({ isError: true, parts: [{ kind: 'text', text: 'Boom' }] })
    expect(e!.result).toMatchObject({ isBeginning: true, parts: [{ kind: 'text', text: 'It begins' }] })
  })
})
