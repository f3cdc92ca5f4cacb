import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Run } from 'langsmith/schemas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAKE_TEXT, FAKE_TOKENS, type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts'
import {
  columnsOf,
  drawTree,
  INSTRUMENTATIONS,
  inOrder,
  judgeRuns,
  toExpected,
  toSeenRun,
} from '../../support/instrumentations.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aClient, aProjectName, collect } from '../javascript/a-client.ts'
import { PYTHON_FRAMEWORKS, python } from '../python/run-script.ts'

let server: SharedServer
let provider: FakeProvider
beforeAll(async () => {
  ;[server, provider] = await Promise.all([shareServer(), startFakeProvider({ others: ['gpt-4.1-mini'] })])
  const price = {
    name: 'fake-model',
    match_pattern: '^(fake-model|gpt-4.1-mini)$',
    prompt_cost: '0.001',
    completion_cost: '0.002',
    prompt_cost_details: { cache_read: '0.0001' },
  }
  const headers = { 'content-type': 'application/json', 'x-api-key': 'any' }
  const created = await fetch(`${server.url}/model-price-map`, { method: 'POST', headers, body: JSON.stringify(price) })
  expect(created.status).toBeLessThan(300)
})
afterAll(async () => {
  await Promise.all([provider?.close(), server?.stop()])
})

/** Runs a program with an instrumentation, and returns the runs that it made, by start. */
async function trace(command: string, file: string, name: string, env: Record<string, string> = {}): Promise<Run[]> {
  const project = env.PROJECT ?? aProjectName(name)
  const program = fileURLToPath(new URL(file, import.meta.url))
  const settings = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    PROVIDER_URL: provider.url,
    SERVER_URL: server.url,
    OTLP_URL: `${server.url}/otel/v1/traces`,
    PROJECT: project,
    ...env,
  }
  await new Promise<void>((resolve, reject) => {
    execFile(command, [program, name], { env: settings }, (failure, _, stderr) =>
      failure ? reject(new Error(stderr || failure.message)) : resolve(),
    )
  })
  const runs = await collect(aClient(server.url).listRuns({ projectName: project }))
  return runs.sort((a, b) => (String(a.start_time) < String(b.start_time) ? -1 : 1))
}

const javascript = (name: string, env?: Record<string, string>) =>
  trace(process.execPath, 'instrumented.mjs', name, env)
const inPython = (name: string, env?: Record<string, string>) => trace(python ?? '', 'instrumented.py', name, env)

const ANSWER = FAKE_TEXT.join('')
const SYSTEM = { role: 'system', content: 'Be short.' }
const ASKED = { role: 'user', content: 'Say hello' }
const TOOL_ASKED = { role: 'user', content: 'Use a tool please' }
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Zürich"}' } }

/** What the provider counted: 15 tokens at the full price, 5 from the cache, 10 of the answer. */
const COUNTED = {
  prompt_tokens: FAKE_TOKENS.prompt,
  completion_tokens: FAKE_TOKENS.completion,
  total_tokens: FAKE_TOKENS.prompt + FAKE_TOKENS.completion,
}
const COST = 0.001 * 15 + 0.0001 * 5 + 0.002 * 10

type Fields = Record<string, unknown>
const invocationOf = (run: Run | undefined) =>
  (run?.extra as Fields | undefined)?.invocation_params as Fields | undefined
const metadataOf = (run: Run | undefined) => (run?.extra as Fields | undefined)?.metadata as Fields | undefined
const otelOf = (run: Run | undefined) => (run?.extra as Fields | undefined)?.otel as Fields | undefined
const costOf = (run: Run | undefined) => Number((run as unknown as Fields | undefined)?.total_cost)
const firstTokenOf = (run: Run | undefined) => (run as unknown as Fields | undefined)?.first_token_time
const lastMessage = (run: Run | undefined) => (run?.outputs?.messages as Fields[] | undefined)?.at(-1)

/** How an emitter differs from the others; everything else is compared with what the provider sent. */
interface Emitter {
  readonly name: string
  readonly calls: () => Promise<Run[]>
  /** It reports nothing about the cache. */
  readonly hasNoCache?: boolean
  /** It reports no tokens for a stream. */
  readonly hasNoStreamUsage?: boolean
  /** It puts no span around a call that fails, or never ends it. */
  readonly hasNoFailure?: boolean
  /** It reports when a stream began. */
  readonly hasFirstToken?: boolean
  /** It reports no definitions of tools. */
  readonly hasNoTools?: boolean
  /** It adds the token of the first event of a stream to those of the last, which contain it. */
  readonly hasOtherStreamUsage?: boolean
  readonly hasTemperature?: boolean
}

