// Calls models of a local provider under a real instrumentation, and exports the spans. Run in a process of its own, because
// instrumentations replace the methods of clients: `node instrumented.mjs NAME`, with PROVIDER_URL, OTLP_URL and PROJECT set.
import { AsyncLocalStorage } from 'node:async_hooks'
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

const { PROVIDER_URL = '', OTLP_URL = '', PROJECT = '', ENCODING = 'protobuf' } = process.env
const Exporter = ENCODING === 'json' ? JsonExporter : ProtobufExporter
const exporter = new Exporter({ url: OTLP_URL, headers: { 'x-api-key': 'any', 'Langsmith-Project': PROJECT } })
const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
trace.setGlobalTracerProvider(provider)

/** Makes a span the parent of the spans inside it, across awaits. */
const storage = new AsyncLocalStorage()
context.setGlobalContextManager({
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, call, self, ...args) => storage.run(active, () => call.apply(self, args)),
  bind: (active, target) =>
    typeof target === 'function' ? (...args) => storage.run(active, () => target(...args)) : target,
  enable() {
    return this
  },
  disable() {
    return this
  },
})

const WEATHER = {
  name: 'weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const ASKED = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Say hello' },
]
const TOOL_ASKED = [{ role: 'user', content: 'Use a tool please' }]
const OPENAI_TOOLS = [{ type: 'function', function: WEATHER }]

/** One call that is whole, one that is streamed, one that calls a tool, and one that fails. */
async function callOpenAi(openai) {
  const model = 'fake-model'
  await openai.chat.completions.create({ model, messages: ASKED, temperature: 0.5 })
  const streamed = { model, messages: ASKED, stream: true, stream_options: { include_usage: true } }
  for await (const _ of await openai.chat.completions.create(streamed));
  await openai.chat.completions.create({ model, messages: TOOL_ASKED, tools: OPENAI_TOOLS })
  await openai.chat.completions.create({ model: 'fake-forbidden', messages: ASKED }).catch(() => undefined)
}

/** One call that is whole, one that is streamed, one with a tool and the call after it, and one that fails. */
async function callAiSdk(ai, createOpenAI, settings) {
  const { generateText, jsonSchema, streamText, tool, isStepCount = ai.stepCountIs } = ai
  const openai = createOpenAI({ apiKey: 'none', baseURL: PROVIDER_URL })
  const model = openai.chat('fake-model')
  const messages = [ASKED[1]]
  await generateText({ model, system: 'Be short.', messages, temperature: 0.5, ...settings })
  const streamed = streamText({ model, system: 'Be short.', messages, ...settings })
  for await (const _ of streamed.textStream);
  const weather = tool({
    description: WEATHER.description,
    inputSchema: jsonSchema(WEATHER.parameters),
    execute: async ({ city }) => ({ city, sky: 'grey' }),
  })
  await generateText({ model, messages: TOOL_ASKED, tools: { weather }, stopWhen: isStepCount(3), ...settings })
  const failing = { model: openai.chat('fake-forbidden'), messages, maxRetries: 0, ...settings }
  await generateText(failing).catch(() => undefined)
}

async function newOpenAi(OpenAI) {
  return new OpenAI({ apiKey: 'none', baseURL: PROVIDER_URL, maxRetries: 0 })
}

const INSTRUMENTATIONS = {
  async 'openinference-openai'() {
    const { OpenAIInstrumentation } = await import('@arizeai/openinference-instrumentation-openai')
    const { default: OpenAI } = await import('openai')
    const instrumentation = new OpenAIInstrumentation({ tracerProvider: provider })
    instrumentation.manuallyInstrument(OpenAI)
    await callOpenAi(await newOpenAi(OpenAI))
  },

  async 'traceloop-openai'() {
    const { OpenAIInstrumentation } = await import('@traceloop/instrumentation-openai')
    const { default: OpenAI } = await import('openai')
    const instrumentation = new OpenAIInstrumentation()
    instrumentation.setTracerProvider(provider)
    instrumentation.manuallyInstrument(OpenAI)
    await callOpenAi(await newOpenAi(OpenAI))
  },

  async 'traceloop-anthropic'() {
    const { AnthropicInstrumentation } = await import('@traceloop/instrumentation-anthropic')
    const { Anthropic, APIPromise } = await import('@anthropic-ai/sdk')
    const instrumentation = new AnthropicInstrumentation()
    instrumentation.setTracerProvider(provider)
    // It wraps the old API of completions too, which this client no longer has.
    const { Messages, Beta } = Anthropic
    class Completions {
      create() {}
    }
    instrumentation.manuallyInstrument({ APIPromise, Anthropic: { Messages, Beta, Completions } })
    const client = new Anthropic({ apiKey: 'none', baseURL: PROVIDER_URL.replace(/\/v1$/, ''), maxRetries: 0 })
    const call = { model: 'fake-model', max_tokens: 64, system: 'Be short.', messages: [ASKED[1]] }
    await client.messages.create(call)
    for await (const _ of await client.messages.create({ ...call, stream: true }));
    const tools = [{ name: WEATHER.name, description: WEATHER.description, input_schema: WEATHER.parameters }]
    await client.messages.create({ ...call, messages: TOOL_ASKED, tools })
    await client.messages.create({ ...call, model: 'fake-forbidden' }).catch(() => undefined)
  },

  async 'ai-sdk-5'() {
    const { createOpenAI } = await import('ai-5-openai')
    const metadata = { sessionId: 'thread-1', userId: 'ada', plan: 'pro' }
    await callAiSdk(await import('ai-5'), createOpenAI, { experimental_telemetry: { isEnabled: true, metadata } })
  },

  async 'ai-sdk-6'() {
    const { createOpenAI } = await import('ai-6-openai')
    const metadata = { sessionId: 'thread-1', userId: 'ada', plan: 'pro' }
    await callAiSdk(await import('ai-6'), createOpenAI, { experimental_telemetry: { isEnabled: true, metadata } })
  },

  async 'ai-sdk-7'() {
    const ai = await import('ai')
    const { createOpenAI } = await import('@ai-sdk/openai')
    const { OpenTelemetry } = await import('@ai-sdk/otel')
    ai.registerTelemetry(new OpenTelemetry({ tracer: provider.getTracer('gen_ai'), usage: true, runtimeContext: true }))
    const runtimeContext = { sessionId: 'thread-1', userId: 'ada', plan: 'pro' }
    const telemetry = { functionId: 'answer', includeRuntimeContext: { sessionId: true, userId: true, plan: true } }
    await callAiSdk(ai, createOpenAI, { runtimeContext, telemetry })
  },
}

const run = INSTRUMENTATIONS[process.argv[2]]
if (run === undefined) throw new Error(`The instrumentation ${process.argv[2]} is not known.`)
await run()
await provider.forceFlush()
await provider.shutdown()
