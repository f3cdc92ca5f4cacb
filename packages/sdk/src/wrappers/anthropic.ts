import { parseModelJson } from '@touchstone/formats/exact-json'
import { readProviderUsage, toUsageMetadata, withCacheLifetimes, withServiceTier } from '@touchstone/formats/usage'
import { isObject } from '../guards.ts'
import type { InvocationParamsSchema, KVMap } from '../schemas.ts'
import type { RunTreeConfig } from '../tracing/run-tree.ts'
import type { TraceableConfig } from '../tracing/traceable/types.ts'
import { extendList, toOwn } from './merge-deltas.ts'
import {
  bodyOf,
  keepUsage,
  type LangSmithExtra,
  markAgentRoot,
  refuseWrapped,
  traceEventStream,
  traceMethod,
  wrapMembers,
} from './wrap-members.ts'

/** What a client of Anthropic has, also those for Bedrock and Vertex; some lack `beta`. */
interface AnthropicClient {
  // biome-ignore lint/suspicious/noExplicitAny: the methods of every version
  messages: { create: (...args: any[]) => any }
}

/** The same client; its calls accept `langsmithExtra` among their options. */
export type WrappedAnthropic<Client extends AnthropicClient> = Client & {
  messages: { create: (body: object, options: LangSmithExtra) => ReturnType<Client['messages']['create']> }
}

/**
 * Records the calls of a client of Anthropic as runs of type llm: `messages` and `beta.messages`, with `create`, `parse`
 * and `stream`. The client is not changed, and the returned one behaves like it.
 *
 * The system prompt becomes the first message of the inputs. Credentials of MCP servers are not recorded. Outputs have
 * `usage_metadata` instead of `usage`, whose input includes the cached tokens.
 *
 * @param options  for all runs: `name`, `metadata`, `tags`, `client`, `project_name`
 * @throws Error for a client that is wrapped
 * @example const anthropic = wrapAnthropic(new Anthropic())
 */
export function wrapAnthropic<Client extends AnthropicClient>(
  client: Client,
  options: Partial<RunTreeConfig> = {},
): WrappedAnthropic<Client> {
  refuseWrapped(client, 'Anthropic')
  const { metadata: { ls_invocation_params: known, ...metadata } = {}, ...rest } = options
  const config: TraceableConfig = {
    name: 'ChatAnthropic',
    run_type: 'llm',
    ...rest,
    metadata,
    getInvocationParams: (body: KVMap) => readParameters(body, known),
    processInputs: toInputs,
    processOutputs: toOutputs,
    on_start: markAgentRoot,
    on_end: keepUsage,
  }
  const messages = {
    create: traceMethod({ ...config, aggregator: mergeEvents }),
    parse: traceMethod(config),
    stream: traceEventStream({ ...config, aggregator: mergeEvents }, { event: 'streamEvent', final: 'finalMessage' }),
  }
  return wrapMembers(client, { messages, beta: { messages } }) as WrappedAnthropic<Client>
}

function readParameters(body: KVMap, known: unknown): InvocationParamsSchema {
  const { model, max_tokens, temperature, stop_sequences } = body
  const given = ['top_k', 'top_p', 'stream', 'thinking']
    .filter((key) => body[key] !== undefined)
    .map((key) => [key, body[key] as unknown])
  return {
    ls_provider: 'anthropic',
    ls_model_type: 'chat',
    ls_model_name: model as string,
    ls_max_tokens: (max_tokens ?? undefined) as number | undefined,
    ls_temperature: (temperature ?? undefined) as number | undefined,
    ls_stop: (stop_sequences ?? undefined) as string[] | undefined,
    ls_invocation_params: { ...(known as object | undefined), ...Object.fromEntries(given) },
  }
}

function toInputs(inputs: KVMap): KVMap {
  const { system, mcp_servers, ...body } = bodyOf(inputs)
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : []
  const content = toSystemContent(system)
  return {
    ...body,
    messages: content === undefined ? messages : [{ role: 'system', content }, ...messages],
    ...(Array.isArray(mcp_servers) && { mcp_servers: mcp_servers.map(maskServer) }),
  }
}

