import { readAiSdkUsage, toUsageMetadata } from '@touchstone/formats/usage'
import { isObject, isRecord } from '../../guards.ts'
import type { InvocationParamsSchema, KVMap } from '../../schemas.ts'
import { runInContext } from '../../tracing/context.ts'
import type { RunTree } from '../../tracing/run-tree.ts'
import { followResult } from '../../tracing/traceable/follow-result.ts'
import { formatError } from '../../tracing/traceable/payloads.ts'
import type { Recording } from '../../tracing/traceable/recording.ts'
import { isTraceableFunction, startRecording } from '../../tracing/traceable/traceable.ts'
import type { AnyFunction, TraceableConfig } from '../../tracing/traceable/types.ts'
import { wrapMembers } from '../wrap-members.ts'
import type { WrapAISDKConfig } from './config.ts'
import { mergeParts, TOKEN_PARTS, toAnswer, toMessages } from './messages.ts'

/** A call of `generateText` and the like that is being recorded. */
export interface Call {
  readonly run: RunTree
  readonly config: WrapAISDKConfig
  /** `ai.generateText` */
  readonly method: string
  /** Called when the call of a model or a tool starts. */
  onStart?(recording: Recording): void
  /** Called with each part that a model streams. */
  onPart?(part: KVMap): void
  /** Finds the model of an id such as `openai/gpt-4.1`. */
  findModel(id: string): unknown
}

export const INTEGRATION = { ls_integration: 'vercel-ai-sdk' }

/** The parameters of a call with their models and tools traced below the run of the call. */
export function traceParams(params: KVMap, call: Call): KVMap {
  const traced: KVMap = { ...params }
  if (params.model != null) traced.model = traceModel(params.model, call)
  if (isRecord(params.tools)) traced.tools = traceTools(params.tools, call)
  // These may name another model or other tools.
  for (const key of ['prepareStep', 'experimental_prepareStep', 'prepareCall']) {
    const prepare = params[key]
    if (typeof prepare !== 'function') continue
    traced[key] = async (...args: unknown[]) => {
      const prepared: unknown = await (prepare as AnyFunction)(...args)
      return isRecord(prepared) ? traceParams(prepared, call) : prepared
    }
  }
  return traced
}

const TRACED_MODELS = new WeakSet<object>()

function traceModel(given: unknown, call: Call): unknown {
  const model = typeof given === 'string' ? call.findModel(given) : given
  if (!isObject(model)) return given
  if (TRACED_MODELS.has(model)) return model
  const traced = wrapMembers(model, {
    doGenerate: (method) => (options: KVMap) => {
      const config = toModelConfig(model, call, 'ai.doGenerate')
      return callBelow(call, config, method, [options])
    },
    doStream: (method) => (options: KVMap) => {
      const config = toStreamConfig(toModelConfig(model, call, 'ai.doStream'))
      return callBelow(call, config, method, [options])
    },
  })
  TRACED_MODELS.add(traced)
  return traced
}

/** Names the parent: inside of streams the async context may be that of their reader. */
function callBelow(call: Call, config: TraceableConfig, fn: AnyFunction, args: unknown[]): unknown {
  const recording = startRecording(config, [call.run, ...args])
  if (recording === undefined) return fn(...args)
  call.onStart?.(recording)
  if (config.__finalTracedIteratorKey !== undefined) watchParts(recording, call)
  return follow(recording, () => fn(...args), config.__finalTracedIteratorKey)
}

/** Runs a task whose result ends a recording. */
export function follow(recording: Recording, task: () => unknown, streamKey?: string): unknown {
  try {
    return followResult(runInContext(recording.runTree, task), recording, streamKey)
  } catch (error) {
    recording.fail(error)
    throw error
  }
}

function toModelConfig(model: KVMap, { config }: Call, method: string): TraceableConfig {
  let usage: KVMap | undefined
  return {
    name: String(model.provider),
    run_type: 'llm',
    tags: config.tags,
    metadata: { ...INTEGRATION, ai_sdk_method: method },
    getInvocationParams: (options: KVMap) => readParameters(model, options),
    processInputs: (options: KVMap) => config.processChildLLMRunInputs?.(options) ?? toModelInputs(options),
    processOutputs: (outputs) => {
      const found = readAiSdkUsage(outputs.usage, outputs.providerMetadata)
      usage = found && toUsageMetadata(found)
      return config.processChildLLMRunOutputs?.(outputs) ?? toModelOutputs(outputs, usage, config)
    },
    on_end: (run) => {
      if (usage) run.metadata = { usage_metadata: usage }
    },
  }
}