const EMITTERS: readonly Emitter[] = [
  {
    name: 'OpenInference for OpenAI in JavaScript',
    calls: () => javascript('openinference-openai'),
    hasNoStreamUsage: true,
    hasNoFailure: true,
    hasTemperature: true,
  },
  {
    name: 'OpenLLMetry for OpenAI in JavaScript',
    calls: () => javascript('traceloop-openai'),
    hasNoCache: true,
    hasNoStreamUsage: true,
    hasNoFailure: true,
    hasTemperature: true,
  },
  {
    name: 'OpenLLMetry for Anthropic in JavaScript',
    calls: async () => (await javascript('traceloop-anthropic')).filter(({ name }) => name.startsWith('chat ')),
    hasNoTools: true,
  },
]

const PYTHON_EMITTERS: readonly Emitter[] = [
  {
    name: 'OpenInference for OpenAI in Python',
    calls: () => inPython('openinference_openai'),
    hasFirstToken: true,
    hasTemperature: true,
  },
  {
    name: 'OpenLLMetry for OpenAI in Python',
    calls: () => inPython('traceloop_openai'),
    hasFirstToken: true,
    hasTemperature: true,
  },
  {
    name: 'OpenLLMetry for Anthropic in Python',
    calls: () => inPython('traceloop_anthropic'),
    hasOtherStreamUsage: true,
  },
]

function comparesCalls(emitter: Emitter): void {
  let runs: Run[]
  beforeAll(async () => {
    runs = await emitter.calls()
  })

  it('makes a run of type llm of each call, with its model', () => {
    expect(runs.map(({ run_type }) => run_type)).toEqual(
      Array.from({ length: emitter.hasNoFailure ? 3 : 4 }, () => 'llm'),
    )
    expect(metadataOf(runs[0])?.ls_model_name).toBe('fake-model')
    expect(runs[0]?.error ?? null).toBeNull()
  })

  it('shows the messages that the provider was sent and returned', () => {
    expect(runs[0]?.inputs.messages).toEqual([SYSTEM, ASKED])
    expect(lastMessage(runs[0])).toMatchObject({ role: 'assistant', content: ANSWER })
    expect(runs[1]?.inputs.messages).toEqual([SYSTEM, ASKED])
    expect(lastMessage(runs[1])).toMatchObject({ role: 'assistant', content: ANSWER })
  })

  it('shows the tools that were offered and the call that was answered', () => {
    expect((runs[2]?.inputs.messages as Fields[] | undefined)?.at(-1)).toEqual(TOOL_ASKED)
    expect(lastMessage(runs[2])).toMatchObject({ role: 'assistant', content: null, tool_calls: [CALL] })
    const tools = invocationOf(runs[2])?.tools
    if (emitter.hasNoTools) expect(tools).toBeUndefined()
    else
      expect(tools).toMatchObject([
        { type: 'function', function: { name: 'weather', description: 'The weather of a city' } },
      ])
  })

  it('counts the tokens of the provider, and their price', () => {
    expect(runs[0]).toMatchObject(COUNTED)
    expect(runs[2]).toMatchObject(COUNTED)
    expect(costOf(runs[0])).toBeCloseTo(emitter.hasNoCache ? 0.001 * 20 + 0.002 * 10 : COST, 9)
    if (emitter.hasNoStreamUsage) expect(metadataOf(runs[1])).not.toHaveProperty('usage_metadata')
    else if (emitter.hasOtherStreamUsage)
      expect(runs[1]).toMatchObject({ ...COUNTED, completion_tokens: 11, total_tokens: 31 })
    else expect(runs[1]).toMatchObject(COUNTED)
  })

  it('has the parameters of the call', () => {
    expect(invocationOf(runs[0])).toMatchObject({
      model: 'fake-model',
      ...(emitter.hasTemperature && { temperature: 0.5 }),
    })
  })

  it(emitter.hasFirstToken ? 'has the time of the first token of a stream' : 'has no time of a first token', () => {
    expect(firstTokenOf(runs[0]) ?? null).toBeNull()
    if (!emitter.hasFirstToken) return expect(firstTokenOf(runs[1]) ?? null).toBeNull()
    const [start, first, end] = [runs[1]?.start_time, firstTokenOf(runs[1]), runs[1]?.end_time].map((time) =>
      Date.parse(`${String(time).replace(/Z$/, '')}Z`),
    )
    expect(first).toBeGreaterThanOrEqual(start ?? Number.NaN)
    expect(first).toBeLessThanOrEqual(end ?? Number.NaN)
  })

  it(emitter.hasNoFailure ? 'has no run of a failure' : 'shows a failure with the message of the provider', () => {
    if (emitter.hasNoFailure) return expect(runs.filter(({ status }) => status === 'error')).toEqual([])
    expect(runs[3]?.error).toContain('Your region is excluded.')
    expect(runs[3]?.status).toBe('error')
  })
}