/** A text, or blocks of text. Blocks that have more, such as a mark of the cache, stay blocks. */
function toSystemContent(system: unknown): unknown {
  if (typeof system === 'string') return system
  if (!Array.isArray(system)) return undefined
  const texts = system.map((block: unknown) => {
    const { type, text, ...others } = isObject(block) ? block : {}
    return type === 'text' && typeof text === 'string' && Object.keys(others).length === 0 ? text : undefined
  })
  return texts.includes(undefined) ? system : texts.join('\n')
}

const SHOWN: ReadonlySet<string> = new Set(['name', 'type', 'url', 'tool_configuration'])

/** An MCP server may have a token, and headers that a later version of the API adds. */
function maskServer(server: unknown): unknown {
  if (!isObject(server)) return server
  const entries = Object.entries(server).map(([key, value]) => [key, SHOWN.has(key) ? value : '[SECRET_DETECTED]'])
  return Object.fromEntries(entries) as unknown
}

function toOutputs(outputs: KVMap): KVMap {
  const { usage, type, ...rest } = outputs
  if (!isObject(usage)) return outputs
  return { ...rest, ...(type !== 'message' && { type: type as unknown }), usage_metadata: createUsageMetadata(usage) }
}

/**
 * Anthropic's usage as totals that include their parts: its input does not contain the tokens that were read from or
 * written to the cache.
 *
 * @param usage  of a message
 */
export function createUsageMetadata(usage: KVMap): KVMap {
  const { input_tokens, output_tokens } = usage
  const found = readProviderUsage({ ...usage, input_tokens: input_tokens ?? 0, output_tokens: output_tokens ?? 0 })
  return found === undefined ? {} : toUsageMetadata(withServiceTier(withCacheLifetimes(found), usage.service_tier))
}

/** The events of a streamed message as the message that the API returns without streaming. */
function mergeEvents(events: readonly KVMap[]): KVMap {
  let message: KVMap = {}
  const blocks = new Map<number, KVMap>()
  const inputs = new Map<number, string>()
  for (const { type, index = 0, delta, usage, ...about } of events) {
    if (type === 'message_start' && isObject(about.message)) message = { ...about.message }
    else if (type === 'content_block_start' && isObject(about.content_block)) {
      blocks.set(index, toOwn({ ...about.content_block }))
    } else if (type === 'content_block_delta' && isObject(delta)) {
      if (typeof delta.partial_json === 'string') inputs.set(index, (inputs.get(index) ?? '') + delta.partial_json)
      else blocks.set(index, mergeDelta(blocks.get(index) ?? {}, delta))
    } else if (type === 'message_delta') {
      const reported = Object.entries(isObject(usage) ? usage : {}).filter(([, value]) => value !== null)
      const known = { ...(message.usage as object | undefined), ...Object.fromEntries(reported) }
      message = { ...message, ...about, ...(isObject(delta) ? delta : {}), usage: known }
    }
  }
  for (const [index, text] of inputs) {
    const block = blocks.get(index)
    if (text !== '' || block?.input === undefined) blocks.set(index, { ...block, input: parseInput(text) })
  }
  return { ...message, content: [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block) }
}

function mergeDelta(block: KVMap, { type, ...delta }: KVMap): KVMap {
  const merged = toOwn(block)
  if (type === 'citations_delta') {
    const known: unknown[] = Array.isArray(block.citations) ? block.citations : []
    merged.citations = extendList(known, [delta.citation])
    return merged
  }
  for (const [key, value] of Object.entries(delta)) {
    merged[key] = typeof value === 'string' ? `${typeof block[key] === 'string' ? block[key] : ''}${value}` : value
  }
  return merged
}

/** A stream that ended early has half of it. */
function parseInput(text: string): unknown {
  try {
    return text === '' ? {} : parseModelJson(text)
  } catch {
    return text
  }
}
