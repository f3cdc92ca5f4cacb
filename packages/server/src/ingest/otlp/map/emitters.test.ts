import { memberAt } from '@touchstone/formats/guards'
import { describe, expect, it } from 'vitest'
import type { OtlpSpan, OtlpValue } from '../span.ts'
import { mapSpan } from './index.ts'
import { anEvent, aScope, aSpan, json } from './testing/a-span.ts'

const map = (attributes: Record<string, OtlpValue>, more: Partial<OtlpSpan> = {}) => mapSpan(aSpan(attributes, more))

const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'get_weather' }
const called = { inputs: { city: 'Paris' }, outputs: { output: '21 degrees' } }

describe('the call of a tool', () => {
  it('is the input, and not the definition of its parameters (smolagents)', () => {
    const { inputs, extra } = map({
      'openinference.span.kind': 'TOOL',
      'tool.parameters': json({ city: { type: 'string', description: 'the city' } }),
      'input.value': json({ args: [], kwargs: { city: 'Paris' } }),
    })
    expect(inputs).toEqual({ args: [], kwargs: { city: 'Paris' } })
    expect(extra.otel).toHaveProperty(['attributes', 'tool.parameters'])
  })

  it.each([
    ['a list of parameters', { city: { type: 'string' } }],
    ['a schema', { type: 'object', properties: { city: { type: 'string' } } }],
  ])('is absent when the span has only %s', (_, parameters) => {
    expect(map({ 'openinference.span.kind': 'TOOL', 'tool.parameters': json(parameters) }).inputs).toBeUndefined()
  })

  it('is read from message events (Strands)', () => {
    const asked = anEvent('gen_ai.tool.message', { role: 'tool', content: '{"city":"Paris"}', id: 'c1' })
    const answered = anEvent('gen_ai.choice', { message: '[{"text":"21 degrees"}]', id: 'c1' })
    expect(map(tool, { events: [asked, answered] })).toMatchObject(called)
    const failed = map(tool, { events: [asked] })
    expect([failed.inputs, failed.outputs]).toEqual([called.inputs, undefined])
  })

  it('is what stands beside the name of its tool (AG2)', () => {
    const { inputs } = map({
      'openinference.span.kind': 'TOOL',
      'input.value': json({ name: 'get_weather', arguments: '{"city":"Paris"}' }),
    })
    expect(inputs).toEqual({ city: 'Paris' })
  })

  it('is read from the messages of the newer conventions', () => {
    const asked = [{ role: 'tool', parts: [{ type: 'tool_call', name: 'f', id: 'c1', arguments: { city: 'Paris' } }] }]
    const response = [{ text: '21 degrees' }]
    const answered = [{ role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response }] }]
    const details = 'gen_ai.client.inference.operation.details'
    const messages = { 'gen_ai.input.messages': json(asked), 'gen_ai.output.messages': json(answered) }
    const events = Object.entries(messages).map(([key, value]) => anEvent(details, { [key]: value }))
    for (const mapped of [map(tool, { events }), map({ ...tool, ...messages })]) {
      expect(mapped.inputs).toEqual(called.inputs)
      expect(mapped.outputs).toEqual(called.outputs)
    }
  })
})

