import {
  findModelCapabilities,
  MODEL_PROVIDER_KIND_NAMES,
  type ModelCall,
  type ModelFinishReason,
  type ModelMessage,
  type ModelTool,
  type ModelToolChoice,
} from '@touchstone/contract'
import { type JsonRecord, member, memberAt } from '@touchstone/formats/guards'
import { writeOpenaiChat } from '@touchstone/formats/messages'
import { readModelMessages } from './read-model-messages.ts'
import {
  addExtraBody,
  type Delta,
  nameParameters,
  toCount,
  toList,
  toWord,
  type Wire,
  type WireReader,
} from './wire.ts'

/** Chat Completions of OpenAI, which many others offer too. */
export const openaiChat: Wire = {
  name: MODEL_PROVIDER_KIND_NAMES['openai-chat'],
  build(call, stream, host) {
    const { maxTokensName, schemaMode } = findModelCapabilities('openai-chat', call.model)
    const { fields, sent, unsent } = nameParameters(call, {
      temperature: 'temperature',
      top_p: 'top_p',
      top_k: 'top_k',
      frequency_penalty: 'frequency_penalty',
      presence_penalty: 'presence_penalty',
      seed: 'seed',
      stop: 'stop',
      max_tokens: maxTokensName,
      reasoning_effort: 'reasoning_effort',
      // The API refuses it without tools.
      ...(call.tools?.length && { parallel_tool_calls: 'parallel_tool_calls' }),
    })
    const asObject = call.output_schema != null && schemaMode === 'json_object'
    const body = {
      model: call.model,
      messages: readModelMessages([...call.messages, ...(asObject ? [describeSchema(call)] : [])]).flatMap((message) =>
        writeOpenaiChat({ ...message, role: toHostRole(message.role, host) }),
      ),
      ...fields,
      ...toTools(call),
      ...(call.output_schema != null && { response_format: asObject ? { type: 'json_object' } : toFormat(call) }),
      // Mistral counts tokens without being asked, and refuses the option.
      ...(stream && { stream: true, ...(!isHost(host, 'mistral.ai') && { stream_options: { include_usage: true } }) }),
    }
    return { path: '/chat/completions', body: addExtraBody(body, call.extra_body, sent), sent, unsent }
  },
  createReader,
  readModels: readModelList,
}

/** The list of models in the form of OpenAI, which Anthropic shares. */
export function readModelList(answer: unknown): string[] | undefined {
  const data = Array.isArray(answer) ? answer : member(answer, 'data')
  if (!Array.isArray(data)) return undefined
  return data.flatMap((model) => toWord(member(model, 'id')) ?? [])
}

/** Without schemas, a model is asked for JSON in words; the API insists that the word occurs. */
function describeSchema({ output_schema }: ModelCall): ModelMessage {
  const schema = JSON.stringify(output_schema?.schema)
  return { role: 'system', content: `Answer with JSON that matches this schema: ${schema}` }
}

function toFormat({ output_schema: format }: ModelCall): JsonRecord {
  const json_schema = { name: format?.name, schema: format?.schema, strict: format?.strict ?? true }
  return { type: 'json_schema', json_schema }
}

const isHost = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

/** Other hosts, such as DeepSeek, have no role `developer`. */
function toHostRole(role: string, host: string): string {
  const isKnown = isHost(host, 'openai.com') || isHost(host, 'azure.com')
  return role === 'developer' && !isKnown ? 'system' : role
}

function toTools({ tools, tool_choice }: ModelCall): JsonRecord {
  if (tools == null || tools.length === 0) return {}
  return {
    tools: tools.map((tool: ModelTool) =>
      tool.type === 'raw' ? tool.raw : { type: 'function', function: dropNulls(tool.function) },
    ),
    ...(tool_choice != null && { tool_choice: toChoice(tool_choice) }),
  }
}

/** Providers take an absent field, and refuse null. */
function dropNulls(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}

function toChoice(choice: ModelToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }
}

