import { Digits, printJson } from '@touchstone/formats/exact-json'
import { describe, expect, it } from 'vitest'
import type { OtlpEvent, OtlpValue } from '../span.ts'
import { mapSpan } from './map-span.ts'
import { anEvent, aScope, aSpan, json } from './testing/a-span.ts'

const LONG = '107505301260286111'
/** The JSON of an object with a number that JavaScript cannot hold. */
const ORDER = `{"order":${LONG}}`

const tool = { 'gen_ai.operation.name': 'execute_tool' }
const llm = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' }
const called = (role: string) =>
  `[{"role":"${role}","parts":[{"type":"tool_call","id":"1","name":"f","arguments":${ORDER}}]}]`
const answered = `[{"role":"tool","parts":[{"type":"tool_call_response","id":"1","response":${ORDER}}]}]`

type Case = readonly [
  name: string,
  attributes: Record<string, OtlpValue>,
  events?: readonly OtlpEvent[],
  logs?: readonly OtlpEvent[],
]

const CASES: readonly Case[] = [
  ['arguments of a tool', { ...tool, 'gen_ai.tool.call.arguments': ORDER }],
  ['the result of a tool', { ...tool, 'gen_ai.tool.call.result': ORDER }],
  ['arguments in messages', { ...llm, 'gen_ai.input.messages': called('assistant') }],
  ['results in messages', { ...llm, 'gen_ai.input.messages': answered }],
  ['messages of the output', { ...llm, 'gen_ai.output.messages': called('assistant') }],
  [
    'messages that an exporter cut',
    { ...llm, 'gen_ai.input.messages': `${called('assistant').slice(0, -1)},{"role":"us` },
  ],
  ['metadata as an object', { metadata: ORDER }],
  ['metadata of Langfuse as an object', { 'langfuse.trace.metadata': ORDER }],
  ['metadata of Langfuse by key', { 'langfuse.trace.metadata.a': ORDER }],
  ['parameters of a call', { ...llm, 'llm.invocation_parameters': `{"seed":${LONG}}` }],
  ['parameters by key', { ...llm, 'gen_ai.request.metadata': ORDER }],
  ['inputs of Langfuse', { 'langfuse.observation.input': ORDER }],
  ['outputs of Langfuse', { 'langfuse.observation.output': `[${ORDER}]` }],
  ['retrieved documents', { 'openinference.span.kind': 'RETRIEVER', 'retrieval.documents.0.document.metadata': ORDER }],
  ['documents as a list', { 'gen_ai.retrieval.documents': `[{"id":${LONG},"content":"x"}]` }],
  ['values of OpenInference', { 'input.value': ORDER, 'input.mime_type': 'application/json' }],
  ['values that are JSON twice', { 'traceloop.entity.input': json(ORDER) }],
  ['definitions of tools', { ...llm, 'gen_ai.tool.definitions': `[{"name":"f","parameters":{"const":${LONG}}}]` }],
  ['tool calls of the AI SDK', { ...llm, 'ai.response.toolCalls': `[{"toolName":"f","args":${ORDER}}]` }],
  ['an event with JSON', llm, [anEvent('gen_ai.user.message', { content: `[${ORDER}]` })]],
  [
    'an event with a whole message',
    llm,
    [anEvent('gen_ai.choice', { 'gen_ai.event.content': `{"content":${ORDER}}` })],
  ],
  [
    'the details of a call',
    llm,
    [anEvent('gen_ai.client.inference.operation.details', { 'gen_ai.input.messages': called('assistant') })],
  ],
  ['a log record', llm, [], [anEvent('gen_ai.choice', { message: `{"content":[${ORDER}]}` })]],
]

describe('numbers that JavaScript cannot hold', () => {
  const cases = CASES.map(([name, attributes, events = [], logs = []]) => ({ name, attributes, events, logs }))

  it.each(cases)('keep their digits in $name', ({ attributes, events, logs }) => {
    const { inputs, outputs, extra } = mapSpan(aSpan(attributes, { events }), logs)
    const { attributes: unread, raw, ...otel } = extra.otel as Record<string, unknown>
    const printed = printJson({ inputs, outputs, extra: { ...extra, otel } })
    // As a number; within the JSON text of arguments and results too.
    expect(printed).toMatch(new RegExp(`\\\\?"(order|seed|id|const)\\\\?":${LONG}[}\\],]`))
  })

  it('keep them as attributes, and in the bodies of log records', () => {
    const long = new Digits(LONG)
    const attributes = { account: long, 'langsmith.metadata.order': long, 'http.id': long }
    const { extra } = mapSpan(aSpan(attributes))
    const printed = printJson(extra)
    for (const key of ['account', 'order', 'http.id']) expect(printed).toContain(`"${key}":${LONG}`)
    const result = mapSpan(aSpan({ ...tool, 'gen_ai.tool.call.result': long }))
    expect(printJson(result.outputs)).toBe(`{"output":${LONG}}`)
    const message = {
      role: 'assistant',
      tool_calls: [{ id: '1', function: { name: 'f', arguments: { order: long } } }],
    }
    const { outputs } = mapSpan(aSpan(llm), [anEvent('gen_ai.choice', {}, { message })])
    expect(printJson(outputs)).toContain(`{\\"order\\":${LONG}}`)
    const event = mapSpan(aSpan({}, { events: [anEvent('custom', { order: long })] })).events
    expect(printJson(event)).toContain(`"order":${LONG}`)
  })

  it('keep them where a field is a text', () => {
    const mapped = mapSpan(aSpan({ 'langsmith.span.tags': `["a",${LONG}]` }))
    expect(mapped.tags).toEqual(['a', LONG])
  })
})

describe('texts that look like JSON', () => {
  const metadataOf = (value: string, version?: string) => {
    const span = aSpan(
      { 'langfuse.trace.metadata.a': value },
      version === undefined ? {} : aScope('langfuse-sdk', version),
    )
    return printJson((mapSpan(span).extra.metadata as Record<string, unknown>).a)
  }

  it.each([LONG, '1e5', '3', 'true', 'null', '"open', '{"a":'])(
    'stay texts in the metadata of Langfuse: %s',
    (text) => {
      expect(metadataOf(text)).toBe(json(text))
    },
  )

  it.each(['{"n":3}', '[1]', '"pro"', '"5"'])('are objects, lists and quoted texts: %s', (text) => {
    expect(metadataOf(text)).toBe(text)
  })

  it.each([LONG, '1e5', '3', 'true', '"3"', '{"n":3}'])('are all JSON since version 5 of Langfuse: %s', (text) => {
    expect(metadataOf(text, '5.0.4')).toBe(text === '1e5' ? '100000' : text)
  })
})