it('the error of a tool is its result, also beside an empty content', () => {
  const part = { type: 'tool_result', tool_use_id: 'c1', content: '', error: 'not found' }
  const { inputs } = mapSpan(
    aSpan({ 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': json([{ role: 'user', parts: [part] }]) }),
  )
  expect(inputs).toMatchObject({ messages: [{ role: 'tool', tool_call_id: 'c1', content: 'not found' }] })
})

describe('a log record whose body is a text', () => {
  const chat = { 'gen_ai.operation.name': 'chat' }

  it('is read as JSON (Semantic Kernel)', () => {
    const { inputs, outputs } = mapSpan(aSpan(chat), [
      anEvent('gen_ai.user.message', {}, '{"role":"user","content":"hi"}'),
      anEvent('gen_ai.choice', {}, json({ index: 0, message: { role: 'assistant', content: 'hello' } })),
    ])
    expect(inputs).toEqual({ messages: [{ role: 'user', content: 'hi' }] })
    expect(outputs).toEqual({ messages: [{ role: 'assistant', content: 'hello', index: 0 }] })
  })

  it('is the content of the message when it is not JSON', () => {
    const { inputs } = mapSpan(aSpan(chat), [anEvent('gen_ai.user.message', {}, 'hi')])
    expect(inputs).toEqual({ messages: [{ role: 'user', content: 'hi' }] })
  })

  it('may have the details of a call or an evaluation', () => {
    const details = json({ 'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }] })
    const { inputs } = mapSpan(aSpan(chat), [anEvent('gen_ai.client.inference.operation.details', {}, details)])
    expect(inputs).toEqual({ messages: [{ role: 'user', content: 'hi' }] })
    const result = json({ 'gen_ai.evaluation.name': 'tone', 'gen_ai.evaluation.score.value': 0.5 })
    const { feedback } = mapSpan(aSpan(chat), [anEvent('gen_ai.evaluation.result', {}, result)])
    expect(feedback).toMatchObject([{ key: 'tone', score: 0.5 }])
  })
})

describe('a text that an emitter printed as JSON', () => {
  it.each<[string, Record<string, OtlpValue>]>([
    ['OpenLLMetry', { 'traceloop.entity.output': '"It is 21"' }],
    ['OpenInference', { 'output.value': '"It is 21"', 'output.mime_type': 'application/json' }],
    ['Genkit', { 'genkit:output': '"It is 21"' }],
    ['Laminar', { 'lmnr.span.output': '"It is 21"' }],
    ['Braintrust', { 'braintrust.output_json': '"It is 21"' }],
    ['MLflow', { 'mlflow.spanOutputs': '"It is 21"' }],
  ])('is shown without its quotes: %s', (_, attributes) => {
    expect(Object.values(map(attributes).outputs ?? {})).toEqual(['It is 21'])
  })

  it('keeps quotes of its own where texts are sent as they are', () => {
    expect(map({ 'langfuse.observation.output': '"quoted"' }).outputs).toEqual({ output: '"quoted"' })
    expect(map({ 'output.value': '"quoted"' }).outputs).toEqual({ text: '"quoted"' })
  })

  it.each([
    ['mlflow.llm.model', '"m"', 'ls_model_name', 'm'],
    ['mlflow.trace.session', '"s"', 'thread_id', 's'],
    ['langfuse.session.id', '"s"', 'thread_id', 's'],
    ['langfuse.user.id', '"u"', 'user_id', 'u'],
    ['langfuse.environment', '"prod"', 'environment', 'prod'],
  ])('is a field without its quotes: %s', (key, value, field, text) => {
    expect(map({ [key]: value }).extra.metadata).toMatchObject({ [field]: text })
  })
})

describe('a message with calls and their results', () => {
  it('becomes messages in the order of its parts (AI SDK 7)', () => {
    const parts = [
      { type: 'text', content: 'Let me see.' },
      { type: 'tool_call', id: 'c1', name: 'f', arguments: {} },
      { type: 'tool_call_response', id: 'c1', response: '21' },
      { type: 'text', content: 'It is 21.' },
    ]
    const { outputs } = map({
      'gen_ai.output.messages': json([{ role: 'assistant', parts, finish_reason: 'stop' }]),
    })
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    expect(outputs).toEqual({
      messages: [
        { role: 'assistant', content: 'Let me see.', tool_calls },
        { role: 'tool', content: '21', tool_call_id: 'c1' },
        { role: 'assistant', content: 'It is 21.', finish_reason: 'stop' },
      ],
    })
  })
})

describe('the outputs of an agent of the AI SDK 7', () => {
  it('end with its answer, which is sent before the calls that it was made from', () => {
    const parts = [
      { type: 'text', content: 'It is 21.' },
      { type: 'tool_call', id: 'c1', name: 'f', arguments: {} },
      { type: 'tool_call_response', id: 'c1', response: '21' },
    ]
    const messages = json([{ role: 'assistant', parts, finish_reason: 'stop' }])
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    expect(map({ 'gen_ai.output.messages': messages }).outputs).toEqual({
      messages: [
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', content: '21', tool_call_id: 'c1' },
        { role: 'assistant', content: 'It is 21.', finish_reason: 'stop' },
      ],
    })
  })
})

describe('a value that an emitter scrubbed', () => {
  it('is no id: its thread would join the traces of everybody (Logfire)', () => {
    const scrubbed = "[Scrubbed due to 'session']"
    const { thread, extra } = map({ 'session.id': scrubbed, 'user.id': scrubbed })
    expect(thread).toBeUndefined()
    expect(extra.metadata).not.toHaveProperty('thread_id')
    expect(extra.metadata).not.toHaveProperty('user_id')
    expect(extra.otel).toMatchObject({ attributes: { 'session.id': scrubbed, 'user.id': scrubbed } })
    expect(map({ 'session.id': scrubbed, 'langfuse.session.id': 's' }).thread).toBe('s')
  })
})

describe('Braintrust', () => {
  const attributes = {
    'braintrust.parent': 'project_name:shop',
    'braintrust.input_json': '[{"role":"user","content":"Hi"}]',
    'braintrust.output_json': '[{"role":"assistant","content":"Hello"}]',
    'braintrust.metrics': json({
      prompt_tokens: 120,
      completion_tokens: 40,
      tokens: 160,
      prompt_cached_tokens: 50,
      completion_reasoning_tokens: 12,
      time_to_first_token: 0.25,
    }),
    'braintrust.metadata': json({ model: 'gpt-4o-mini', provider: 'openai', plan: 'pro' }),
    'braintrust.span_attributes': json({ name: 'chat', type: 'llm' }),
    'braintrust.tags': '["a","b"]',
  }

  it('has type, messages, tokens, metadata, tags, first token and project', () => {
    const mapped = map(attributes)
    expect(mapped).toMatchObject({
      runType: 'llm',
      inputs: { messages: [{ role: 'user', content: 'Hi' }] },
      outputs: { messages: [{ role: 'assistant', content: 'Hello' }] },
      tags: ['a', 'b'],
      sessionName: 'shop',
      events: [{ name: 'new_token', time: '2026-11-01T12:00:00.250000Z' }],
    })
    expect(mapped.extra.metadata).toMatchObject({
      ls_model_name: 'gpt-4o-mini',
      ls_provider: 'openai',
      plan: 'pro',
      usage_metadata: {
        input_tokens: 120,
        output_tokens: 40,
        total_tokens: 160,
        input_token_details: { cache_read: 50 },
        output_token_details: { reasoning: 12 },
      },
    })
    // It has more than the type.
    const { 'braintrust.span_attributes': kept } = attributes
    expect(mapped.extra.otel).toMatchObject({ attributes: { 'braintrust.span_attributes': kept } })
  })

  it.each([
    ['tool', 'tool'],
    ['task', 'chain'],
    ['function', 'chain'],
    ['score', 'chain'],
  ])('of type %s is %s', (type, runType) => {
    expect(map({ 'braintrust.span_attributes': json({ type }) }).runType).toBe(runType)
    expect(map({ 'braintrust.span_attributes.type': type }).runType).toBe(runType)
  })
})

describe('Laminar', () => {
  it('has type, payloads, thread, user, metadata and tags', () => {
    const mapped = map({
      'lmnr.span.type': 'TOOL',
      'lmnr.span.input': '{"city":"Paris"}',
      'lmnr.span.output': '{"degrees":21}',
      'lmnr.span.path': ['agent', 'get_weather'],
      'lmnr.association.properties.session_id': 's',
      'lmnr.association.properties.user_id': 'u',
      'lmnr.association.properties.metadata.plan': 'pro',
      'lmnr.association.properties.tags': ['a'],
    })
    expect(mapped).toMatchObject({
      runType: 'tool',
      inputs: { city: 'Paris' },
      outputs: { degrees: 21 },
      thread: 's',
      tags: ['a'],
    })
    expect(mapped.extra.metadata).toMatchObject({ user_id: 'u', plan: 'pro' })
  })
})

describe('Haystack', () => {
  it.each([
    ['OpenAIChatGenerator', 'llm'],
    ['InMemoryBM25Retriever', 'retriever'],
    ['OpenAITextEmbedder', 'embedding'],
    ['ChatPromptBuilder', 'prompt'],
    ['ToolInvoker', 'tool'],
    ['DocumentJoiner', 'chain'],
  ])('has a run of its component %s, of type %s, with its inputs and outputs', (type, runType) => {
    const mapped = map({
      'haystack.component.name': 'mine',
      'haystack.component.type': type,
      'haystack.component.input': '{"query":"Hi"}',
      'haystack.component.output': '{"documents":[]}',
    })
    expect(mapped).toMatchObject({ name: 'mine', runType, inputs: { query: 'Hi' }, outputs: { documents: [] } })
  })

  it.each([
    ['pipeline.input_data', 'pipeline.output_data', 'chain'],
    ['agent.input', 'agent.output', 'chain'],
    ['agent.step.llm.input', 'agent.step.llm.output', 'llm'],
    ['agent.step.tool.input', 'agent.step.tool.output', 'tool'],
  ])('has payloads of %s', (input, output, runType) => {
    const mapped = map({ [`haystack.${input}`]: '{"a":1}', [`haystack.${output}`]: '{"b":2}' })
    expect(mapped).toMatchObject({ runType, inputs: { a: 1 }, outputs: { b: 2 } })
  })
})

describe('a call of a model by Haystack', () => {
  const usage = { prompt_tokens: 20, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 5 } }
  const meta = { model: 'gpt-4o-mini', usage }
  const usageOf = ({ extra }: ReturnType<typeof map>) => memberAt(extra, 'metadata', 'usage_metadata')
  const input = json({
    messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    tools: [
      { type: 'haystack.tools.tool.Tool', data: { name: 'f', description: 'd', parameters: {}, function: 'm.f' } },
    ],
  })

  it.each([
    ['haystack.component.output', { replies: [{ role: 'assistant', content: [{ text: 'Hello' }], meta }] }],
    ['haystack.component.output', { replies: ['Hello'], meta: [meta] }],
    ['haystack.agent.step.llm.output', { replies: [{ role: 'assistant', content: [{ text: 'Hello' }], meta }] }],
  ])('has the model and the tokens of %s', (key, output) => {
    const mapped = map({
      'haystack.component.type': 'OpenAIChatGenerator',
      'haystack.agent.step.llm.input': input,
      [key]: json(output),
    })
    expect(mapped.runType).toBe('llm')
    expect(mapped.extra.metadata).toMatchObject({ ls_model_name: 'gpt-4o-mini' })
    expect(usageOf(mapped)).toMatchObject({
      input_tokens: 20,
      output_tokens: 10,
      input_token_details: { cache_read: 5 },
    })
    expect(mapped.extra.invocation_params).toEqual({
      tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: {} } }],
    })
  })
})