/** Reads an answer whole or in chunks. */
function createReader(): WireReader {
  /** Calls by the index of the provider. Some give every call of an answer the same index. */
  const open = new Map<number, { readonly id: string | undefined; readonly index: number }>()
  let count = 0
  const toIndex: ToIndex = (given, { id, name }) => {
    const known = open.get(given)
    if (known !== undefined && (id === undefined || name === undefined || id === known.id)) return known.index
    const index = count++
    open.set(given, { id, index })
    return index
  }
  const read = (chunk: unknown) => readChunk(chunk, toIndex)
  return { readEvent: read, readWhole: read }
}

/** The position of a tool call, by the index that the provider gives and what is known of the call. */
type ToIndex = (given: number, call: { readonly id?: string; readonly name?: string }) => number

/** A chunk has the changes in `delta`, a whole answer all of it in `message`. */
function readChunk(chunk: unknown, toIndex: ToIndex): Delta[] {
  const error = member(chunk, 'error')
  if (error != null) return [{ type: 'error', error: chunk }]
  const choice = toList(member(chunk, 'choices'))[0]
  const message = member(choice, 'delta') ?? member(choice, 'message')
  const model = toWord(member(chunk, 'model'))
  const finish = toWord(member(choice, 'finish_reason'))
  const usage = member(chunk, 'usage')
  return [
    ...(model === undefined ? [] : [{ type: 'model' as const, model }]),
    ...readMessage(message, toIndex),
    ...(usage == null ? [] : [{ type: 'usage' as const, usage: readUsage(usage) }]),
    ...(finish === undefined
      ? []
      : [{ type: 'finish' as const, reason: FINISH[finish] ?? ('other' as const), providerReason: finish }]),
  ]
}

const FINISH: Readonly<Record<string, ModelFinishReason>> = {
  stop: 'stop',
  eos: 'stop',
  length: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
}

function readMessage(message: unknown, toIndex: ToIndex): Delta[] {
  // `reasoning_content`: DeepSeek and vLLM; `reasoning`: OpenRouter and Groq.
  const reasoning = toWord(member(message, 'reasoning_content')) ?? toWord(member(message, 'reasoning'))
  const refusal = toWord(member(message, 'refusal'))
  const calls = toList(member(message, 'tool_calls')).map((call, at): Delta => {
    const [id, name] = [toWord(member(call, 'id')), toWord(memberAt(call, 'function', 'name'))]
    const text = toWord(memberAt(call, 'function', 'arguments'))
    const known = { ...(id && { id }), ...(name && { name }) }
    const index = toIndex(toCount(member(call, 'index')) ?? at, known)
    return { type: 'tool_call', index, ...known, ...(text && { arguments: text }) }
  })
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...readContent(member(message, 'content')),
    ...(refusal === undefined ? [] : [{ type: 'text' as const, text: refusal }]),
    ...calls,
  ]
}

/** A text, or the parts of Mistral's reasoning models. */
function readContent(content: unknown): Delta[] {
  const text = toWord(content)
  if (text !== undefined) return [{ type: 'text', text }]
  return toList(content).flatMap((part): Delta[] => {
    const thoughts = toList(member(part, 'thinking')).map((thought) => toWord(member(thought, 'text')) ?? '')
    if (thoughts.length > 0) return [{ type: 'reasoning', text: thoughts.join('') }]
    const own = toWord(member(part, 'text'))
    return own === undefined ? [] : [{ type: 'text', text: own }]
  })
}

function readUsage(usage: unknown) {
  return {
    prompt_tokens: toCount(member(usage, 'prompt_tokens')),
    completion_tokens: toCount(member(usage, 'completion_tokens')),
    total_tokens: toCount(member(usage, 'total_tokens')),
    // `prompt_cache_hit_tokens`: DeepSeek.
    cache_read_tokens:
      toCount(memberAt(usage, 'prompt_tokens_details', 'cached_tokens')) ??
      toCount(member(usage, 'prompt_cache_hit_tokens')),
    reasoning_tokens: toCount(memberAt(usage, 'completion_tokens_details', 'reasoning_tokens')),
  }
}
