import { AsyncLocalStorage } from 'node:async_hooks'
import { createOpenAI } from '@ai-sdk/openai'
import { OpenTelemetry } from '@ai-sdk/otel'
import { type Context, context, ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { ClientConfig } from '@touchstone/sdk'
import {
  LangSmithOTLPSpanProcessor,
  LangSmithOTLPTraceExporter,
  type LangSmithOTLPTraceExporterConfig,
} from '@touchstone/sdk/otel'
import type { Run } from '@touchstone/sdk/schemas'
import { traceable } from '@touchstone/sdk/traceable'
import * as ai from 'ai'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FAKE_TEXT } from '../support/fake-provider.ts'
import {
  aProject,
  COST,
  costOf,
  drawTree,
  listRuns,
  metadataOf,
  type TracedProject,
  useServerAndProvider,
} from './support/traced-project.ts'

const started = useServerAndProvider()
let project: TracedProject
let provider: BasicTracerProvider
let tracer: Tracer

/** The context manager of Node, which makes a span the parent of the spans inside it, across awaits. */
beforeAll(() => {
  const storage = new AsyncLocalStorage<Context>()
  const manager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active: Context, call: (...args: unknown[]) => unknown, self: unknown, ...args: unknown[]) =>
      storage.run(active, () => call.apply(self, args)),
    bind: <Target>(_: Context, target: Target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  context.setGlobalContextManager(manager as unknown as Parameters<typeof context.setGlobalContextManager>[0])
})
beforeEach(() => {
  project = aProject(started.server)
  install(new LangSmithOTLPSpanProcessor(anExporter(), { client: project.client }))
})
afterEach(() => provider.shutdown())

const settings = () => ({ apiUrl: started.server.url, apiKey: 'any', projectName: project.name })
const anExporter = (config: LangSmithOTLPTraceExporterConfig = {}) =>
  new LangSmithOTLPTraceExporter({ ...settings(), ...config })

function install(
  ...spanProcessors: NonNullable<ConstructorParameters<typeof BasicTracerProvider>[0]>['spanProcessors'] & object
) {
  provider = new BasicTracerProvider({
    spanProcessors,
    resource: resourceFromAttributes({ 'service.name': 'shop' }),
  })
  tracer = provider.getTracer('shop', '1.2.3')
}

async function runs(): Promise<Run[]> {
  await provider.forceFlush()
  return await project.runs()
}

/** A call in a span that is the current one. */
const inSpan = <T>(name: string, call: () => Promise<T>): Promise<T> =>
  tracer.startActiveSpan(name, async (span) => {
    try {
      return await call()
    } finally {
      span.end()
    }
  })
const traced = <T>(name: string, call: () => Promise<T>) =>
  traceable(call, { name, client: project.client, project_name: project.name, tracingEnabled: true })()

/** A call of a model as the GenAI conventions describe it. */
function callModel() {
  const start = Date.now()
  const span = tracer.startSpan('chat fake-model', {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'fake-model',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'Say hello' }] }]),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: FAKE_TEXT.join('') }] },
      ]),
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 5,
      'gen_ai.usage.output_tokens': 10,
      'gen_ai.conversation.id': 'thread-1',
      'langsmith.metadata.step': 'first',
    },
    startTime: start,
  })
  span.addEvent('gen_ai.first', { big: 12.5, many: [1, 2], on: true })
  span.end(start + 250)
}

