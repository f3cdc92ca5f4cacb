import {
  findModelCapabilities,
  MODEL_PROVIDER_KIND_NAMES,
  type ModelCall,
  type ModelFinishReason,
  type ModelMessage,
  type ModelTool,
  type ModelToolChoice,
} from '@touchstone/contract'
import { type JsonRecord, member, memberAt } from '../json/guards.ts'
import {
  addExtraBody,
  type Content,
  type Delta,
  nameParameters,
  toCount,
  toList,
  toParts,
  toWord,
  type Wire,
} from './wire.ts'

/** Chat Completions of OpenAI, which many others offer too. */
export const openaiChat: Wire = {
  name: MODEL_PROVIDER_KIND_NAMES['openai-chat'],
  build(call, stream) {
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
      messages: [...call.messages, ...(asObject ? [describeSchema(call)] : [])].map(toMessage),
      ...fields,
      ...toTools(call),
      ...(call.output_schema != null && { response_format: asObject ? { type: 'json_object' } : toFormat(call) }),
      ...(stream && { stream: true, stream_options: { include_usage: true } }),
    }
    return { path: '/chat/completions', body: addExtraBody(body, call.extra_body, sent), sent, unsent }
  },
  createReader: () => ({ readEvent: readChunk, readWhole: readChunk }),
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

function toMessage(message: ModelMessage): JsonRecord {
  const content = toContent(message.content)
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.tool_call_id, content }
  if (message.role !== 'assistant') return { role: message.role, content }
  const calls = message.tool_calls ?? []
  const tool_calls = calls.map((call) => ({ id: call.id, type: 'function', function: call.function }))
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) }
}

function toContent(content: Content): unknown {
  if (content == null || typeof content === 'string') return content ?? null
  return toParts(content).map((part) => (part.type === 'raw' ? part.raw : part))
}

function toTools({ tools, tool_choice }: ModelCall): JsonRecord {
  if (tools == null || tools.length === 0) return {}
  return {
    tools: tools.map((tool: ModelTool) => (tool.type === 'raw' ? tool.raw : tool)),
    ...(tool_choice != null && { tool_choice: toChoice(tool_choice) }),
  }
}

function toChoice(choice: ModelToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }
}

/** A chunk has the changes in `delta`, a whole answer all of it in `message`. */
function readChunk(chunk: unknown): Delta[] {
  const error = member(chunk, 'error')
  if (error != null) return [{ type: 'error', error: chunk }]
  const choice = toList(member(chunk, 'choices'))[0]
  const message = member(choice, 'delta') ?? member(choice, 'message')
  const model = toWord(member(chunk, 'model'))
  const finish = toWord(member(choice, 'finish_reason'))
  const usage = member(chunk, 'usage')
  return [
    ...(model === undefined ? [] : [{ type: 'model' as const, model }]),
    ...readMessage(message),
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

function readMessage(message: unknown): Delta[] {
  // `reasoning_content`: DeepSeek and vLLM; `reasoning`: OpenRouter and Groq.
  const reasoning = toWord(member(message, 'reasoning_content')) ?? toWord(member(message, 'reasoning'))
  const refusal = toWord(member(message, 'refusal'))
  const calls = toList(member(message, 'tool_calls')).map((call, at): Delta => {
    const index = toCount(member(call, 'index')) ?? at
    const [id, name] = [toWord(member(call, 'id')), toWord(memberAt(call, 'function', 'name'))]
    const text = toWord(memberAt(call, 'function', 'arguments'))
    return { type: 'tool_call', index, ...(id && { id }), ...(name && { name }), ...(text && { arguments: text }) }
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
