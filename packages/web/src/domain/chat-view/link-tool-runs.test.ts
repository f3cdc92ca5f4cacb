import type { Run } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import type { ChatMessage, ToolCall } from './conversation.ts'
import { linkToolRuns } from './link-tool-runs.ts'

const call = (name: string, id?: string): ToolCall => ({
  kind: 'tool_call',
  name,
  args: {},
  ...(id === undefined ? {} : { id }),
})
const says = (...parts: ChatMessage['parts']): ChatMessage => ({ role: 'assistant', parts })
const ran = (id: string, name: string, more: Partial<Run> = {}) => ({ id, name, ...more }) as Run

function link(messages: ChatMessage[], firstAnswer: number, after: Run[], before: Run[] = []) {
  return linkToolRuns(messages, firstAnswer, { after, before }).flatMap(({ parts }) => parts as ToolCall[])
}

describe('tool calls and the runs that executed them', () => {
  it('meet by the id of the call, wherever a client writes it', () => {
    const runs = [
      ran('r1', 'lookup', { outputs: { output: { type: 'tool', content: 'two', tool_call_id: 'c2' } } }),
      ran('r2', 'lookup', { extra: { metadata: { tool_call_id: 'c1' } } }),
      ran('r3', 'renamed', { inputs: { type: 'tool_call', id: 'c3', args: {} } }),
    ]
    const calls = link([says(call('lookup', 'c1'), call('lookup', 'c2'), call('save', 'c3'))], 0, runs)
    expect(calls.map(({ run }) => run?.id)).toEqual(['r2', 'r1', 'r3'])
  })

  it('meet by name in order where no id says more; a call with an id never meets a run that names another', () => {
    const runs = [
      ran('r1', 'lookup', { extra: { tool_call_id: 'elsewhere' } }),
      ran('r2', 'lookup'),
      ran('r3', 'lookup'),
    ]
    const calls = link([says(call('lookup', 'c1'), call('lookup', 'c2'), call('lookup', 'c3'))], 0, runs)
    expect(calls.map(({ run }) => run?.id)).toEqual(['r2', 'r3', undefined])
  })

  it('are taken from the last back when they belong to what was said before', () => {
    const messages = [says(call('lookup')), says(call('lookup')), says({ kind: 'text', text: 'done' })]
    const calls = link(messages, 2, [ran('later', 'lookup')], [ran('second', 'lookup')])
    expect(calls.map(({ run }) => run?.id)).toEqual([undefined, 'second', undefined])
  })

  it('show what the run returned, where no message does', () => {
    const said: ToolCall = { ...call('a'), result: { kind: 'tool_result', parts: [{ kind: 'text', text: 'said' }] } }
    const [a, b, c, d, e] = link([says(said, call('b'), call('c'), call('d'), call('e'))], 0, [
      ran('ra', 'a', { outputs: { output: 'recorded' } }),
      ran('rb', 'b', { outputs: { output: { type: 'tool', content: 'recorded', tool_call_id: 'x' } }, extra: {} }),
      ran('rc', 'c', { outputs: { rows: [1] } }),
      ran('rd', 'd', { error_preview: 'Boom' }),
      ran('re', 'e', { outputs_preview: 'It begins' }),
    ])
    expect(a!.result!.parts).toEqual([{ kind: 'text', text: 'said' }])
    expect(b!.result).toMatchObject({ isRecorded: true, parts: [{ kind: 'text', text: 'recorded' }] })
    expect(c!.result!.parts).toEqual([{ kind: 'unknown', value: { rows: [1] } }])
    expect(d!.result).toMatchObject({ isError: true, parts: [{ kind: 'text', text: 'Boom' }] })
    expect(e!.result).toMatchObject({ isBeginning: true, parts: [{ kind: 'text', text: 'It begins' }] })
  })
})