describe.each(EMITTERS)('$name', comparesCalls)
describe.skipIf(python === undefined).each(PYTHON_EMITTERS)('$name', comparesCalls)

describe('the client of Anthropic, which sends spans of its own inside those of OpenLLMetry', () => {
  it('has its tokens counted once', async () => {
    const runs = await javascript('traceloop-anthropic')
    const roots = runs.filter(({ parent_run_id }) => !parent_run_id)
    expect(roots).toHaveLength(4)
    expect(runs).toHaveLength(8)
    expect(roots[0]).toMatchObject(COUNTED)
    expect(otelOf(roots[0])?.aggregate_usage).toMatchObject({
      input_tokens: FAKE_TOKENS.prompt,
    })
  })
})

describe('a span around a call that an instrumented client made', () => {
  const tokens = {
    'gen_ai.usage.input_tokens': FAKE_TOKENS.prompt,
    'gen_ai.usage.output_tokens': FAKE_TOKENS.completion,
  }
  const attributes = Object.entries({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'fake-model',
    ...tokens,
  })
  const send = async (project: string, ...spans: object[]) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': 'any', 'langsmith-project': project }
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
    const { status } = await fetch(`${server.url}/otel/v1/traces`, { method: 'POST', headers, body })
    expect(status).toBe(200)
  }
  const aSpan = (traceId: string, spanId: string, name: string, parentSpanId?: string) => ({
    ...{ traceId, spanId, name, kind: 3, parentSpanId },
    startTimeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
    endTimeUnixNano: String(BigInt(Date.now() + 5) * 1_000_000n),
    attributes: attributes.map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
    })),
  })

  it.each([
    ['in the same request', false],
    ['in a later request than the call', true],
  ])('does not count its tokens again when it arrives %s', async (_, isLater) => {
    const project = aProjectName('around')
    const trace = isLater ? '11111111111111111111111111111111' : '22222222222222222222222222222222'
    const [inner, outer] = [
      aSpan(trace, '00000000000000b1', 'inner', '00000000000000a1'),
      aSpan(trace, '00000000000000a1', 'outer'),
    ]
    if (isLater) {
      await send(project, inner)
      await send(project, outer)
    } else await send(project, inner, outer)
    const runs = await collect(aClient(server.url).listRuns({ projectName: project }))
    const found = runs.find(({ name }) => name === 'outer')
    expect(found).toMatchObject(COUNTED)
    expect(otelOf(found)?.aggregate_usage).toMatchObject({ input_tokens: FAKE_TOKENS.prompt })
    expect(runs.find(({ name }) => name === 'inner')).toMatchObject(COUNTED)
  })
})

/** Compares the runs of a program with its row of the table. */
function expectRow(program: string, runs: readonly Run[]): void {
  const row = INSTRUMENTATIONS.find((one) => one.program === program)
  const seen = inOrder(runs).map(toSeenRun)
  expect(drawTree(seen)).toEqual(row?.trees)
  expect(judgeRuns(seen, columnsOf(row?.cells ?? {}))).toEqual(toExpected(row?.cells ?? {}))
}

it('the AI SDK 5 has the runs and the fields of the table', async () => {
  expectRow('ai-sdk-5', await javascript('ai-sdk-5'))
})

