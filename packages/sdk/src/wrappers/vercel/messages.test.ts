import { describe, expect, it } from 'vitest'
import { convertMessageToTracedFormat, mergeParts, toAnswer, toMessages } from './messages.ts'

describe('a message of the AI SDK', () => {
  it('keeps texts and reasoning, and has images and files as data URLs', () => {
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'reasoning', text: 'hm' },
      { type: 'image', image: 'iVBO', mediaType: 'image/png' },
      { type: 'image', image: new URL('https://a.example/b.png') },
      { type: 'file', data: 'JVBE', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', data: new Uint8Array([1, 2]), mediaType: 'audio/wav' },
      { type: 'file', data: { type: 'data', data: 'QUJD' }, mediaType: 'image/png' },
    ]
    expect(convertMessageToTracedFormat({ role: 'user', content })).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'reasoning', reasoning: 'hm' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
        { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
        { type: 'file', file: { file_data: 'data:audio/wav;base64,AQI=' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
      ],
    })
  })

  it('has calls of tools beside the content, and results as messages of their own', () => {
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Bern' } }
    const calling = { role: 'assistant', content: [{ type: 'text', text: '' }, call] }
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }]
    expect(convertMessageToTracedFormat(calling, { steps: 1 })).toEqual({
      role: 'assistant',
      content: null,
      tool_calls,
      response_metadata: { steps: 1 },
    })
    const result = (toolCallId: string, output: object) => ({
      type: 'tool-result',
      toolCallId,
      toolName: 'weather',
      output,
    })
    const results = {
      role: 'tool',
      content: [
        result('c1', { type: 'json', value: { sky: 'grey' } }),
        result('c2', { type: 'error-text', value: 'no satellite' }),
      ],
    }
    const first = { tool_call_id: 'c1', name: 'weather', content: '{"sky":"grey"}' }
    const second = { tool_call_id: 'c2', name: 'weather', content: 'no satellite', status: 'error' }
    expect(toMessages(results)).toEqual([first, second].map((one) => ({ role: 'tool', ...one })))
    expect(convertMessageToTracedFormat(results).content).toEqual([
      { type: 'tool_result', ...first },
      { type: 'tool_result', ...second },
    ])
  })

  it('leaves what it does not know as it is', () => {
    expect(toMessages({ role: 'user', content: 'Hi' })).toEqual([{ role: 'user', content: 'Hi' }])
    expect(toMessages({ role: 'user', content: [{ type: 'hologram', size: 3 }] })).toEqual([
      { role: 'user', content: [{ type: 'hologram', size: 3 }] },
    ])
    expect(toMessages(undefined)).toEqual([])
  })
})

it('the parts of a stream become the answer that the model gives without streaming', () => {
  const parts = [
    { type: 'stream-start', warnings: [] },
    { type: 'reasoning-start', id: '0' },
    { type: 'text-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'h' },
    { type: 'text-delta', id: '0', delta: 'Hel' },
    { type: 'reasoning-delta', id: '0', delta: 'm' },
    { type: 'text-delta', id: '0', delta: 'lo' },
    { type: 'tool-input-delta', id: 'c1', delta: '{}' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{}' },
    { type: 'finish', usage: { inputTokens: 1 }, finishReason: 'stop' },
  ]
  expect(mergeParts(parts)).toEqual({
    content: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Hello' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{}' },
    ],
    usage: { inputTokens: 1 },
    finishReason: 'stop',
  })
})

describe('parts of a stream of the AI SDK', () => {
  it('keep a text without a start, and a call that ended early', () => {
    const parts = [
      { type: 'text-delta', id: '0', delta: 'Hel' },
      { type: 'text-delta', id: '0', delta: 'lo' },
      { type: 'tool-input-start', id: 't', toolName: 'refund' },
      { type: 'tool-input-delta', id: 't', delta: '{"id":1' },
      { type: 'tool-input-delta', id: 't', delta: '07' },
    ]
    expect(mergeParts(parts)).toEqual({
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'tool-call', toolCallId: 't', toolName: 'refund', input: '{"id":107' },
      ],
    })
  })

  it('have one call for its input and itself, in its place, and only the last of several results', () => {
    const parts = [
      { type: 'tool-input-start', id: 't', toolName: 'draw' },
      { type: 'tool-input-delta', id: 't', delta: '{}' },
      { type: 'tool-call', toolCallId: 't', toolName: 'draw', input: '{}' },
      { type: 'tool-result', toolCallId: 't', toolName: 'draw', result: 'half', preliminary: true },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Done' },
      { type: 'tool-result', toolCallId: 't', toolName: 'draw', result: 'whole' },
    ]
    expect(mergeParts(parts).content).toEqual([
      { type: 'tool-call', toolCallId: 't', toolName: 'draw', input: '{}' },
      { type: 'tool-result', toolCallId: 't', toolName: 'draw', result: 'whole' },
      { type: 'text', text: 'Done' },
    ])
  })

  it('keep two texts with one id apart', () => {
    const text = (words: string) => [
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: words },
      { type: 'text-end', id: '0' },
    ]
    expect(mergeParts([...text('a'), ...text('b')]).content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ])
  })

  it('have what the provider adds, warnings and the metadata of the response', () => {
    const signed = { anthropic: { signature: 's' } }
    const hidden = { anthropic: { redactedData: 'x' } }
    const merged = mergeParts([
      { type: 'stream-start', warnings: [{ type: 'unsupported-setting' }] },
      { type: 'response-metadata', id: 'r', modelId: 'm' },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Hm' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: signed },
      { type: 'reasoning-end', id: '0' },
      { type: 'reasoning-start', id: '1', providerMetadata: hidden },
      { type: 'text-start', id: '2' },
      { type: 'text-delta', id: '2', delta: 'Hi' },
      { type: 'text-end', id: '2', providerMetadata: signed },
      { type: 'tool-approval-request', approvalId: 'a', toolCallId: 't' },
    ])
    expect(merged).toEqual({
      content: [
        { type: 'reasoning', text: 'Hm', providerMetadata: signed },
        { type: 'reasoning', text: '', providerMetadata: hidden },
        { type: 'text', text: 'Hi', providerMetadata: signed },
        { type: 'tool-approval-request', approvalId: 'a', toolCallId: 't' },
      ],
      warnings: [{ type: 'unsupported-setting' }],
      response: { id: 'r', modelId: 'm' },
    })
    expect(toAnswer(merged.content).content).toEqual([
      { type: 'reasoning', reasoning: 'Hm', providerMetadata: signed },
      { type: 'reasoning', reasoning: '', providerMetadata: hidden },
      { type: 'text', text: 'Hi', providerMetadata: signed },
      { type: 'tool-approval-request', approvalId: 'a', toolCallId: 't' },
    ])
  })
})

it('a response has the results of tools that its provider ran, and the metadata of calls', () => {
  const providerMetadata = { google: { thoughtSignature: 's' } }
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'search', input: '{}', providerExecuted: true }
  const result = { type: 'tool-result', toolCallId: 'c', toolName: 'search', result: [], providerExecuted: true }
  const local = { type: 'tool-result', toolCallId: 'd', toolName: 'own', output: 1 }
  const answer = [{ ...call, providerMetadata }, result, local, { type: 'text', text: 'Done' }]
  expect(toAnswer(answer)).toEqual({
    role: 'assistant',
    content: [result, { type: 'text', text: 'Done' }],
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'search', arguments: '{}' }, providerMetadata }],
  })
})