describe('a call of Bedrock under OpenInference for JavaScript', () => {
  const scope = aScope('@arizeai/openinference-instrumentation-bedrock')
  const counts = { 'llm.token_count.prompt': 15, 'llm.token_count.completion': 10, 'llm.token_count.total': 30 }

  it.each([
    ['Converse', { inputTokens: 15, outputTokens: 10, totalTokens: 30, cacheReadInputTokens: 5 }],
    ['InvokeModel', { input_tokens: 15, output_tokens: 10, cache_read_input_tokens: 5 }],
  ])('has the cached tokens of its response: %s', (_, usage) => {
    const { extra } = map({ 'openinference.span.kind': 'LLM', ...counts, 'output.value': json({ usage }) }, scope)
    expect(memberAt(extra, 'metadata', 'usage_metadata')).toEqual({
      input_tokens: 20,
      output_tokens: 10,
      total_tokens: 30,
      input_token_details: { cache_read: 5 },
    })
  })

  it('has its tools in the form of OpenAI', () => {
    const toolSpec = { name: 'f', description: 'd', inputSchema: { json: { type: 'object' } } }
    const { extra } = map({ ...tool, 'llm.tools.0.tool.json_schema': json({ toolSpec }) })
    expect(extra.invocation_params).toMatchObject({
      tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }],
    })
  })
})