function toStreamConfig(config: TraceableConfig): TraceableConfig {
  return { ...config, aggregator: mergeParts, __finalTracedIteratorKey: 'stream' }
}

/** Follows the parts that a model streams. */
function watchParts(recording: Recording, call: Call): void {
  const { runTree } = recording
  recording.onChunk = (part) => {
    if (!isRecord(part)) return
    if (runTree.events.length === 0 && TOKEN_PARTS.has(part.type)) runTree.addEvent({ name: 'new_token' })
    // A stream may go on after an error.
    if (part.type === 'error') runTree.error ??= formatError(part.error)
    call.onPart?.(part)
  }
}

const INVOCATION_KEYS = [
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'toolChoice',
  'responseFormat',
  'reasoning',
] as const

function readParameters({ provider, modelId }: KVMap, options: KVMap): InvocationParamsSchema {
  const given = INVOCATION_KEYS.filter((key) => options[key] !== undefined).map((key) => [key, options[key]])
  return {
    ls_provider: toProvider(String(provider)),
    ls_model_type: 'chat',
    ls_model_name: modelId as string,
    ls_max_tokens: options.maxOutputTokens as number | undefined,
    ls_temperature: options.temperature as number | undefined,
    ls_stop: options.stopSequences as string[] | undefined,
    ls_invocation_params: Object.fromEntries(given),
  }
}

/** The names of the AI SDK are `openai.chat`, `anthropic.messages`, `google.vertex.chat`; prices go by the company. */
function toProvider(name: string): string {
  const known = [
    ['google.vertex', 'google_vertexai'],
    ['google', 'google'],
    ['amazon-bedrock', 'amazon_bedrock'],
    ['azure', 'azure'],
  ] as const
  return known.find(([prefix]) => name.startsWith(prefix))?.[1] ?? name.split('.', 1)[0] ?? name
}

/** Headers may have credentials, so they are not recorded. */
function toModelInputs(options: KVMap): KVMap {
  const { prompt, abortSignal: _, headers: __, includeRawChunks: ___, providerOptions, tools, ...rest } = options
  return {
    messages: Array.isArray(prompt) ? prompt.flatMap(toMessages) : prompt,
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    ...(Array.isArray(tools) && { tools: tools.map(toTool) }),
    ...(isRecord(providerOptions) && Object.keys(providerOptions).length > 0 && { providerOptions }),
  }
}

function toTool(tool: unknown): unknown {
  if (!isRecord(tool) || tool.type !== 'function') return tool
  const { type, name, description, inputSchema } = tool
  return { type, function: { name, ...(description !== undefined && { description }), parameters: inputSchema } }
}

function toModelOutputs(outputs: KVMap, usage: KVMap | undefined, { traceRawHttp }: WrapAISDKConfig): KVMap {
  const { content, finishReason, providerMetadata, warnings, request, response } = outputs
  return {
    ...toAnswer(content),
    ...(finishReason !== undefined && { finishReason: finishReason as unknown }),
    ...(providerMetadata !== undefined && { providerMetadata: providerMetadata as unknown }),
    ...(Array.isArray(warnings) && warnings.length > 0 && { warnings: warnings as unknown[] }),
    ...(traceRawHttp && { request: request as unknown, response: response as unknown }),
    ...(usage && { usage_metadata: usage }),
  }
}

function traceTools(tools: KVMap, call: Call): KVMap {
  const entries = Object.entries(tools).map(([name, tool]) => [name, traceTool(name, tool, call)] as const)
  return Object.fromEntries(entries)
}

/** A tool that is a traceable records itself. */
function traceTool(name: string, tool: unknown, call: Call): unknown {
  if (!isRecord(tool) || typeof tool.execute !== 'function' || isTraceableFunction(tool.execute)) return tool
  const execute = tool.execute.bind(tool) as AnyFunction
  const traced = (...args: unknown[]) => {
    const [, options] = args
    const id = isRecord(options) ? options.toolCallId : undefined
    const config: TraceableConfig = {
      name,
      run_type: 'tool',
      tags: call.config.tags,
      metadata: { ...INTEGRATION, ai_sdk_method: call.method, ...(id !== undefined && { tool_call_id: id }) },
      // The second argument has the conversation so far.
      processInputs: ({ args: all, ...one }: KVMap) => toToolInputs(Array.isArray(all) ? (all as unknown[])[0] : one),
      aggregator: (results: unknown[]) => results.at(-1),
    }
    return callBelow(call, config, execute, args)
  }
  return { ...tool, execute: traced }
}

const toToolInputs = (input: unknown): KVMap => (isRecord(input) ? input : { input })
