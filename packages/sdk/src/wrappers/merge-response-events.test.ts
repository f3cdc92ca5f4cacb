import { describe, expect, it } from 'vitest'
import type { KVMap } from '../schemas.ts'
import { mergeResponseEvents } from './merge-response-events.ts'
import { countIterated } from './testing/count-iterated.ts'

it('a response that failed is what was recorded of it', () => {
  const response = { id: 'r', status: 'failed', error: { code: 'server_error' } }
  expect(
    mergeResponseEvents([{ type: 'response.created' }, { type: 'response.failed', response }, { type: 'late' }]),
  ).toBe(response)
})

describe('a stream of a response that ended early', () => {
  const created = { type: 'response.created', response: { id: 'r', status: 'in_progress', model: 'gpt-5', output: [] } }
  const message = { id: 'm', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
  const call = { id: 'f', type: 'function_call', name: 'refund', call_id: 'c', arguments: '' }

  it('has what arrived', () => {
    const done = { id: 'rs', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Because' }] }
    expect(
      mergeResponseEvents([
        created,
        { type: 'response.output_item.added', output_index: 0, item: { id: 'rs', type: 'reasoning', summary: [] } },
        { type: 'response.output_item.done', output_index: 0, item: done },
        { type: 'response.output_item.added', output_index: 1, item: message },
        {
          type: 'response.content_part.added',
          output_index: 1,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [] },
        },
        { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Hel' },
        { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'lo' },
        { type: 'response.output_item.added', output_index: 2, item: call },
        { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"id":1' },
      ]),
    ).toEqual({
      ...created.response,
      output: [
        done,
        { ...message, content: [{ type: 'output_text', text: 'Hello', annotations: [] }] },
        { ...call, arguments: '{"id":1' },
      ],
    })
    expect(created.response.output).toEqual([])
    expect(message.content).toEqual([])
  })

  it('has reasoning, refusals, code, sound and the input of every kind of tool', () => {
    const add = (output_index: number, item: KVMap) => ({ type: 'response.output_item.added', output_index, item })
    const delta = (kind: string, output_index: number, text: string, rest: KVMap = {}) => ({
      type: `response.${kind}.delta`,
      output_index,
      delta: text,
      ...rest,
    })
    const reasoning = { id: 'rs', type: 'reasoning', summary: [] }
    const image = { id: 'ig', type: 'image_generation_call', status: 'generating', result: null }
    const answer = { ...message, content: [{ type: 'refusal', refusal: 'I can' }] }
    const cited = { type: 'url_citation', url: 'https://example.com' }
    const merged = mergeResponseEvents([
      created,
      add(0, reasoning),
      {
        type: 'response.reasoning_summary_part.added',
        output_index: 0,
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      },
      delta('reasoning_summary_text', 0, 'Be', { summary_index: 0 }),
      delta('reasoning_summary_text', 0, 'cause', { summary_index: 0 }),
      delta('reasoning_summary_text', 0, 'Second', { summary_index: 1 }),
      delta('reasoning_text', 0, 'Raw', { content_index: 0 }),
      add(1, message),
      delta('refusal', 1, 'I ', { content_index: 0 }),
      delta('refusal', 1, 'can', { content_index: 0 }),
      delta('output_text', 1, 'Text', { content_index: 1, logprobs: [{ token: 'Te' }] }),
      delta('output_text', 1, '.', { content_index: 1, logprobs: [{ token: '.' }] }),
      {
        type: 'response.output_text.annotation.added',
        output_index: 1,
        content_index: 1,
        annotation_index: 0,
        annotation: cited,
      },
      add(2, { id: 'ct', type: 'custom_tool_call', name: 'sql', input: '' }),
      delta('custom_tool_call_input', 2, 'select '),
      delta('custom_tool_call_input', 2, '1'),
      add(3, { id: 'mc', type: 'mcp_call', name: 'find', arguments: '' }),
      delta('mcp_call_arguments', 3, '{"a"'),
      add(4, { id: 'ci', type: 'code_interpreter_call', code: null }),
      delta('code_interpreter_call_code', 4, 'print('),
      add(5, image),
      { type: 'response.image_generation_call.partial_image', output_index: 5, partial_image_b64: 'iVBO' },
      { type: 'response.image_generation_call.partial_image', output_index: 5, partial_image_b64: 'iVBORw' },
      add(6, { id: 'sh', type: 'shell_call', action: { commands: [] } }),
      { type: 'response.shell_call_command.added', output_index: 6, command_index: 0, command: '' },
      delta('shell_call_command', 6, 'ls ', { command_index: 0 }),
      delta('shell_call_command', 6, '-l', { command_index: 0 }),
      add(7, { id: 'so', type: 'shell_call_output', output: [] }),
      { ...delta('shell_call_output_content', 7, '', { command_index: 0 }), delta: { stdout: 'a\n' } },
      { ...delta('shell_call_output_content', 7, '', { command_index: 0 }), delta: { stdout: 'b\n', stderr: 'no' } },
      { type: 'response.audio.delta', delta: btoa('ab') },
      { type: 'response.audio.delta', delta: btoa('c') },
      { type: 'response.audio.transcript.delta', delta: 'Hi' },
      delta('unheard_of', 1, 'no'),
      { type: 'response.content_part.added', output_index: 0, part: { type: 'reasoning_text' } },
      delta('output_text', 1, 'lost'),
    ])
    expect(merged).toEqual({
      ...created.response,
      output: [
        {
          ...reasoning,
          summary: [
            { type: 'summary_text', text: 'Because' },
            { type: 'summary_text', text: 'Second' },
          ],
          content: [{ type: 'reasoning_text', text: 'Raw' }],
        },
        {
          ...answer,
          content: [
            ...answer.content,
            { type: 'output_text', text: 'Text.', logprobs: [{ token: 'Te' }, { token: '.' }], annotations: [cited] },
          ],
        },
        { id: 'ct', type: 'custom_tool_call', name: 'sql', input: 'select 1' },
        { id: 'mc', type: 'mcp_call', name: 'find', arguments: '{"a"' },
        { id: 'ci', type: 'code_interpreter_call', code: 'print(' },
        { ...image, result: 'iVBORw' },
        { id: 'sh', type: 'shell_call', action: { commands: ['ls -l'] } },
        { id: 'so', type: 'shell_call_output', output: [{ stdout: 'a\nb\n', stderr: 'no' }] },
      ],
      audio: { data: btoa('abc'), transcript: 'Hi' },
    })
    expect(reasoning.summary).toEqual([])
  })

  it('has the text that only its end has, and the error that ended it', () => {
    const error = { type: 'error', code: 'server_error', message: 'no', param: null }
    expect(
      mergeResponseEvents([
        created,
        { type: 'response.output_item.added', output_index: 0, item: message },
        { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hello' },
        error,
      ]),
    ).toEqual({
      ...created.response,
      output: [{ ...message, content: [{ type: 'output_text', text: 'Hello' }] }],
      error: { code: 'server_error', message: 'no', param: null },
    })
  })

  it('has what arrived where the last event repeats nothing of it', () => {
    const response = { ...created.response, status: 'failed', error: { code: 'server_error' } }
    expect(
      mergeResponseEvents([
        created,
        { type: 'response.output_item.added', output_index: 0, item: call },
        { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{' },
        { type: 'response.failed', response },
      ]),
    ).toEqual({ ...response, output: [{ ...call, arguments: '{' }] })
  })

  it('is its last event where nothing began', () => {
    expect(mergeResponseEvents([{ type: 'error', message: 'no' }])).toEqual({ type: 'error', message: 'no' })
  })
})

it('a long stream of annotations copies each item a few times', async () => {
  const LENGTH = 1000
  const item = { type: 'message', role: 'assistant', content: [] }
  const events = [
    { type: 'response.created', response: { id: 'r', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    ...Array.from({ length: LENGTH }, (_, at) => ({
      type: 'response.output_text.annotation.added',
      output_index: 0,
      content_index: at,
      annotation: {},
    })),
  ]
  expect(await countIterated(() => mergeResponseEvents(events))).toBeLessThan(20 * LENGTH)
})
