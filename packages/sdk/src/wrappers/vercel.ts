import { isObject, isRecord, isThenable } from '../guards.ts'
import { reportProblem } from '../logger.ts'
import type { KVMap } from '../schemas.ts'
import { runInContext } from '../tracing/context.ts'
import type { Recording } from '../tracing/traceable/recording.ts'
import { startRecording } from '../tracing/traceable/traceable.ts'
import type { AnyFunction, TraceableConfig } from '../tracing/traceable/types.ts'
import { type Call, follow, INTEGRATION, traceParams } from './vercel/call.ts'
import { takeConfig, type WrapAISDKConfig } from './vercel/config.ts'
import { toAnswer, toMessages } from './vercel/messages.ts'
import { StreamedCall } from './vercel/streamed-call.ts'
import { markAgentRoot } from './wrap-members.ts'

export { createLangSmithProviderOptions, type WrapAISDKConfig } from './vercel/config.ts'
export { convertMessageToTracedFormat } from './vercel/messages.ts'

/** What the module `ai` has; later versions lack some of it. */
interface AISDK {
  generateText: AnyFunction
  streamText: AnyFunction
  generateObject?: AnyFunction
  streamObject?: AnyFunction
}

/**
 * Records the calls of the AI SDK: `generateText`, `streamText`, `generateObject`, `streamObject` and agents as runs of
 * type chain, with the calls of their models and tools below them. Versions 5, 6 and 7.
 *
 * @param ai  the module: `import * as ai from 'ai'`
 * @param config  for all calls; `createLangSmithProviderOptions` has settings of one call
 * @returns the module with traced functions and classes; everything else is that of the given one
 * @example const { generateText, streamText } = wrapAISDK(ai)
 */
export function wrapAISDK<Module extends AISDK>(ai: Module, config: WrapAISDKConfig = {}): Module {
  const members = ai as unknown as Record<string, unknown>
  const context: Context = { ai: members, base: config }
  const traced: Record<string, unknown> = {}
  for (const name of ['generateText', 'generateObject']) {
    const method = members[name]
    if (typeof method === 'function') traced[name] = traceWhole(method as AnyFunction, `ai.${name}`, context)
  }
  for (const name of ['streamText', 'streamObject']) {
    const method = members[name]
    if (typeof method === 'function') traced[name] = traceStreamed(method as AnyFunction, `ai.${name}`, context)
  }
  for (const name of ['ToolLoopAgent', 'Experimental_Agent']) {
    const Agent = members[name]
    if (typeof Agent === 'function') traced[name] = traceAgent(Agent as AgentClass, context)
  }
  return { ...ai, ...traced }
}

interface Context {
  readonly ai: Record<string, unknown>
  readonly base: WrapAISDKConfig
}

/** The result is a promise. */
function traceWhole(method: AnyFunction, name: string, context: Context): AnyFunction {
  return (given: KVMap, ...rest: unknown[]) => {
    const { config, params } = takeConfig(context.base, given)
    const recording = start(config, { method: name, name: readModelName(params), inputs: params })
    if (recording === undefined) return method(params, ...rest)
    const call = toCall(recording, config, name, context)
    return follow(recording, () => method(traceParams(params, call), ...rest))
  }
}

/** The result is an object with streams, which is returned at once. */
function traceStreamed(method: AnyFunction, name: string, context: Context): AnyFunction {
  return (given: KVMap, ...rest: unknown[]) => {
    const { config, params } = takeConfig(context.base, given)
    return followStreamed(
      config,
      { method: name, name: readModelName(params), inputs: params },
      context,
      (call, streamed) =>
        call && streamed ? method(streamed.addCallbacks(traceParams(params, call)), ...rest) : method(params, ...rest),
    )
  }
}

interface Agent {
  generate(options: KVMap): unknown
  stream(options: KVMap): unknown
}
type AgentClass = new (settings: KVMap) => Agent

/** A class whose instances record each call. */
function traceAgent(Agent: AgentClass, context: Context): AgentClass {
  class TracedAgent extends Agent {
    override generate(given: KVMap): unknown {
      const { config, params, settings, about } = describeAgentCall(Agent, this, context, ['generate', given])
      const recording = settings && start(config, about)
      if (settings === undefined || recording === undefined) return super.generate(params)
      const call = toCall(recording, config, about.method, context)
      return follow(recording, () => super.generate.call(withSettings(this, traceParams(settings, call)), params))
    }

    override stream(given: KVMap): unknown {
      const { config, params, settings, about } = describeAgentCall(Agent, this, context, ['stream', given])
      if (settings === undefined) return super.stream(params)
      return followStreamed(config, about, context, (call, streamed) =>
        call && streamed
          ? super.stream.call(withSettings(this, streamed.addCallbacks(traceParams(settings, call))), params)
          : super.stream(params),
      )
    }
  }
  Object.defineProperty(TracedAgent, 'name', { value: Agent.name })
  return TracedAgent
}

