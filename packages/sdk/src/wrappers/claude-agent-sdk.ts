import { isObject, isRecord } from '../guards.ts'
import { reportProblem } from '../logger.ts'
import type { KVMap } from '../schemas.ts'
import { findContextRunTree, runInContext } from '../tracing/context.ts'
import type { RunTreeConfig } from '../tracing/run-tree.ts'
import type { Recording } from '../tracing/traceable/recording.ts'
import { isStream, tapStream } from '../tracing/traceable/streams.ts'
import { startRecording } from '../tracing/traceable/traceable.ts'
import type { AnyFunction } from '../tracing/traceable/types.ts'
import { Conversation } from './claude-agent-sdk/conversation.ts'
import { markAgentRoot } from './wrap-members.ts'

/** Settings of all queries. */
export type WrapClaudeAgentSDKConfig = Partial<
  Omit<RunTreeConfig, 'inputs' | 'outputs' | 'run_type' | 'child_runs' | 'parent_run' | 'error'>
>

/** Queries that run, by the id of their run. */
const conversations = new Map<string, Conversation>()

/**
 * Records queries of the Claude Agent SDK: a run of type chain for each query, with the calls of models, tools and subagents
 * below it, made of the messages that the SDK returns. Tools that are made with the returned `tool` are the parents of
 * traced functions that they call.
 *
 * @param sdk  the module: `import * as sdk from '@anthropic-ai/claude-agent-sdk'`
 * @param config  for all queries: `name`, `metadata`, `tags`, `client`, `project_name`
 * @example const { query, tool } = wrapClaudeAgentSDK(sdk)
 */
export function wrapClaudeAgentSDK<Module extends object>(sdk: Module, config: WrapClaudeAgentSDKConfig = {}): Module {
  const { query, tool } = sdk as Partial<Record<string, AnyFunction>>
  return {
    ...sdk,
    ...(query && { query: traceQuery(query, config) }),
    ...(tool && { tool: traceTool(tool) }),
  }
}

function traceQuery(query: AnyFunction, config: WrapClaudeAgentSDKConfig): AnyFunction {
  return (params: KVMap, ...rest: unknown[]) => {
    const recording = start(config, params)
    if (recording === undefined) return query(params, ...rest)
    const { runTree } = recording
    const conversation = new Conversation(runTree, readMessages(params))
    conversations.set(runTree.id, conversation)
    const prompt = isStream(params.prompt) ? watchPrompt(params.prompt, conversation) : params.prompt
    try {
      const messages = runInContext(runTree, () => query({ ...params, prompt }, ...rest) as object)
      return tapStream(messages, observe(recording, conversation))
    } catch (error) {
      conversations.delete(runTree.id)
      recording.fail(error)
      throw error
    }
  }
}

function start(config: WrapClaudeAgentSDKConfig, params: KVMap): Recording | undefined {
  const traced = {
    ...config,
    name: config.name ?? 'claude.conversation',
    run_type: 'chain',
    metadata: { ls_integration: 'claude-agent-sdk-js', ...config.metadata },
    processInputs: (given: KVMap) => ({ messages: readMessages(given), options: readOptions(given.options) }),
    on_start: markAgentRoot,
  }
  try {
    return startRecording(traced, [params])
  } catch (error) {
    reportProblem(config.client, `A query of the Claude Agent SDK is not traced: ${error}`)
    return undefined
  }
}

/** Options that describe the query. Others are functions, or may have credentials. */
const OPTION_KEYS = [
  'model',
  'fallbackModel',
  'maxTurns',
  'maxThinkingTokens',
  'maxBudgetUsd',
  'effort',
  'permissionMode',
  'allowedTools',
  'disallowedTools',
  'tools',
  'resume',
  'continue',
  'outputFormat',
] as const

function readOptions(options: unknown): KVMap {
  const given: KVMap = isRecord(options) ? options : {}
  return Object.fromEntries(OPTION_KEYS.filter((key) => given[key] !== undefined).map((key) => [key, given[key]]))
}

/** The system prompt, which may be one of the SDK with an addition, and the prompt; a stream of prompts comes later. */
function readMessages({ prompt, options }: KVMap): KVMap[] {
  const { systemPrompt }: KVMap = isRecord(options) ? options : {}
  const system = isRecord(systemPrompt) ? systemPrompt.append : systemPrompt
  const content: unknown = Array.isArray(system) ? system.join('\n') : system
  return [
    ...(typeof content === 'string' ? [{ role: 'system', content }] : []),
    ...(typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : []),
  ]
}

/** Records the messages of a streaming prompt when the SDK reads them. */
async function* watchPrompt(prompt: object, conversation: Conversation): AsyncGenerator<unknown> {
  for await (const message of prompt as AsyncIterable<unknown>) {
    if (isRecord(message)) conversation.addPrompt(message.message)
    yield message
  }
}

/** Follows the messages that the program reads. */
function observe(recording: Recording, conversation: Conversation) {
  const { runTree } = recording
  const protect = (task: () => void) => {
    try {
      task()
    } catch (error) {
      reportProblem(runTree.client, `Could not record a message of the Claude Agent SDK: ${error}`)
    }
  }
  const close = (end: () => Promise<void> | undefined) => {
    conversations.delete(runTree.id)
    protect(() => conversation.close())
    return end()
  }
  return {
    runTree,
    addChunk: (message: unknown) => protect(() => conversation.add(message)),
    finishStream: () => close(() => recording.succeed(undefined)),
    fail: (error: unknown) => close(() => recording.fail(error)),
    cancel: () => close(() => recording.cancel()),
  }
}

/** The name under which the SDK passes the id of a call to the function of a tool. */
const TOOL_USE_ID = 'claudecode/toolUseId'

function traceTool(tool: AnyFunction): AnyFunction {
  return (name: string, description: unknown, schema: unknown, handler: AnyFunction, ...rest: unknown[]) => {
    const traced = (input: unknown, extra: unknown) => {
      const root = findContextRunTree()
      const meta: unknown = isObject(extra) ? extra._meta : undefined
      const id = isObject(meta) && typeof meta[TOOL_USE_ID] === 'string' ? meta[TOOL_USE_ID] : undefined
      const run = root && conversations.get(root.id)?.findTool(id, name, input)
      return run ? runInContext(run, () => handler(input, extra)) : handler(input, extra)
    }
    return tool(name, description, schema, traced, ...rest) as unknown
  }
}