describe('the span processor', () => {
  it('stores spans as the exporter of OpenTelemetry does', async () => {
    const other = aProject(started.server)
    const url = `${started.server.url}/otel/v1/traces`
    const headers = { 'x-api-key': 'any', 'Langsmith-Project': other.name }
    const ours = new LangSmithOTLPSpanProcessor(anExporter(), { client: project.client })
    await provider.shutdown()
    // In turn: the second one replaces the stored runs of the first, because a span is stored once.
    const published = new BatchSpanProcessor(new OTLPTraceExporter({ url, headers }))
    for (const [processor, target] of [
      [ours, project],
      [published, other],
    ] as const) {
      install(processor)
      callModel()
      const failing = tracer.startSpan('fails')
      failing.recordException(new Error('no satellite'))
      failing.setStatus({ code: SpanStatusCode.ERROR, message: 'no satellite' })
      failing.end()
      await provider.forceFlush()
      expect((await target.runs()).length).toBe(2)
    }
    const [own, theirs] = [await project.runs(), await other.runs()].map((found) =>
      found.sort((a, b) => (a.name < b.name ? -1 : 1)),
    )
    for (const [at, run] of (own ?? []).entries()) {
      const same = theirs?.[at]
      for (const field of [
        'name',
        'run_type',
        'status',
        'error',
        'inputs',
        'outputs',
        'total_tokens',
        'tags',
      ] as const) {
        expect(run[field], field).toEqual(same?.[field])
      }
      const ids = { OTEL_SPAN_ID: expect.any(String), OTEL_TRACE_ID: expect.any(String) }
      expect(metadataOf(run)).toEqual({ ...metadataOf(same), ...ids })
      expect(run.events?.map(({ name, kwargs }) => ({ name, kwargs }))).toEqual(
        same?.events?.map(({ name, kwargs }) => ({ name, kwargs })),
      )
    }
    const call = own?.find(({ run_type }) => run_type === 'llm')
    expect(call?.outputs).toMatchObject({ messages: [{ role: 'assistant', content: FAKE_TEXT.join('') }] })
    expect(metadataOf(call)).toMatchObject({ thread_id: 'thread-1', step: 'first', 'service.name': 'shop' })
    expect(costOf(call)).toBeCloseTo(COST, 9)
  })

  it('makes one trace of spans and traced functions, both ways, at any depth', async () => {
    const deep = () => traced('deep', async () => callModel())
    await traced('outer', () => inSpan('first', () => traced('middle', () => inSpan('second', deep))))
    await inSpan('request', () => traced('answer', () => inSpan('lookup', deep)))
    const found = await runs()
    const model = 'llm chat fake-model'
    const first = 'chain outer > chain first > chain middle > chain second > chain deep'
    const second = 'chain request > chain answer > chain lookup > chain deep'
    const tree = drawTree(found)
    expect(tree).toContain(`${first} > ${model}`)
    expect(tree).toContain(`${second} > ${model}`)
    expect(found).toHaveLength(11)
    expect(new Set(found.map(({ trace_id }) => trace_id)).size).toBe(2)
    for (const run of found) expect(run.status, run.name).toBe('success')
  })

  it('keeps apart what runs side by side, and what only follows', async () => {
    const branch = (name: string) => traced(name, () => inSpan(`${name} span`, async () => callModel()))
    await Promise.all([branch('a'), branch('b'), inSpan('c', () => traced('c below', async () => undefined))])
    await traced('after', async () => undefined)
    const tree = drawTree(await runs())
    expect(tree.toSorted()).toEqual(
      [
        ...['a', 'b'].flatMap((name) => [
          `chain ${name}`,
          `chain ${name} > chain ${name} span`,
          `chain ${name} > chain ${name} span > llm chat fake-model`,
        ]),
        'chain after',
        'chain c',
        'chain c > chain c below',
      ].toSorted(),
    )
  })

  it('puts a span below its parent in another process', async () => {
    const remote = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      traceFlags: 1,
      isRemote: true,
    }
    const call = () => inSpan('handle', () => traced('answer', async () => undefined))
    await context.with(trace.setSpanContext(ROOT_CONTEXT, remote), call)
    const other = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(anExporter())] })
    const span = other.getTracer('caller').startSpan('call')
    Object.assign(span.spanContext(), { traceId: remote.traceId, spanId: remote.spanId })
    span.end()
    await other.shutdown()
    await expect
      .poll(async () => drawTree(await runs()).toSorted())
      .toEqual(['chain call', 'chain call > chain handle', 'chain call > chain handle > chain answer'])
  })

  it('nests the calls of the AI SDK that its own telemetry reports', async () => {
    ai.registerTelemetry(
      new OpenTelemetry({
        tracer: {
          startSpan: (...args: Parameters<Tracer['startSpan']>) => tracer.startSpan(...args),
          startActiveSpan: (...args: never[]) => (tracer.startActiveSpan as (...all: never[]) => never)(...args),
        } as Tracer,
        usage: true,
      }),
    )
    const model = createOpenAI({ apiKey: 'none', baseURL: started.provider.url }).chat('fake-model')
    await traced('answer', async () => (await ai.generateText({ model, prompt: 'Say hello' })).text)
    const found = await runs()
    const call = found.find(({ run_type }) => run_type === 'llm')
    expect(drawTree(found).every((path) => path.startsWith('chain answer'))).toBe(true)
    expect(call?.outputs).toMatchObject({ messages: [{ role: 'assistant', content: FAKE_TEXT.join('') }] })
    expect(costOf(found[0])).toBeCloseTo(COST, 9)
  })

  const RULES: readonly [name: string, options: ClientConfig, shown: RegExp | undefined][] = [
    ['removes', { hideInputs: true, hideOutputs: true, hideMetadata: true }, undefined],
    [
      'replaces',
      {
        anonymizer: (values) =>
          JSON.parse(JSON.stringify(values).replaceAll('hello', 'xxx').replaceAll(FAKE_TEXT[0]!, 'yyy')),
      },
      /xxx/,
    ],
  ]
  it.each(RULES)('%s what its settings hide, and keeps usage', async (_, options, shown) => {
    await provider.shutdown()
    install(new LangSmithOTLPSpanProcessor(anExporter(options), { client: project.client }))
    callModel()
    const [call] = await runs()
    const text = JSON.stringify([call?.inputs, call?.outputs, call?.extra])
    expect(text).not.toMatch(new RegExp(`hello|${FAKE_TEXT[0]}`))
    if (shown) expect(text).toMatch(shown)
    else expect(text).not.toContain('first')
    expect(call?.total_tokens).toBe(30)
    expect(costOf(call)).toBeCloseTo(COST, 9)
  })

  it('sends no span that its filter, the sampler or the sampling rate leaves out', async () => {
    await provider.shutdown()
    const filter = ({ name }: { name: string }) => name !== 'GET /'
    install(new LangSmithOTLPSpanProcessor(anExporter(), { filter, maxExportBatchSize: 2 }))
    for (const name of ['GET /', 'one', 'two', 'three']) tracer.startSpan(name).end()
    expect((await runs()).map(({ name }) => name).toSorted()).toEqual(['one', 'three', 'two'])
    await provider.shutdown()
    install(new LangSmithOTLPSpanProcessor(anExporter({ tracingSamplingRate: 0 })))
    tracer.startSpan('not sampled').end()
    expect(await runs()).toHaveLength(3)
  })

  it('never throws into the program when the server cannot be reached, or rejects spans', async () => {
    const warnings: string[] = []
    const logger = { warn: (message: string) => void warnings.push(message) }
    await provider.shutdown()
    const exporter = anExporter({ apiUrl: 'http://127.0.0.1:9', callerOptions: { maxRetries: 0 }, logger })
    install(new LangSmithOTLPSpanProcessor(exporter))
    tracer.startSpan('lost').end()
    await provider.forceFlush()
    expect(warnings).toEqual([expect.stringContaining('Could not send 1 spans')])
    await provider.shutdown()
    tracer.startSpan('after the end').end()
    expect(
      () =>
        new LangSmithOTLPTraceExporter({ projectName: 'a', address: { kind: 'AGENT', id: 'a', environment: 'LOCAL' } }),
    ).toThrow('not both')
    expect(await listRuns(aProject(started.server).client, 'default').catch(() => [])).toEqual([])
  })
})