/** Versions 5 to 7 keep the settings of an agent in its member `settings`. */
function describeAgentCall(
  Agent: AgentClass,
  agent: Agent,
  context: Context,
  [method, given]: [method: string, given: KVMap],
) {
  const { settings: all } = agent as unknown as KVMap
  const { config: base, params: settings } = takeConfig(context.base, isRecord(all) ? all : {})
  const { config, params } = takeConfig(base, given ?? {})
  const { id, instructions, system } = settings
  const about: About = {
    method: `ai.${Agent.name}.${method}`,
    name: typeof id === 'string' ? id : Agent.name,
    inputs: { instructions, system, ...params },
  }
  return { config, params, settings: isRecord(all) ? settings : undefined, about }
}

function withSettings(agent: Agent, settings: KVMap): Agent {
  return Object.create(agent, { settings: { value: settings } }) as Agent
}

interface About {
  readonly method: string
  readonly name: string
  /** The parameters of the call. */
  readonly inputs: KVMap
  readonly aggregator?: () => KVMap
}

function start(config: WrapAISDKConfig, about: About): Recording | undefined {
  const { processInputs, processOutputs, traceResponseMetadata, ...rest } = config
  const { processChildLLMRunInputs: _, processChildLLMRunOutputs: __, traceRawHttp: ___, ...run } = rest
  const traced: TraceableConfig = {
    ...run,
    name: config.name ?? about.name,
    run_type: 'chain',
    metadata: { ...INTEGRATION, ai_sdk_method: about.method, ...config.metadata },
    processInputs: processInputs ?? toInputs,
    processOutputs: (outputs) => {
      const result: KVMap = isObject(outputs.outputs) ? outputs.outputs : outputs
      return processOutputs?.({ outputs: result }) ?? toOutputs(result, traceResponseMetadata)
    },
    aggregator: about.aggregator,
    on_start: markAgentRoot,
  }
  try {
    return startRecording(traced, [about.inputs])
  } catch (error) {
    reportProblem(config.client, `A call of the AI SDK is not traced: ${error}`)
    return undefined
  }
}

function toCall(recording: Recording, config: WrapAISDKConfig, method: string, { ai }: Context): Call {
  return { run: recording.runTree, config, method, findModel: (id) => findModel(ai, id) }
}

function followStreamed(
  config: WrapAISDKConfig,
  about: About,
  context: Context,
  task: (call?: Call, streamed?: StreamedCall) => unknown,
): unknown {
  let streamed: StreamedCall | undefined
  const recording = start(config, { ...about, aggregator: () => streamed?.readOutputs() ?? {} })
  if (recording === undefined) return task()
  const own = new StreamedCall(recording)
  streamed = own
  const call: Call = {
    ...toCall(recording, config, about.method, context),
    onStart: (started) => own.onStart(started),
    onPart: (part) => own.onPart(part),
  }
  const failed = (error: unknown): never => {
    own.fail(error)
    throw error
  }
  const watch = (result: unknown) => (isObject(result) ? own.watch(result) : result)
  try {
    const result = runInContext(recording.runTree, () => task(call, own))
    return isThenable(result) ? Promise.resolve(result).then(watch, failed) : watch(result)
  } catch (error) {
    return failed(error)
  }
}

interface ModelProvider {
  languageModel(id: string): unknown
}

/** Where the AI SDK itself looks for the model of an id. */
function findModel(ai: Record<string, unknown>, id: string): unknown {
  const own = (globalThis as { AI_SDK_DEFAULT_PROVIDER?: unknown }).AI_SDK_DEFAULT_PROVIDER
  const provider = (own ?? ai.gateway) as Partial<ModelProvider> | undefined
  try {
    return provider?.languageModel?.(id)
  } catch {
    return undefined
  }
}

function readModelName({ model }: KVMap): string {
  return isRecord(model) ? String(model.provider) : typeof model === 'string' ? model : 'ai'
}

/** Parameters that describe the call. Others are functions, or may have credentials. */
const INPUT_KEYS = [
  'system',
  'instructions',
  'prompt',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'reasoning',
  'maxRetries',
  'toolChoice',
  'activeTools',
  'schemaName',
  'schemaDescription',
  'enum',
  'options',
] as const

function toInputs(params: KVMap): KVMap {
  const { messages, prompt } = params
  const given = INPUT_KEYS.filter((key) => params[key] !== undefined).map((key) => [key, params[key]])
  const conversation = Array.isArray(messages) ? messages : Array.isArray(prompt) ? prompt : undefined
  const { prompt: text, ...rest } = Object.fromEntries(given) as KVMap
  return {
    ...rest,
    ...(conversation
      ? { messages: conversation.flatMap(toMessages) }
      : text !== undefined && { prompt: text as unknown }),
  }
}

function toOutputs(result: KVMap, withSteps = false): KVMap {
  if ('object' in result) {
    const { object } = result
    return isRecord(object) ? { ...object } : { outputs: object }
  }
  const steps = Array.isArray(result.steps) ? (result.steps as KVMap[]) : undefined
  const content = steps?.at(-1)?.content ?? result.content
  return { ...toAnswer(content), ...(withSteps && steps && { response_metadata: { steps } }) }
}
