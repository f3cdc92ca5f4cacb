import { memberAt } from '@touchstone/formats/guards'
import { COST_SOURCES, USAGE_SOURCES } from '@touchstone/formats/usage'
import { describe, expect, it } from 'vitest'
import { readUsage } from '../../usage.ts'
import type { OtlpSpan, OtlpValue } from '../span.ts'
import { findAggregates, mapSpan, readRunTokens, toAggregate } from './index.ts'
import { aScope, aSpan, json } from './testing/a-span.ts'

const LLM = { 'langsmith.span.kind': 'llm' }

function usageOf(attributes: Record<string, OtlpValue>, more: Partial<OtlpSpan> = {}): unknown {
  return memberAt(mapSpan(aSpan({ ...LLM, ...attributes }, more)).extra, 'metadata', 'usage_metadata')
}

const otelOf = (attributes: Record<string, OtlpValue>) => mapSpan(aSpan({ ...LLM, ...attributes })).extra.otel

/** Where each number of the table arrives. */
const PLACES: Record<keyof typeof USAGE_SOURCES, readonly string[]> = {
  input: ['input_tokens'],
  output: ['output_tokens'],
  total: ['total_tokens'],
  cache_read: ['input_token_details', 'cache_read'],
  cache_creation: ['input_token_details', 'cache_creation'],
  input_audio: ['input_token_details', 'audio'],
  input_image: ['input_token_details', 'image'],
  input_text: ['input_token_details', 'text'],
  reasoning: ['output_token_details', 'reasoning'],
  output_audio: ['output_token_details', 'audio'],
  output_image: ['output_token_details', 'image'],
  output_text: ['output_token_details', 'text'],
}

const ROWS = Object.entries(USAGE_SOURCES).flatMap(([name, keys]) =>
  keys.map((key) => ({ name: name as keyof typeof USAGE_SOURCES, key })),
)

describe('the usage of a model call', () => {
  it.each(ROWS)('reads $key as $name', ({ name, key }) => {
    const isAggregate = key.includes('aggregated')
    const totals =
      name === 'input' || name === 'output' || name === 'total'
        ? {}
        : { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 100 }
    const { extra } = mapSpan(aSpan({ ...LLM, ...totals, [key]: 42 }))
    const path = isAggregate ? ['otel', 'aggregate_usage'] : ['metadata', 'usage_metadata']
    expect(memberAt(extra, ...path, ...PLACES[name])).toBe(42)
    expect(memberAt(extra, 'otel', 'usage', key)).toBe(42)
  })

  it.each(Object.entries(COST_SOURCES).flatMap(([name, keys]) => keys.map((key) => ({ name, key }))))(
    'keeps the cost $key beside the usage and does not count it',
    ({ name, key }) => {
      const { extra } = mapSpan(aSpan({ ...LLM, 'gen_ai.usage.input_tokens': 1, [key]: 0.25 }))
      expect(memberAt(extra, 'otel', 'reported_cost', name)).toBe(0.25)
      expect(readUsage(extra, undefined)?.given.total).toBeUndefined()
    },
  )

  it('takes usage in the form of LangSmith as it is', () => {
    const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8, input_token_details: { cache_read: 2 } }
    expect(usageOf({ 'langsmith.usage_metadata': json(usage), 'gen_ai.usage.input_tokens': 99 })).toEqual(usage)
  })

  it('reads details that Python printed as a dictionary', () => {
    const attributes = { 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.input_token_details': "{'cache_read': 2}" }
    expect(usageOf(attributes)).toMatchObject({ input_tokens: 5, input_token_details: { cache_read: 2 } })
  })

  it('follows the worked example of the conventions: 300 tokens are 100 of text with 40 cached, and 200 of images', () => {
    const attributes = {
      'gen_ai.usage.input_tokens': 300,
      'gen_ai.usage.text.input_tokens': 100,
      'gen_ai.usage.image.input_tokens': 200,
      'gen_ai.usage.cache_read.input_tokens': 40,
    }
    expect(usageOf(attributes)).toMatchObject({
      input_tokens: 300,
      total_tokens: 300,
      input_token_details: { text: 100, image: 200, cache_read: 40 },
    })
  })

  it('adds thoughts that only the total contains, as Gemini reports them', () => {
    const attributes = {
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.reasoning.output_tokens': 7,
      'gen_ai.usage.total_tokens': 22,
    }
    expect(usageOf(attributes)).toMatchObject({ output_tokens: 12, total_tokens: 22 })
  })

  it('reads tokens written to a cache of Anthropic by their lifetime, each once', () => {
    const metadata = {
      anthropic: {
        cacheCreationInputTokens: 100,
        usage: { cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 } },
      },
    }
    const attributes = {
      'ai.usage.inputTokens': 10,
      'ai.usage.outputTokens': 1,
      'ai.response.providerMetadata': json(metadata),
      'ai.model.provider': 'anthropic.messages',
    }
    expect(usageOf(attributes, aScope('ai'))).toEqual({
      input_tokens: 110,
      output_tokens: 1,
      total_tokens: 111,
      input_token_details: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
    })
  })

  it('keeps a response and a tier that are read for its numbers only', () => {
    const response = json({ usage_metadata: { prompt_token_count: 10, candidates_token_count: 5 } })
    const { extra } = mapSpan(
      aSpan({
        ...LLM,
        'gen_ai.input.messages': json([{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }]),
        'gen_ai.output.messages': json([{ role: 'assistant', parts: [{ type: 'text', content: 'yo' }] }]),
        'gcp.vertex.agent.llm_response': response,
        'openai.response.service_tier': 'flex',
      }),
    )
    expect(memberAt(extra, 'metadata', 'usage_metadata')).toMatchObject({
      input_tokens: 10,
      input_token_details: { flex: 10 },
      output_token_details: { flex: 5 },
    })
    expect(memberAt(extra, 'otel', 'attributes')).toMatchObject({ 'gcp.vertex.agent.llm_response': response })
    expect(memberAt(extra, 'invocation_params', 'openai')).toEqual({ 'response.service_tier': 'flex' })
  })

  it('ignores numbers that are none', () => {
    expect(usageOf({ 'gen_ai.usage.input_tokens': 'many', 'gen_ai.usage.output_tokens': -1 })).toBeUndefined()
    expect(usageOf({ 'gen_ai.usage.input_tokens': '12' })).toMatchObject({ input_tokens: 12 })
    expect(otelOf({ 'gen_ai.usage.input_tokens': 'many' })).toMatchObject({
      usage: { 'gen_ai.usage.input_tokens': 'many' },
    })
  })
})