describe('Mastra', () => {
  it('has user, thread, tags, metadata, first token and the names of its tools', () => {
    const { thread, tags, extra, events } = map({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.tool.definitions': '["weather"]',
      'mastra.span.type': 'agent_run',
      'mastra.metadata.threadId': 't',
      'mastra.metadata.userId': 'u',
      'mastra.metadata.plan': 'pro',
      'mastra.tags': '["one"]',
      'mastra.completion_start_time': '2026-11-01T12:00:00.250Z',
    })
    expect([thread, tags]).toEqual(['t', ['one']])
    expect(extra.metadata).toMatchObject({ user_id: 'u', plan: 'pro' })
    expect(extra.metadata).not.toHaveProperty(['mastra.span.type'])
    expect(extra.invocation_params).toEqual({ tools: [{ type: 'function', function: { name: 'weather' } }] })
    expect(events).toEqual([{ name: 'new_token', time: '2026-11-01T12:00:00.250Z' }])
  })
})

describe('Claude Code', () => {
  it('has one run of a tool, and its execution inside it', () => {
    const call = { 'gen_ai.tool.call.id': 'c1' }
    expect(map({ ...call, 'span.type': 'tool', 'gen_ai.operation.name': 'execute_tool' }).runType).toBe('tool')
    expect(map({ ...call, 'span.type': 'tool.execution' }).runType).toBe('chain')
  })
})

