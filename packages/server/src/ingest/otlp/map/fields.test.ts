import { memberAt } from '@touchstone/formats/guards'
import { describe, expect, it } from 'vitest'
import type { OtlpSpan, OtlpValue } from '../span.ts'
import { FEEDBACK_SOURCES, FIRST_TOKEN_EVENTS, FIRST_TOKEN_SOURCES } from './events.ts'
import { FIELD_SOURCES, METADATA_PREFIXES } from './fields.ts'
import { mapSpan } from './index.ts'
import { LIVEKIT_NAMES, RUN_TYPE_MARKS, RUN_TYPE_SOURCES } from './run-type.ts'
import { anEvent, aScope, aSpan, json } from './testing/a-span.ts'

const map = (attributes: Record<string, OtlpValue>, more: Partial<OtlpSpan> = {}) => mapSpan(aSpan(attributes, more))
const metadataOf = (attributes: Record<string, OtlpValue>, more: Partial<OtlpSpan> = {}) =>
  map(attributes, more).extra.metadata as Record<string, unknown>

describe('the type of a run', () => {
  const rows = RUN_TYPE_SOURCES.flatMap(({ attribute, values }) =>
    Object.entries(values).map(([value, type]) => ({ attribute, value, type })),
  )

  it.each(rows)('is $type when $attribute is $value', ({ attribute, value, type }) => {
    expect(map({ [attribute]: value }).runType).toBe(type)
    expect(map({ [attribute]: value.toUpperCase() }).runType).toBe(type)
  })

  it.each(RUN_TYPE_SOURCES.slice(1).map(({ attribute }, at) => ({ attribute, before: RUN_TYPE_SOURCES[at] })))(
    'is decided by the row above before $attribute',
    ({ attribute, before }) => {
      const [value = '', type] = Object.entries(before?.values ?? {})[0] ?? []
      expect(map({ [before?.attribute ?? '']: value, [attribute]: 'tool' }).runType).toBe(type)
    },
  )

  it('is decided by the next row when a value is unknown', () => {
    expect(
      map({
        'langsmith.span.kind': 'something',
        'gen_ai.operation.name': 'new_operation',
        'openinference.span.kind': 'TOOL',
      }).runType,
    ).toBe('tool')
    expect(map({ 'gen_ai.operation.name': 'new_operation' }).runType).toBe('chain')
    expect(map({ 'gen_ai.operation.name': 'constructor' }).runType).toBe('chain')
  })

  it.each(RUN_TYPE_MARKS.flatMap(({ attributes, type }) => attributes.map((attribute) => ({ attribute, type }))))(
    'is $type when there is only $attribute',
    ({ attribute, type }) => expect(map({ [attribute]: '{"a":1}' }).runType).toBe(type),
  )

  it.each(Object.entries(LIVEKIT_NAMES))('is that of the name %s of a span of LiveKit', (name, type) => {
    expect(map({}, { name, ...aScope('livekit-agents') }).runType).toBe(type)
    expect(map({}, { name }).runType).toBe('chain')
  })

  it('is llm for a span with a model and messages, and chain without either', () => {
    expect(map({ 'gen_ai.request.model': 'm', 'gen_ai.prompt.0.content': 'Hi' }).runType).toBe('llm')
    expect(
      map({ 'gen_ai.request.model': 'm' }, { events: [anEvent('gen_ai.choice', { content: 'Hi' })] }).runType,
    ).toBe('llm')
    expect(map({ 'gcp.vertex.agent.llm_request': '{"contents":[]}' }).runType).toBe('llm')
    expect(map({ 'gen_ai.request.model': 'm' }).runType).toBe('chain')
    expect(map({ 'gen_ai.prompt.0.content': 'Hi' }).runType).toBe('chain')
  })

  it('keeps a kind that is more precise', () => {
    expect(metadataOf({ 'openinference.span.kind': 'GUARDRAIL' }).ls_span_kind).toBe('guardrail')
    expect(metadataOf({ 'openinference.span.kind': 'LLM' }).ls_span_kind).toBeUndefined()
  })
})

