// The same as `../instrumented.mjs`, for frameworks whose packages only the full tests install.
import { AsyncLocalStorage } from 'node:async_hooks'
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

const { PROVIDER_URL = '', BEDROCK_URL = '', OTLP_URL = '', PROJECT = '' } = process.env
const headers = { 'x-api-key': 'any', 'Langsmith-Project': PROJECT }
const provider = new BasicTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: OTLP_URL, headers }))],
})

const storage = new AsyncLocalStorage()
function makeGlobal() {
  trace.setGlobalTracerProvider(provider)
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
}

const SYSTEM = 'Be short.'
const ASKED = [
  { role: 'system', content: SYSTEM },
  { role: 'user', content: 'Say hello' },
]
const TOOL_ASKED = [{ role: 'user', content: 'Use a tool please' }]

/** One call that is whole, one that is streamed, one that fails, and an agent of LangGraph that calls a tool. */
async function callLangChain(config = {}) {
  const { ChatOpenAI } = await import('@langchain/openai')
  const { createAgent, tool } = await import('langchain')
  const { z } = await import('zod')
  const newModel = (model) =>
    new ChatOpenAI({
      model,
      apiKey: 'none',
      temperature: 0.5,
      maxRetries: 0,
      streamUsage: true,
      configuration: { baseURL: PROVIDER_URL },
    })
  const model = newModel('fake-model')
  await model.invoke(ASKED, config)
  for await (const _ of await model.stream(ASKED, config));
  const weather = tool(async ({ city }) => `grey in ${city}`, {
    name: 'weather',
    description: 'The weather of a city',
    schema: z.object({ city: z.string() }),
  })
  const agent = createAgent({ model, tools: [weather], systemPrompt: SYSTEM, name: 'Weather' })
  await agent.invoke({ messages: TOOL_ASKED }, config)
  await newModel('fake-forbidden')
    .invoke(ASKED, config)
    .catch(() => undefined)
}

async function callBedrock() {
  const bedrock = await import('@aws-sdk/client-bedrock-runtime')
  const { NodeHttpHandler } = await import('@smithy/node-http-handler')
  const { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand, InvokeModelCommand } = bedrock
  const client = new BedrockRuntimeClient({
    // The default needs HTTP/2.
    requestHandler: new NodeHttpHandler(),
    endpoint: BEDROCK_URL,
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts: 1,
  })
  const call = {
    modelId: 'anthropic.fake-model',
    system: [{ text: SYSTEM }],
    messages: [{ role: 'user', content: [{ text: 'Say hello' }] }],
    inferenceConfig: { temperature: 0.5, maxTokens: 64 },
  }
  await client.send(new ConverseCommand(call))
  const { stream } = await client.send(new ConverseStreamCommand(call))
  for await (const _ of stream);
  const inputSchema = { json: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }
  const toolConfig = { tools: [{ toolSpec: { name: 'weather', description: 'The weather of a city', inputSchema } }] }
  const messages = [{ role: 'user', content: [{ text: 'Use a tool please' }] }]
  await client.send(new ConverseCommand({ ...call, messages, toolConfig }))
  await client.send(new ConverseCommand({ ...call, modelId: 'anthropic.fake-forbidden' })).catch(() => undefined)
  const body = JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 64,
    system: SYSTEM,
    messages: [ASKED[1]],
  })
  await client.send(new InvokeModelCommand({ modelId: 'anthropic.fake-model', contentType: 'application/json', body }))
}

/** Runs a call with a session, a user, metadata and tags, as OpenInference attaches them. */
async function withAttributes(call) {
  const { setSession, setUser, setMetadata, setTags } = await import('@arizeai/openinference-core')
  let active = setSession(context.active(), { sessionId: 'thread-1' })
  active = setUser(active, { userId: 'ada' })
  active = setMetadata(active, { plan: 'pro' })
  active = setTags(active, ['one'])
  await context.with(active, call)
}

const INSTRUMENTATIONS = {
  async 'openinference-langchain'() {
    makeGlobal()
    const { LangChainInstrumentation } = await import('@arizeai/openinference-instrumentation-langchain')
    const callbacks = await import('@langchain/core/callbacks/manager')
    new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbacks)
    // Metadata of LangChain takes the place of that of the context.
    await withAttributes(() => callLangChain({ metadata: { plan: 'pro' } }))
  },

  async 'traceloop-langchain'() {
    makeGlobal()
    const { LangChainInstrumentation } = await import('@traceloop/instrumentation-langchain')
    const instrumentation = new LangChainInstrumentation()
    instrumentation.setTracerProvider(provider)
    instrumentation.manuallyInstrument({ callbackManagerModule: await import('@langchain/core/callbacks/manager') })
    await callLangChain({ metadata: { plan: 'pro' } })
  },

  async 'openinference-bedrock'() {
    makeGlobal()
    const { BedrockInstrumentation } = await import('@arizeai/openinference-instrumentation-bedrock')
    const instrumentation = new BedrockInstrumentation({ tracerProvider: provider })
    instrumentation.manuallyInstrument(await import('@aws-sdk/client-bedrock-runtime'))
    await withAttributes(callBedrock)
  },

  async mastra() {
    const { Mastra } = await import('@mastra/core')
    const { Agent } = await import('@mastra/core/agent')
    const { createTool } = await import('@mastra/core/tools')
    const { Observability } = await import('@mastra/observability')
    const { OtelExporter } = await import('@mastra/otel-exporter')
    const { createOpenAI } = await import('@ai-sdk/openai')
    const { z } = await import('zod')
    const openai = createOpenAI({ apiKey: 'none', baseURL: PROVIDER_URL })
    const exporter = new OtelExporter({
      provider: { custom: { endpoint: OTLP_URL, protocol: 'http/protobuf', headers } },
    })
    const weather = createTool({
      id: 'weather',
      description: 'The weather of a city',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => ({ city, sky: 'grey' }),
    })
    const newAgent = (name, model, more) =>
      new Agent({ id: name, name, instructions: SYSTEM, model: openai.chat(model), ...more })
    const mastra = new Mastra({
      agents: {
        hello: newAgent('hello', 'fake-model'),
        forecaster: newAgent('forecaster', 'fake-model', { tools: { weather } }),
        failing: newAgent('failing', 'fake-forbidden', { maxRetries: 0 }),
      },
      observability: new Observability({ configs: { otel: { serviceName: 'shop', exporters: [exporter] } } }),
      logger: false,
    })
    const tracingOptions = { metadata: { userId: 'ada', plan: 'pro', threadId: 'thread-1' }, tags: ['one'] }
    const settings = { modelSettings: { temperature: 0.5, maxRetries: 0 }, tracingOptions }
    await mastra.getAgent('hello').generate('Say hello', settings)
    const streamed = await mastra.getAgent('hello').stream('Say hello', settings)
    for await (const _ of streamed.textStream);
    await mastra.getAgent('forecaster').generate('Use a tool please', settings)
    await mastra
      .getAgent('failing')
      .generate('Say hello', settings)
      .catch(() => undefined)
    await mastra.shutdown()
  },
}

const run = INSTRUMENTATIONS[process.argv[2]]
if (run === undefined) throw new Error(`The instrumentation ${process.argv[2]} is not known.`)
await run()
await provider.forceFlush()
await provider.shutdown()