describe('LiteLLM', () => {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4o-mini',
    'gen_ai.usage.input_tokens': 120,
    'gen_ai.usage.output_tokens': 40,
    'gen_ai.cost.total_cost': 3.5e-5,
    'gen_ai.cost.input_cost': 1.5e-5,
    'gen_ai.cost.output_cost': 2e-5,
    'gen_ai.cost.discount_percent': 0,
    'llm.user': 'u-1',
    'metadata.user_api_key_user_id': 'key-user',
    'metadata.user_api_key_end_user_id': '',
    'metadata.user_api_key_team_alias': 'team-a',
    'metadata.requester_metadata': "{'session_id': 'thread-2', 'plan': 'pro', 'beta': True, 'none': None}",
    'metadata.applied_guardrails': '[]',
    'metadata.usage_object':
      "{'completion_tokens': 40, 'prompt_tokens': 120, 'total_tokens': 160, 'completion_tokens_details': " +
      "{'reasoning_tokens': 12, 'audio_tokens': None}, 'prompt_tokens_details': {'cached_tokens': 50}}",
    hidden_params: '{"model_id": null}',
  }

  it('has user, thread, team, metadata of the request, cached and reasoning tokens, and the cost', () => {
    const map = (attributes: Record<string, OtlpValue>) => mapSpan(aSpan(attributes, aScope('litellm')))
    const { thread, extra } = map(attributes)
    expect(thread).toBe('thread-2')
    expect(extra.metadata).toMatchObject({
      user_id: 'u-1',
      user_api_key_team_alias: 'team-a',
      plan: 'pro',
      beta: true,
      usage_metadata: {
        input_tokens: 120,
        output_tokens: 40,
        total_tokens: 160,
        input_token_details: { cache_read: 50 },
        output_token_details: { reasoning: 12 },
      },
    })
    expect(extra.metadata).not.toHaveProperty('user_api_key_end_user_id')
    expect(extra.metadata).not.toHaveProperty('hidden_params')
    expect(extra.otel).toMatchObject({ reported_cost: { total: 3.5e-5, input: 1.5e-5, output: 2e-5 } })
    expect(map({ ...attributes, 'metadata.user_api_key_end_user_id': 'end' }).extra.metadata).toMatchObject({
      user_id: 'end',
    })
  })
})

describe('attributes of a program', () => {
  it('are metadata, whatever their names (Strands)', () => {
    const { extra } = map({ plan: 'pro', 'shop.cart.items': 3, beta: true, labels: ['a', 'b'] })
    expect(extra.metadata).toMatchObject({ plan: 'pro', 'shop.cart.items': 3, beta: true, labels: ['a', 'b'] })
    expect(extra.otel).not.toHaveProperty('attributes')
  })

  it('stay beside the run where their names belong to a convention or an emitter', () => {
    const attributes = {
      'http.route': '/chat',
      'db.system': 'postgresql',
      'gen_ai.event.start_time': 'x',
      'code.function.name': 'f',
      'logfire.level_num': 9,
      'thread.id': 7,
    }
    const { extra } = map(attributes)
    expect(extra.otel).toMatchObject({ attributes })
    for (const key of Object.keys(attributes)) expect(extra.metadata).not.toHaveProperty([key])
  })

  it('stay beside the run when they are long, nested or too many', () => {
    const long = { body: 'x'.repeat(2_000), nested: { a: 1 } }
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`shop.n${at}`, at]))
    const { extra } = map({ ...long, ...many })
    const beside = (extra.otel as { attributes: object }).attributes
    expect(beside).toMatchObject(long)
    expect(Object.keys(extra.metadata as object).filter((key) => key.startsWith('shop.'))).toHaveLength(64)
    expect(Object.keys(beside)).toHaveLength(2 + 36)
  })

  it('do not replace what the run has', () => {
    const { extra } = map({ user_id: 'custom', 'user.id': 'u', ls_model_name: 'x', 'gen_ai.request.model': 'm' })
    expect(extra.metadata).toMatchObject({ user_id: 'u', ls_model_name: 'm' })
    expect(extra.otel).toMatchObject({ attributes: { user_id: 'custom', ls_model_name: 'x' } })
  })
})