interface TracedSpan {
  readonly id: string
  readonly parent?: string
  readonly name: string
  readonly attributes: Record<string, OtlpValue>
  readonly scope?: Pick<OtlpSpan, 'scope'>
}

interface DoubleCount {
  readonly thread: string
  readonly about: string
  readonly spans: readonly TracedSpan[]
  readonly input: number
  readonly output: number
  readonly cached?: number
}

const chat = (input: number, output: number) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
})
const agent = (input: number, output: number) => ({ ...chat(input, output), 'gen_ai.operation.name': 'invoke_agent' })

/** One trace for each public report of tokens that were counted twice, with the tokens that were used. */
const DOUBLE_COUNTS: readonly DoubleCount[] = [
  {
    thread: 'langfuse#5568',
    about: 'cached tokens of OpenAI are a part of the input',
    spans: [{ id: '1', name: 'chat', attributes: { ...chat(1999, 10), 'gen_ai.usage.cache_read.input_tokens': 1792 } }],
    input: 1999,
    output: 10,
    cached: 1792,
  },
  {
    thread: 'langfuse#9386',
    about: 'cached tokens are not added to a total that has them',
    spans: [
      {
        id: '1',
        name: 'chat',
        attributes: {
          ...chat(500, 20),
          'gen_ai.usage.cache_read_input_tokens': 300,
          'gen_ai.usage.cache_creation_input_tokens': 100,
        },
      },
    ],
    input: 500,
    output: 20,
    cached: 300,
  },
  {
    thread: 'langfuse#10592',
    about: 'disjoint numbers of Langfuse add up to the input',
    spans: [
      {
        id: '1',
        name: 'generation',
        attributes: {
          'langfuse.observation.type': 'generation',
          'langfuse.observation.usage_details': json({ input: 86, input_cached_tokens: 17_817, output: 5 }),
        },
      },
    ],
    input: 17_903,
    output: 5,
    cached: 17_817,
  },
  {
    thread: 'langfuse#12306',
    about: 'Pydantic AI with Anthropic reports a total that has its cache',
    spans: [
      {
        id: '1',
        name: 'chat claude',
        scope: aScope('pydantic-ai', '2.33.0'),
        attributes: {
          ...chat(130_213, 100),
          'gen_ai.usage.cache_read_tokens': 128_955,
          'gen_ai.usage.cache_write_tokens': 1_253,
          'gen_ai.usage.details.cache_read_tokens': 128_955,
        },
      },
    ],
    input: 130_213,
    output: 100,
    cached: 128_955,
  },
  {
    thread: 'langfuse#14902',
    about: 'the alias input_cached_tokens',
    spans: [{ id: '1', name: 'chat', attributes: { ...chat(13_675, 50), 'gen_ai.usage.input_cached_tokens': 9_216 } }],
    input: 13_675,
    output: 50,
    cached: 9_216,
  },
  {
    thread: 'langfuse#12635',
    about: 'AI SDK 7 with Bedrock has its cache in the total and again in the metadata of the provider',
    spans: [
      {
        id: '1',
        name: 'chat claude',
        scope: aScope('gen_ai', '1.0.77'),
        attributes: {
          ...chat(4_448, 12),
          'gen_ai.provider.name': 'aws.bedrock',
          'gen_ai.usage.cache_read.input_tokens': 4_425,
          'gen_ai.usage.cache_creation.input_tokens': 0,
          'ai.response.providerMetadata': json({ bedrock: { usage: { cacheReadInputTokens: 4_425 } } }),
        },
      },
    ],
    input: 4_448,
    output: 12,
    cached: 4_425,
  },
  {
    thread: 'langfuse#14754',
    about: 'invoke_agent of AI SDK 7 has the sum of its calls',
    spans: [
      { id: '1', name: 'invoke_agent gpt-4o', attributes: agent(113, 11) },
      { id: '2', parent: '1', name: 'step 1', attributes: { ...agent(56, 5), 'gen_ai.operation.name': 'agent_step' } },
      { id: '3', parent: '2', name: 'chat gpt-4o', attributes: chat(56, 5) },
      { id: '4', parent: '1', name: 'step 2', attributes: { ...agent(57, 6), 'gen_ai.operation.name': 'agent_step' } },
      { id: '5', parent: '4', name: 'chat gpt-4o', attributes: chat(57, 6) },
    ],
    input: 113,
    output: 11,
  },
  {
    thread: 'langfuse#14808',
    about: 'nested agents do not count either',
    spans: [
      { id: '1', name: 'invoke_workflow', attributes: { ...agent(40, 4), 'gen_ai.operation.name': 'invoke_workflow' } },
      { id: '2', parent: '1', name: 'invoke_agent a', attributes: agent(40, 4) },
      { id: '3', parent: '2', name: 'chat', attributes: chat(40, 4) },
    ],
    input: 40,
    output: 4,
  },
  {
    thread: 'langfuse#16409',
    about: 'embed of the AI SDK and its child have the same name',
    spans: [
      {
        id: '1',
        name: 'embeddings text-embedding-3-small',
        attributes: { 'gen_ai.operation.name': 'embeddings', 'gen_ai.usage.input_tokens': 8 },
      },
      {
        id: '2',
        parent: '1',
        name: 'embeddings text-embedding-3-small',
        attributes: { 'gen_ai.operation.name': 'embeddings', 'gen_ai.usage.input_tokens': 8 },
      },
    ],
    input: 8,
    output: 0,
  },
  {
    thread: 'opik#7177',
    about: 'eve repeats the usage of a call on its agent and step: 10,421 and not 20,842',
    spans: [
      { id: '1', name: 'invoke_agent eve', attributes: agent(10_421, 300) },
      { id: '2', name: 'step', attributes: { ...agent(10_421, 300), 'gen_ai.operation.name': 'agent_step' } },
      { id: '3', name: 'chat', attributes: chat(10_421, 300) },
    ],
    input: 10_421,
    output: 300,
  },
  {
    thread: 'codex-observability-plugin#22',
    about: 'a turn of Codex repeats its response',
    spans: [
      {
        id: '1',
        name: 'session_task.turn',
        scope: aScope('codex_exec'),
        attributes: {
          'gen_ai.request.model': 'gpt-5',
          'gen_ai.usage.input_tokens': 13_590,
          'gen_ai.usage.output_tokens': 51,
        },
      },
      {
        id: '2',
        parent: '1',
        name: 'handle_responses',
        scope: aScope('codex_exec'),
        attributes: {
          'gen_ai.request.model': 'gpt-5',
          'gen_ai.usage.input_tokens': 13_590,
          'gen_ai.usage.output_tokens': 51,
        },
      },
    ],
    input: 13_590,
    output: 51,
  },
  {
    thread: 'opentelemetry-instrumentation-ruby_llm#38',
    about: 'RubyLLM leaves the cache out of the input',
    spans: [
      {
        id: '1',
        name: 'chat claude',
        scope: aScope('OpenTelemetry::Instrumentation::RubyLLM', '0.4.0'),
        attributes: {
          ...chat(100, 30),
          'gen_ai.usage.cache_read.input_tokens': 75,
          'gen_ai.usage.cache_creation.input_tokens': 20,
        },
      },
    ],
    input: 195,
    output: 30,
    cached: 75,
  },
  {
    thread: 'traceroot#1187',
    about: 'generateText of the AI SDK repeats the call inside it',
    spans: [
      {
        id: '1',
        name: 'ai.generateText',
        scope: aScope('ai'),
        attributes: {
          'ai.operationId': 'ai.generateText',
          'ai.model.id': 'gpt-4o',
          'ai.usage.inputTokens': 20,
          'ai.usage.outputTokens': 10,
          'ai.response.text': 'Hi',
        },
      },
      {
        id: '2',
        parent: '1',
        name: 'ai.generateText.doGenerate',
        scope: aScope('ai'),
        attributes: {
          'ai.operationId': 'ai.generateText.doGenerate',
          'ai.model.id': 'gpt-4o',
          'ai.usage.inputTokens': 20,
          'gen_ai.usage.input_tokens': 20,
          'ai.usage.outputTokens': 10,
          'gen_ai.usage.output_tokens': 10,
        },
      },
    ],
    input: 20,
    output: 10,
  },
  {
    thread: 'pydantic-ai#3995',
    about: 'an agent of Pydantic AI sums up its calls under names of its own',
    spans: [
      {
        id: '1',
        name: 'agent run',
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.aggregated_usage.input_tokens': 113,
          'gen_ai.aggregated_usage.output_tokens': 11,
        },
      },
      { id: '2', parent: '1', name: 'chat', attributes: chat(56, 5) },
      { id: '3', parent: '1', name: 'chat', attributes: chat(57, 6) },
    ],
    input: 113,
    output: 11,
  },
  {
    thread: 'traceloop/openllmetry-js',
    about: 'Anthropic in JavaScript: the number of the API is without its cache',
    spans: [
      {
        id: '1',
        name: 'anthropic.chat',
        scope: aScope('@traceloop/instrumentation-anthropic', '0.27.0'),
        attributes: {
          ...chat(2_000, 40),
          'gen_ai.usage.total_tokens': 2_040,
          'gen_ai.usage.cache_read.input_tokens': 1_500,
        },
      },
    ],
    input: 3_500,
    output: 40,
    cached: 1_500,
  },
  {
    thread: 'genkit#5412',
    about: 'an unknown emitter whose cache is larger than its input leaves it out',
    spans: [
      { id: '1', name: 'chat claude', attributes: { ...chat(7, 40), 'gen_ai.usage.cache_read.input_tokens': 10_000 } },
    ],
    input: 10_007,
    output: 40,
    cached: 10_000,
  },
  {
    thread: 'sentry-javascript#21488',
    about: 'AI SDK 5 leaves the cache of Anthropic out',
    spans: [
      {
        id: '1',
        name: 'ai.streamText.doStream',
        scope: aScope('ai'),
        attributes: {
          'ai.operationId': 'ai.streamText.doStream',
          'ai.model.provider': 'anthropic.messages',
          'ai.usage.inputTokens': 2_000,
          'ai.usage.outputTokens': 9,
          'ai.usage.cachedInputTokens': 1_500,
        },
      },
    ],
    input: 3_500,
    output: 9,
    cached: 1_500,
  },
  {
    thread: 'sentry-javascript#21484',
    about: 'AI SDK 6 has the cache of Anthropic in its input',
    spans: [
      {
        id: '1',
        name: 'ai.streamText.doStream',
        scope: aScope('ai'),
        attributes: {
          'ai.operationId': 'ai.streamText.doStream',
          'ai.model.provider': 'anthropic.messages',
          'ai.usage.inputTokens': 3_500,
          'ai.usage.inputTokenDetails.noCacheTokens': 2_000,
          'ai.usage.inputTokenDetails.cacheReadTokens': 1_500,
          'ai.usage.outputTokens': 9,
          'ai.usage.cachedInputTokens': 1_500,
        },
      },
    ],
    input: 3_500,
    output: 9,
    cached: 1_500,
  },
]