describe.each(['protobuf', 'json'])('the AI SDK 6, by %s', (encoding) => {
  let runs: Run[]
  beforeAll(async () => {
    runs = await javascript('ai-sdk-6', { ENCODING: encoding })
  })
  const named = (name: string) => runs.filter((run) => run.name === name)

  it('makes a tree of each call, in one thread', () => {
    expect(named('ai.generateText').map(({ run_type }) => run_type)).toEqual(['chain', 'chain', 'chain'])
    expect(new Set(runs.map((run) => metadataOf(run)?.thread_id))).toEqual(new Set(['thread-1']))
    expect(new Set(runs.map((run) => metadataOf(run)?.user_id))).toEqual(new Set(['ada']))
  })

  it('has the runs and the fields of the table', () => expectRow('ai-sdk-6', runs))

  it('has messages, tools and tokens on the calls of the model', () => {
    const [whole, calling, answering] = named('ai.generateText.doGenerate')
    expect(whole?.inputs.messages).toEqual([SYSTEM, ASKED])
    expect(lastMessage(whole)).toMatchObject({ role: 'assistant', content: ANSWER })
    expect(whole).toMatchObject(COUNTED)
    expect(costOf(whole)).toBeCloseTo(COST, 9)
    expect(invocationOf(whole)).toMatchObject({ model: 'fake-model', temperature: 0.5 })
    expect(lastMessage(calling)).toMatchObject({ tool_calls: [CALL] })
    expect(invocationOf(calling)).toMatchObject({
      tool_choice: 'auto',
      tools: [{ type: 'function', function: { name: 'weather' } }],
    })
    expect(answering?.inputs.messages).toEqual([
      TOOL_ASKED,
      { role: 'assistant', content: null, tool_calls: [CALL] },
      { role: 'tool', content: '{"city":"Zürich","sky":"grey"}', tool_call_id: 'call_1', name: 'weather' },
    ])
  })

  it('counts the tokens of an outer span once', () => {
    const outer = named('ai.generateText')
    expect(outer[0]).toMatchObject(COUNTED)
    expect(outer[1]).toMatchObject({
      prompt_tokens: FAKE_TOKENS.prompt * 2,
      completion_tokens: FAKE_TOKENS.completion * 2,
    })
  })

  it('has the arguments and the result of a tool, the first token of a stream, and the error of a failure', () => {
    expect(named('weather')[0]).toMatchObject({
      run_type: 'tool',
      inputs: { city: 'Zürich' },
      outputs: { city: 'Zürich', sky: 'grey' },
    })
    expect(firstTokenOf(named('ai.streamText.doStream')[0])).toBeTruthy()
    expect(named('ai.generateText')[2]?.error).toContain('Your region is excluded.')
  })
})