/** Where a value of a table of single fields arrives. */
const FIELDS: Record<keyof typeof FIELD_SOURCES, (attributes: Record<string, OtlpValue>) => unknown> = {
  project_id: (attributes) => map(attributes).sessionId,
  project_name: (attributes) => map(attributes).sessionName,
  reference_example_id: (attributes) => map(attributes).referenceExampleId,
  provider: (attributes) => metadataOf(attributes).ls_provider,
  model: (attributes) => metadataOf(attributes).ls_model_name,
  requested_model: (attributes) =>
    memberAt(map({ ...attributes, 'gen_ai.response.model': 'other' }).extra, 'otel', 'requested_model'),
  thread: (attributes) => map(attributes).thread,
  user: (attributes) => metadataOf(attributes).user_id,
  tags: (attributes) => map(attributes).tags?.[0],
  prompt_name: (attributes) => metadataOf(attributes).prompt_name,
  prompt_version: (attributes) => metadataOf({ ...attributes, 'gen_ai.prompt.name': 'p' }).prompt_version,
  environment: (attributes) => metadataOf(attributes).environment,
  tools: (attributes) =>
    memberAt(
      map(Object.fromEntries(Object.keys(attributes).map((key) => [key, [json({ name: 'one' })]]))).extra,
      'invocation_params',
      'tools',
      '0',
      'function',
      'name',
    ),
}

describe('a field of a run', () => {
  const rows = Object.entries(FIELD_SOURCES).flatMap(([field, keys]) =>
    keys.map((key) => ({ field: field as keyof typeof FIELD_SOURCES, key })),
  )

  it.each(rows)('$field comes from $key', ({ field, key }) => {
    expect(FIELDS[field]({ [key]: 'one' })).toBe('one')
  })

  it.each(Object.entries(FIELD_SOURCES).filter(([field]) => field !== 'tools' && field !== 'requested_model'))(
    '%s comes from the first of its sources',
    (field, keys) => {
      const all = Object.fromEntries(keys.map((key, at) => [key, at === 0 ? 'first' : `later-${at}`]))
      expect(FIELDS[field as keyof typeof FIELD_SOURCES](all)).toBe('first')
    },
  )

  it('is not set by an empty text', () => {
    expect(map({ 'gen_ai.conversation.id': '', 'session.id': 's' }).thread).toBe('s')
    expect(map({ 'mcp.session.id': 'm' }).thread).toBeUndefined()
  })
})