describe('the usage of a trace', () => {
  it.each(DOUBLE_COUNTS)('counts once, $thread: $about', ({ spans, input, output, cached }) => {
    const runs = spans.map(({ id, parent, name, attributes, scope }) => {
      const { extra, runType } = mapSpan(aSpan(attributes, { name, ...scope }))
      const text = json(extra)
      return { id, parentId: parent, name, runType, text, ...readRunTokens(text) }
    })
    const aggregates = findAggregates(runs)
    const counted = runs.flatMap(({ id, text }) => {
      const extra: unknown = JSON.parse(aggregates.has(id) ? toAggregate(text, aggregates.get(id)!) : text)
      return readUsage(extra, undefined) ?? []
    })
    const sum = (read: (usage: (typeof counted)[number]) => number | undefined) =>
      counted.reduce((total, usage) => total + (read(usage) ?? 0), 0)
    expect({
      input: sum((usage) => usage.promptTokens),
      output: sum((usage) => usage.completionTokens),
      cached: sum((usage) => usage.promptDetails.cache_read),
    }).toEqual({ input, output, cached: cached ?? 0 })
  })

  it('keeps the number of an aggregate, which its outputs do not count again', () => {
    const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 }
    const span = aSpan({ ...LLM, 'gen_ai.operation.name': 'invoke_agent', 'langsmith.usage_metadata': json(usage) })
    const { extra } = mapSpan(span)
    expect(memberAt(extra, 'otel', 'aggregate_usage')).toEqual(usage)
    expect(readUsage(extra, { usage_metadata: usage })).toBeUndefined()
  })

  it('counts the cost that a tool reports in the form of LangSmith', () => {
    const usage = json({ total_cost: 0.02 })
    const { extra } = mapSpan(aSpan({ 'langsmith.span.kind': 'tool', 'langsmith.usage_metadata': usage }))
    expect(readUsage(extra, undefined)?.given.total).toBe(20_000_000_000_000_000n)
  })

  it('leaves everything else of an extra as it is', () => {
    const text =
      '{"metadata":{"n":12345678901234567890,"usage_metadata":{"input_tokens":1.0}},"otel":{"operation":"chat"},"x":[1.0]}'
    expect(toAggregate(text, 'beside')).toBe(
      '{"metadata":{"n":12345678901234567890},"otel":{"operation":"chat","aggregate_usage":{"input_tokens":1.0},"repeats_usage":"beside"},"x":[1.0]}',
    )
    expect(toAggregate('{"metadata":{}}', 'below')).toBe('{"metadata":{}}')
  })

  it('is found through runs that report none, and in rings without an end', () => {
    const run = (id: string, parentId: string | undefined, input?: number) => ({
      id,
      parentId,
      name: id,
      runType: 'llm',
      tokens: input === undefined ? undefined : { input, output: 0 },
    })
    expect([...findAggregates([run('a', undefined, 5), run('b', 'a'), run('c', 'b', 5)])]).toEqual([['a', 'below']])
    expect(findAggregates([run('a', 'b'), run('b', 'a'), run('c', 'a', 5)]).size).toBe(0)
  })

  it('are each counted once where a span after them repeats the number (AG2)', () => {
    const scope = 'opentelemetry.instrumentation.ag2'
    const tokens = { input: 5, output: 0 }
    const at = (id: string, name: string, start: string) => ({
      id,
      name,
      runType: 'llm',
      tokens,
      start,
      end: start,
      scope,
    })
    const usage = 'record_usage model_call'
    const runs = [at('a', 'chat m', '1'), at('ua', usage, '2'), at('b', 'chat m', '3'), at('ub', usage, '4')]
    expect([...findAggregates(runs)].sort()).toEqual([
      ['ua', 'beside'],
      ['ub', 'beside'],
    ])
    // A live session has no span of its calls.
    expect([...findAggregates([at('ua', usage, '2')])]).toEqual([])
  })
})