describe('the AI SDK 7 with its OpenTelemetry package', () => {
  let runs: Run[]
  beforeAll(async () => {
    runs = await javascript('ai-sdk-7')
  })
  const roots = () => runs.filter(({ parent_run_id }) => !parent_run_id)
  const ofTrace = (root: Run | undefined) => runs.filter(({ trace_id }) => trace_id === root?.trace_id)
  const calls = (root: Run | undefined) => ofTrace(root).filter(({ run_type }) => run_type === 'llm')

  it('makes a tree of each call: an agent, its steps, their calls and tools', () => {
    expect(roots().map(({ name, run_type }) => [name, run_type])).toEqual(Array(4).fill(['answer', 'chain']))
    const [, , withTool] = roots()
    const parentOf = (run: Run) => runs.find(({ id }) => id === run.parent_run_id)?.name
    expect(
      ofTrace(withTool)
        .map((run) => `${parentOf(run) ?? ''} > ${run.name}`)
        .sort(),
    ).toEqual([
      ' > answer',
      'answer > step 1',
      'answer > step 2',
      'step 1 > chat fake-model',
      'step 1 > weather',
      'step 2 > chat fake-model',
    ])
    expect(new Set(runs.map((run) => metadataOf(run)?.thread_id))).toEqual(new Set(['thread-1']))
    for (const root of roots()) expect(metadataOf(root)).toMatchObject({ user_id: 'ada' })
  })

  it('has the runs and the fields of the table', () => expectRow('ai-sdk-7', runs))

  it('has messages, tools, tokens and cost on the calls of the model', () => {
    const [whole, streamed, withTool] = roots()
    for (const [call] of [calls(whole), calls(streamed)]) {
      expect(call?.inputs.messages).toEqual([SYSTEM, ASKED])
      expect(lastMessage(call)).toMatchObject({ role: 'assistant', content: ANSWER })
      expect(call).toMatchObject(COUNTED)
      expect(costOf(call)).toBeCloseTo(COST, 9)
    }
    expect(invocationOf(calls(whole)[0])).toMatchObject({ model: 'fake-model', temperature: 0.5 })
    expect(firstTokenOf(calls(streamed)[0])).toBeTruthy()
    const calling = calls(withTool).find(({ inputs }) => (inputs.messages as unknown[]).length === 1)
    const answering = calls(withTool).find(({ inputs }) => (inputs.messages as unknown[]).length > 1)
    expect(lastMessage(calling)).toMatchObject({ tool_calls: [CALL] })
    expect(invocationOf(calling)).toMatchObject({ tools: [{ type: 'function', function: { name: 'weather' } }] })
    expect(answering?.inputs.messages).toEqual([
      TOOL_ASKED,
      { role: 'assistant', content: null, tool_calls: [CALL] },
      { role: 'tool', content: '{"city":"Zürich","sky":"grey"}', tool_call_id: 'call_1' },
    ])
    expect(ofTrace(withTool).find(({ run_type }) => run_type === 'tool')).toMatchObject({
      inputs: { city: 'Zürich' },
      outputs: { city: 'Zürich', sky: 'grey' },
    })
  })

  it('counts the tokens of an agent once, and has the error of a failure', () => {
    const [whole, , withTool, failed] = roots()
    expect(whole).toMatchObject(COUNTED)
    expect(costOf(whole)).toBeCloseTo(COST, 9)
    expect(withTool).toMatchObject({ total_tokens: COUNTED.total_tokens * 2 })
    expect(otelOf(withTool)?.aggregate_usage).toMatchObject({ total_tokens: COUNTED.total_tokens * 2 })
    expect(failed?.error).toContain('Your region is excluded.')
  })
})

/** Agents that call the tool of the question and answer from its result, under OpenInference. */
const FRAMEWORKS = [
  { name: 'LlamaIndex', program: 'llamaindex', folder: PYTHON_FRAMEWORKS.frameworks, first: SYSTEM, isAsked: true },
  { name: 'CrewAI', program: 'crewai', folder: PYTHON_FRAMEWORKS.crewai },
].filter(({ folder }) => folder !== undefined)

describe.each(FRAMEWORKS)('an agent of $name', ({ program, folder = '', first, isAsked }) => {
  let runs: Run[]
  beforeAll(async () => {
    runs = await inPython(program, { PYTHONPATH: folder })
  })
  /** The calls of the model, without spans around the preparation of one. */
  const calls = () => runs.filter(({ run_type, prompt_tokens }) => run_type === 'llm' && prompt_tokens)
  const messagesOf = (run: Run | undefined) => run?.inputs.messages as Fields[]

  it('is one trace in one thread, whose tokens and cost count once', () => {
    const [root, ...others] = runs.filter(({ parent_run_id }) => !parent_run_id)
    expect(others).toEqual([])
    expect(root).toMatchObject({ run_type: 'chain', status: 'success' })
    expect(root).toMatchObject({
      prompt_tokens: FAKE_TOKENS.prompt * 2,
      completion_tokens: FAKE_TOKENS.completion * 2,
    })
    expect(
      calls()
        .map(costOf)
        .reduce((sum, one) => sum + one, 0),
    ).toBeCloseTo(costOf(root), 9)
    expect(new Set(runs.map((run) => metadataOf(run)?.thread_id))).toEqual(new Set(['thread-1']))
  })

  it('has the messages, the tools and the tokens of each call', () => {
    const [calling, answering] = calls()
    expect(calls()).toHaveLength(2)
    for (const call of calls()) {
      expect(call).toMatchObject(COUNTED)
      expect(metadataOf(call)?.ls_model_name).toBe('gpt-4.1-mini')
      expect(invocationOf(call)?.tools).toMatchObject([{ type: 'function', function: { name: 'weather' } }])
    }
    if (first !== undefined) expect(messagesOf(calling)[0]).toEqual(first)
    expect(messagesOf(calling).at(-1)).toMatchObject({
      role: 'user',
      content: isAsked ? TOOL_ASKED.content : expect.stringContaining(TOOL_ASKED.content),
    })
    expect(lastMessage(calling)).toMatchObject({ role: 'assistant', content: null, tool_calls: [CALL] })
    expect(messagesOf(answering).slice(-2)).toMatchObject([
      { role: 'assistant', tool_calls: [CALL] },
      { role: 'tool', content: 'grey in Zürich', tool_call_id: 'call_1' },
    ])
    expect(lastMessage(answering)).toMatchObject({ role: 'assistant', content: ANSWER })
  })

  it('has the arguments and the result of the tool', () => {
    const tool = runs.find(({ run_type }) => run_type === 'tool')
    expect(tool?.name).toBe('weather')
    expect(JSON.stringify(tool?.inputs)).toContain('"city":"Zürich"')
    expect(JSON.stringify(tool?.inputs)).not.toContain('properties')
    expect(JSON.stringify(tool?.outputs)).toContain('grey in Zürich')
  })
})