describe('the name of a run', () => {
  it.each([
    ['langsmith.trace.name', { 'langsmith.trace.name': 'mine', 'traceloop.entity.name': 'other' }, 'mine'],
    ['ai.telemetry.metadata.ls_run_name', { 'ai.telemetry.metadata.ls_run_name': 'mine' }, 'mine'],
    ['traceloop.entity.name', { 'traceloop.entity.name': 'my_task' }, 'my_task'],
    [
      'gen_ai.tool.name of a tool',
      { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' },
      'weather',
    ],
    ['ai.toolCall.name of a tool', { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'weather' }, 'weather'],
    ['tool.name of a tool', { 'openinference.span.kind': 'TOOL', 'tool.name': 'weather' }, 'weather'],
    [
      'gen_ai.agent.name of an agent',
      { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'Travel' },
      'Travel',
    ],
    ['the span', { 'gen_ai.operation.name': 'chat', 'gen_ai.agent.name': 'Travel' }, 'a span'],
  ])('is that of %s', (_, attributes, name) => expect(map(attributes as Record<string, OtlpValue>).name).toBe(name))

  it('is the message of Logfire when the name of the span is a template', () => {
    expect(map({ 'logfire.msg': 'Hello Ada' }, { name: 'Hello {name}' }).name).toBe('Hello Ada')
    expect(map({ 'logfire.msg': 'Hello Ada' }, { name: 'hello' }).name).toBe('hello')
    expect(map({}, { name: '' }).name).toBe('span')
  })
})

describe('the provider of a run', () => {
  it.each([
    ['openai.chat', 'openai'],
    ['openai.responses', 'openai'],
    ['anthropic.messages', 'anthropic'],
    ['Anthropic', 'anthropic'],
    ['google.vertex.chat', 'gcp.vertex_ai'],
    ['google.generative-ai', 'gcp.gemini'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['azure-openai.chat', 'azure.ai.openai'],
    ['xai.chat', 'x_ai'],
    ['"openai"', 'openai'],
    ['aws.bedrock', 'aws.bedrock'],
    ['az.ai.openai', 'az.ai.openai'],
    ['langchain', undefined],
  ])('%s is %s', (sent, provider) => expect(metadataOf({ 'gen_ai.system': sent }).ls_provider).toBe(provider))
})

describe('tags and metadata of a run', () => {
  it.each([
    ['a list', ['a', 'b']],
    ['the JSON text of a list', '["a","b"]'],
    ['a text with commas', 'a, b,'],
  ])('come from %s', (_, tags) => expect(map({ 'langsmith.span.tags': tags }).tags).toEqual(['a', 'b']))

  it.each(METADATA_PREFIXES)('come from keys below %s', (prefix) => {
    expect(metadataOf({ [`${prefix}.plan`]: 'pro' })).toMatchObject({ plan: 'pro' })
  })

  it('keep types and the first of equal keys, and have no prototype keys', () => {
    const metadata = metadataOf({
      'langsmith.metadata.n': 3,
      'traceloop.association.properties.n': 4,
      'langsmith.metadata.__proto__': 'x',
      'langsmith.metadata.constructor': 'x',
      metadata: '{"n":5,"more":true,"__proto__":{"polluted":1}}',
    })
    expect(metadata).toMatchObject({ n: 3, more: true })
    expect(Object.keys(metadata)).not.toContain('__proto__')
    expect(Object.keys(metadata)).not.toContain('constructor')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('are read from the JSON of Langfuse', () => {
    expect(
      metadataOf({ 'langfuse.trace.metadata.plan': '"pro"', 'langfuse.observation.metadata.n': '3' }),
    ).toMatchObject({ plan: 'pro', n: '3' })
    expect(metadataOf({ 'langfuse.observation.metadata': '{"plan":"pro"}' })).toMatchObject({ plan: 'pro' })
  })

  it('lose nothing that is no object, or that has the name of a field of another emitter', () => {
    expect(metadataOf({ 'langfuse.observation.metadata': '"a note"' })).toMatchObject({ metadata: 'a note' })
    expect(metadataOf({ metadata: 'a note' })).toMatchObject({ metadata: 'a note' })
    expect(metadataOf({ metadata: '[1]' })).toMatchObject({ metadata: [1] })
    const named = { 'langsmith.metadata.usage_object': 'mine', 'langsmith.metadata.requester_metadata': 'mine' }
    expect(metadataOf(named)).toMatchObject({ usage_object: 'mine', requester_metadata: 'mine' })
  })

  it('have the service, the environment and the scope', () => {
    const resource = {
      attributes: { 'service.name': 'api', 'service.version': '2', 'deployment.environment.name': 'prod' },
      schemaUrl: '',
    }
    expect(metadataOf({}, { resource, ...aScope('my.scope', '1.2') })).toMatchObject({
      'service.name': 'api',
      'service.version': '2',
      environment: 'prod',
      otel_scope: 'my.scope 1.2',
    })
  })

  it('link a prompt by the hash of its commit, and keep the versions of other products beside', () => {
    expect(metadataOf({ 'gen_ai.prompt.name': 'greet', 'gen_ai.prompt.version': 'a1b2c3d4' })).toMatchObject({
      lc_hub_repo: 'greet',
      lc_hub_commit_hash: 'a1b2c3d4',
    })
    const { extra } = map({
      'langfuse.observation.prompt.name': 'greet',
      'langfuse.observation.prompt.version': 3,
      'gen_ai.prompt.variable.name': 'Ada',
    })
    expect(extra).toMatchObject({
      metadata: { prompt_name: 'greet', prompt_version: '3' },
      otel: { prompt: { name: 'greet', version: '3', variables: { name: 'Ada' } } },
    })
    expect(extra.metadata).not.toHaveProperty('lc_hub_repo')
  })
})

describe('the parameters of a call', () => {
  const paramsOf = (attributes: Record<string, OtlpValue>) => map(attributes).extra.invocation_params

  it('come from the conventions, the AI SDK, OpenInference and Langfuse', () => {
    expect(
      paramsOf({
        'gen_ai.request.temperature': 0.5,
        'gen_ai.request.stop_sequences': ['x'],
        'gen_ai.request.choice.count': 2,
        'gen_ai.request.reasoning.level': 'high',
        'gen_ai.output.type': 'json',
        'openai.service_tier': 'flex',
      }),
    ).toEqual({
      temperature: 0.5,
      stop: ['x'],
      n: 2,
      reasoning_effort: 'high',
      output_type: 'json',
      openai: { service_tier: 'flex' },
    })
    expect(paramsOf({ 'ai.settings.maxRetries': 2, 'ai.settings.context.userId': 'u' })).toEqual({ maxRetries: 2 })
    expect(paramsOf({ 'llm.invocation_parameters': '{"model":"m","top_p":1}' })).toEqual({ model: 'm', top_p: 1 })
    expect(paramsOf({ 'langfuse.observation.model.parameters': '{"top_p":1}' })).toEqual({ top_p: 1 })
    expect(paramsOf({ 'embedding.invocation_parameters': '{"dimensions":3}' })).toEqual({ dimensions: 3 })
    expect(paramsOf({ 'llm.request.functions.0.name': 'f' })).toMatchObject({
      tools: [{ type: 'function', function: { name: 'f' } }],
    })
    expect(paramsOf({})).toBeUndefined()
  })

  it('have tools in the form of OpenAI, and tools of providers as they came', () => {
    const parameters = { type: 'object', properties: {} }
    const expected = [{ type: 'function', function: { name: 'f', description: 'd', parameters } }]
    expect(
      paramsOf({ 'gen_ai.tool.definitions': json([{ type: 'function', name: 'f', description: 'd', parameters }]) }),
    ).toEqual({ tools: expected })
    expect(
      paramsOf({ 'gen_ai.tool.definitions': json([{ name: 'f', description: 'd', input_schema: parameters }]) }),
    ).toEqual({ tools: expected })
    expect(
      paramsOf({
        'ai.prompt.tools': [json({ type: 'function', name: 'f', description: 'd', inputSchema: parameters })],
        'ai.prompt.toolChoice': '{"type":"auto"}',
      }),
    ).toEqual({ tools: expected, tool_choice: 'auto' })
    expect(paramsOf({ 'llm.tools.0.tool.json_schema': json(expected[0]) })).toEqual({ tools: expected })
    expect(paramsOf({ tools: json([{ type: 'web_search', max_uses: 2 }]) })).toEqual({
      tools: [{ type: 'web_search', max_uses: 2 }],
    })
    expect(paramsOf({ 'ai.prompt.toolChoice': '{"type":"tool","toolName":"f"}' })).toEqual({
      tool_choice: { type: 'function', function: { name: 'f' } },
    })
  })
})

describe('the first token of a run', () => {
  it.each(FIRST_TOKEN_SOURCES)('comes from $attribute in $unit', ({ attribute, unit }) => {
    const events = map({ [attribute]: unit === 'seconds' ? 0.25 : 250 }).events
    expect(events).toEqual([{ name: 'new_token', time: '2026-11-01T12:00:00.250000Z' }])
  })

  it('comes from the time of Langfuse, with quotes or without', () => {
    const time = '2026-11-01T12:00:00.250000Z'
    expect(map({ 'langfuse.observation.completion_start_time': `"${time}"` }).events).toEqual([
      { name: 'new_token', time },
    ])
  })

  it.each(FIRST_TOKEN_EVENTS)('comes from the event %s', (name) => {
    expect(map({}, { events: [anEvent(name), anEvent(name)] }).events[0]).toEqual({
      name: 'new_token',
      time: '2026-11-01T12:00:00.500000Z',
    })
  })
})

describe('the error of a run', () => {
  const failed = { status: { code: 2, message: 'It failed' } } as const
  const thrown = anEvent('exception', {
    'exception.type': 'ValueError',
    'exception.message': 'bad',
    'exception.stacktrace': 'at x',
  })

  it.each([
    [
      'the first exception with its stack',
      {},
      { events: [thrown, anEvent('exception', { 'exception.message': 'later' })] },
      'bad\n\nStacktrace:\nat x',
    ],
    ['the message of the status', {}, failed, 'It failed'],
    ['the type of the error', { 'error.type': 'timeout' }, { status: { code: 2, message: '' } }, 'timeout'],
    ['a word for an error without a message', {}, { status: { code: 2, message: '' } }, 'Error'],
    [
      'the level of Langfuse',
      { 'langfuse.observation.level': 'ERROR', 'langfuse.observation.status_message': 'no' },
      {},
      'no',
    ],
    ['nothing when the status is unset, as a deferral of Pydantic AI', { 'error.type': 'deferred' }, {}, undefined],
    [
      'nothing when the program went on after an exception',
      {},
      { events: [thrown], status: { code: 1, message: '' } },
      undefined,
    ],
  ] as const)('is %s', (_, attributes, more, error) => {
    expect(map(attributes as Record<string, OtlpValue>, more as Partial<OtlpSpan>).error).toBe(error)
  })

  it('comes from a log record too', () => {
    expect(mapSpan(aSpan(), [anEvent('gen_ai.client.operation.exception', { 'exception.message': 'bad' })]).error).toBe(
      'bad',
    )
  })
})

describe('feedback of a span', () => {
  it('comes from evaluation results, with an id that a resend repeats', () => {
    const event = anEvent('gen_ai.evaluation.result', {
      'gen_ai.evaluation.name': 'Relevance',
      'gen_ai.evaluation.score.value': 0.8,
      'gen_ai.evaluation.score.label': 'relevant',
      'gen_ai.evaluation.explanation': 'because',
    })
    const [first] = mapSpan(aSpan(), [event]).feedback
    expect(first).toMatchObject({ target: 'run', key: 'Relevance', score: 0.8, value: 'relevant', comment: 'because' })
    expect(mapSpan(aSpan({}, { events: [event] })).feedback).toEqual([first])
    expect(first?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it.each(FEEDBACK_SOURCES)('comes from $prefix of OpenInference, for the $target', ({ prefix, entry, target }) => {
    const attributes = {
      [`${prefix}.0.${entry}.name`]: 'helpful',
      [`${prefix}.0.${entry}.score`]: 1,
      [`${prefix}.0.${entry}.label`]: 'yes',
      [`${prefix}.0.${entry}.identifier`]: 'judge-1',
    }
    const [feedback] = map(attributes).feedback
    expect(feedback).toMatchObject({ target, key: 'helpful', score: 1, value: 'yes' })
    const elsewhere = map(attributes, { spanId: 'ffffffffffffffff' }).feedback[0]
    expect(elsewhere?.id === feedback?.id).toBe(target !== 'run')
  })

  it('of two annotators is two', () => {
    const one = (at: number) => ({
      [`annotations.${at}.annotation.name`]: 'ok',
      [`annotations.${at}.annotation.score`]: at,
      [`annotations.${at}.annotation.identifier`]: `a${at}`,
    })
    const { feedback } = map({ ...one(0), ...one(1) })
    expect(new Set(feedback.map(({ id }) => id)).size).toBe(2)
  })
})

describe('what has no field of its own', () => {
  it('is kept: links, trace state, resource, scope, events, and attributes that no row reads', () => {
    const span = aSpan(
      { 'http.route': '/chat', 'gen_ai.response.finish_reasons': ['stop'] },
      {
        traceState: 'a=b',
        links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceState: '', attributes: { why: 'retry' } }],
        resource: { attributes: { 'host.name': 'h' }, schemaUrl: 'https://schema' },
        events: [anEvent('cache.miss', { key: 'k' })],
        ...aScope('my.scope', '1.2'),
      },
    )
    const { extra, events } = mapSpan(span)
    expect(events).toEqual([{ name: 'cache.miss', time: '2026-11-01T12:00:00.500000Z', kwargs: { key: 'k' } }])
    expect(extra.otel).toEqual({
      span_name: 'a span',
      kind: 1,
      scope: { name: 'my.scope', version: '1.2' },
      resource: { attributes: { 'host.name': 'h' }, schema_url: 'https://schema' },
      links: [{ trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), attributes: { why: 'retry' } }],
      trace_state: 'a=b',
      response: { finish_reasons: ['stop'] },
      attributes: { 'http.route': '/chat' },
    })
  })

  it('names in warnings what the exporter dropped', () => {
    const { warnings, extra } = map({}, { droppedAttributes: 12, droppedEvents: 1 })
    expect(warnings).toEqual([
      'The exporter dropped 12 attributes of this span: raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT.',
      'The exporter dropped 1 events of this span: raise OTEL_SPAN_EVENT_COUNT_LIMIT.',
    ])
    expect(extra.otel).toMatchObject({ dropped_attributes: 12, dropped_events: 1 })
  })

  it('includes ids, the root flag and the runtime that LangSmith attributes set', () => {
    const { ids, extra } = map({
      'langsmith.span.id': 'r',
      'langsmith.trace.id': 't',
      'langsmith.span.parent_id': 'p',
      'langsmith.span.dotted_order': 'd',
      'langsmith.is_root': true,
      'langsmith.span.runtime': '{"sdk":"x"}',
    })
    expect(ids).toEqual({ runId: 'r', traceId: 't', parentRunId: 'p', dottedOrder: 'd', isRoot: true })
    expect(extra.runtime).toEqual({ sdk: 'x' })
  })
})
