import { describe, expect, it } from 'vitest'
import { findResults, listRowResults, listTraceResults, type RecordedResult } from './tool-results.ts'

const call = (name: string, args: unknown) => ({ name, arguments: JSON.stringify(args) })
const CONVERSATION = [
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city": "Oslo"}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: '12 degrees' },
]

describe('answers of tools in a trace', () => {
  it.each([
    ['a text', 'sunny', 'sunny'],
    ['an only output', { output: 'sunny' }, 'sunny'],
    ['a tool message of LangChain', { output: { lc: 1, kwargs: { content: 'sunny', tool_call_id: 'x' } } }, 'sunny'],
    ['a plain tool message', { output: { type: 'tool', content: 'sunny' } }, 'sunny'],
  ])('are read from %s', (_name, outputs, text) => {
    const run = { name: 'weather', run_type: 'tool', inputs: { city: 'Oslo' }, outputs }
    expect(listTraceResults([run])).toEqual([{ name: 'weather', arguments: { city: 'Oslo' }, text, from: 'trace' }])
  })

  it('are JSON for other outputs, and the error of a tool that failed', () => {
    const runs = [
      { name: 'a', run_type: 'tool', inputs: { input: '{"x":1}' }, outputs: { degrees: 12, sky: 'clear' } },
      { name: 'b', run_type: 'tool', inputs: {}, outputs: null, error: 'Timeout' },
      { name: 'c', run_type: 'chain', inputs: {}, outputs: { output: 'no tool' } },
    ]
    const [a, b, ...others] = listTraceResults(runs)
    expect(a).toMatchObject({ name: 'a', arguments: { x: 1 } })
    expect(JSON.parse(a?.text ?? '')).toEqual({ degrees: 12, sky: 'clear' })
    expect(b).toMatchObject({ name: 'b', text: 'Timeout' })
    expect(others).toEqual([])
  })

  it('are read from the messages of models, once', () => {
    const model = { name: 'chat', run_type: 'llm', inputs: { messages: CONVERSATION } }
    expect(listTraceResults([model, model])).toEqual([
      { name: 'weather', arguments: { city: 'Oslo' }, text: '12 degrees', from: 'trace' },
    ])
    const nested = { name: 'chat', run_type: 'llm', inputs: { messages: [CONVERSATION] } }
    expect(listTraceResults([nested])).toHaveLength(1)
  })
})

describe('answers of tools in a row of a dataset', () => {
  it.each([
    ['a reference output', { outputs: { weather: 'sunny' } }],
    ['a holder', { outputs: { tool_results: { weather: 'sunny' } } }],
    ['the metadata', { metadata: { weather: 'sunny' } }],
    ['an input', { inputs: { weather: 'sunny' } }],
  ])('are read from %s', (_name, row) => {
    expect(listRowResults(row, ['weather', 'other'])).toEqual([
      { name: 'weather', arguments: undefined, text: 'sunny', from: 'dataset' },
    ])
  })

  it('are read from a conversation', () => {
    expect(listRowResults({ outputs: { messages: CONVERSATION } }, ['weather'])).toEqual([
      { name: 'weather', arguments: { city: 'Oslo' }, text: '12 degrees', from: 'dataset' },
    ])
    expect(listRowResults({ inputs: { question: 'x' }, outputs: null }, ['weather', '__proto__'])).toEqual([])
  })
})

describe('the answer to a call', () => {
  const recorded = (name: string, args: unknown, text: string): RecordedResult => ({
    name,
    arguments: args,
    text,
    from: 'trace',
  })

  it('has the same arguments, whatever the order of their keys, or else is of the same tool', () => {
    const all = [recorded('f', { a: 1, b: 2 }, 'first'), recorded('f', { a: 9 }, 'second'), recorded('g', {}, 'third')]
    expect(
      findResults([call('f', { b: 2, a: 1 }), call('f', { a: 7 }), call('g', {}), call('h', {})], all).map(
        (one) => one && [one.result.text, one.isSame],
      ),
    ).toEqual([['first', true], ['second', false], ['third', true], undefined])
  })

  it('is used once', () => {
    const calls = [call('f', { a: 2 }), call('f', { a: 1 })]
    const found = findResults(calls, [recorded('f', { a: 1 }, 'one')])
    expect(found.map((one) => one?.result.text)).toEqual([undefined, 'one'])
  })
})