describe.skipIf(python === undefined)('Pydantic AI', () => {
  it('counts the calls of an agent once, and has its messages, tools and thread', async () => {
    const runs = await inPython('pydantic_ai')
    const [agent] = runs.filter(({ parent_run_id }) => !parent_run_id)
    expect(agent).toMatchObject({ name: 'Weather', run_type: 'chain', outputs: { output: ANSWER } })
    expect(agent).toMatchObject({
      prompt_tokens: FAKE_TOKENS.prompt * 2,
      completion_tokens: FAKE_TOKENS.completion * 2,
    })
    expect(agent?.inputs.messages).toEqual([SYSTEM, TOOL_ASKED])
    const [calling, answering] = runs.filter(({ run_type }) => run_type === 'llm')
    expect(lastMessage(calling)).toMatchObject({ tool_calls: [CALL] })
    expect(lastMessage(answering)).toMatchObject({ content: ANSWER })
    expect(firstTokenOf(answering)).toBeTruthy()
    expect(runs.find(({ run_type }) => run_type === 'tool')).toMatchObject({
      name: 'weather',
      inputs: { city: 'Zürich' },
      outputs: { output: 'grey in Zürich' },
    })
    expect(new Set(runs.map((run) => metadataOf(run)?.thread_id))).toEqual(new Set(['thread-1']))
  })
})

describe.skipIf(python === undefined)('a program for Langfuse whose host was changed', () => {
  it('has its observations, session, user, tags, tokens and cost', async () => {
    const runs = await inPython('langfuse', { PROJECT: 'default' })
    const [outer, call] = [runs.find(({ name }) => name === 'answer'), runs.find(({ name }) => name === 'call')]
    expect(outer).toMatchObject({ run_type: 'chain', inputs: { question: 'Say hello' }, outputs: { answer: 'Hello' } })
    expect(call).toMatchObject({ run_type: 'llm', parent_run_id: outer?.id, tags: ['one'], ...COUNTED })
    expect(call?.inputs.messages).toEqual([SYSTEM, ASKED])
    expect(metadataOf(call)).toMatchObject({
      thread_id: 'thread-1',
      user_id: 'ada',
      plan: 'pro',
      ls_model_name: 'fake-model',
    })
    expect(costOf(call)).toBeCloseTo(COST, 9)
    expect(otelOf(call)?.reported_cost).toEqual({ total: 0.25 })
  })
})

describe.skipIf(python === undefined)('the client of LangSmith, which exports its runs as spans', () => {
  it('has the same runs as without OpenTelemetry', async () => {
    const runs = await inPython('langsmith')
    const [outer, call] = [runs.find(({ name }) => name === 'answer'), runs.find(({ name }) => name === 'ChatOpenAI')]
    expect(outer).toMatchObject({ run_type: 'chain', inputs: { question: 'Say hello' }, tags: ['one'] })
    expect(metadataOf(outer)).toMatchObject({ thread_id: 'thread-1' })
    expect(call).toMatchObject({ run_type: 'llm', parent_run_id: outer?.id, ...COUNTED })
    expect(call?.inputs).toMatchObject({ messages: [SYSTEM, ASKED], model: 'fake-model', temperature: 0.5 })
    expect(metadataOf(call)).toMatchObject({ ls_provider: 'openai', ls_model_name: 'fake-model' })
    expect(costOf(call)).toBeCloseTo(COST, 9)
  })
})
