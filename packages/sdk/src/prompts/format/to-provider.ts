import type { KVMap, PromptCommit } from '../../schemas.ts'
import { formatPrompt, type PromptVariables } from './format-prompt.ts'
import { type PromptMessage, type PromptPart, toContentText } from './messages.ts'

/** Spread into `chat.completions.create`, together with the model. */
export interface OpenAIPrompt {
  // biome-ignore lint/suspicious/noExplicitAny: a type of OpenAI's package, which is not needed here
  messages: any[]
  /** Only for a structured prompt. */
  response_format?: { type: 'json_schema'; json_schema: { name: string; schema: KVMap } } | undefined
}

/**
 * Converts a pulled prompt to OpenAI chat messages.
 *
 * @throws Error for a variable without a value, and for prompts that `formatPrompt` does not support
 */
export function toOpenAI(prompt: PromptCommit | KVMap, variables: PromptVariables = {}): OpenAIPrompt {
  const { messages, schema } = formatPrompt(prompt, variables)
  return {
    messages: messages.map(toOpenAIMessage),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: toSchemaName(schema), schema } } }),
  }
}

/** OpenAI allows letters, digits, `_` and `-`, at most 64 characters. */
function toSchemaName({ title }: KVMap): string {
  const name = typeof title === 'string' ? title.replace(/[^\w-]+/g, '_').slice(0, 64) : ''
  return name || 'answer'
}

function toOpenAIMessage({ role, content, name, toolCalls, toolCallId }: PromptMessage) {
  return {
    role,
    content: typeof content === 'string' ? content : content.map(toOpenAIPart),
    ...(name !== undefined && { name }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    ...(toolCalls && { tool_calls: toolCalls.map(toOpenAIToolCall) }),
  }
}

function toOpenAIToolCall({ id, name, args }: { id: string; name: string; args: unknown }) {
  return { id, type: 'function', function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) } }
}

function toOpenAIPart(part: PromptPart) {
  if (part.type === 'other') return part.part
  if (part.type === 'text') return part
  return { type: 'image_url', image_url: { url: part.url, ...(part.detail !== undefined && { detail: part.detail }) } }
}

/** Spread into `messages.create`, together with the model and `max_tokens`. */
export interface AnthropicPrompt {
  /** All system messages, joined by empty lines. */
  system?: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: a type of Anthropic's package, which is not needed here
  messages: any[]
}

/**
 * Converts a pulled prompt to Anthropic messages.
 *
 * @throws Error for a role that Anthropic does not support, for a variable without a value, and for prompts that
 * `formatPrompt` does not support
 */
export function toAnthropic(prompt: PromptCommit | KVMap, variables: PromptVariables = {}): AnthropicPrompt {
  const { messages } = formatPrompt(prompt, variables)
  const isSystem = ({ role }: PromptMessage) => role === 'system' || role === 'developer'
  const system = messages.filter(isSystem).map(({ content }) => toContentText(content))
  return {
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: messages.filter((message) => !isSystem(message)).map(toAnthropicMessage),
  }
}

function toAnthropicMessage({ role, content, toolCalls = [], toolCallId }: PromptMessage) {
  const parts = typeof content === 'string' ? content : content.map(toAnthropicPart)
  if (role === 'tool') {
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: toolCallId, content: parts }] }
  }
  if (role !== 'user' && role !== 'assistant') throw new Error(`Anthropic has no role "${role}".`)
  if (toolCalls.length === 0) return { role, content: parts }
  const text = typeof parts === 'string' ? (parts === '' ? [] : [{ type: 'text', text: parts }]) : parts
  const uses = toolCalls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
  return { role, content: [...text, ...uses] }
}

function toAnthropicPart(part: PromptPart) {
  if (part.type === 'other') return part.part
  if (part.type === 'text') return part
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(part.url) ?? []
  const source = data === undefined ? { type: 'url', url: part.url } : { type: 'base64', media_type, data }
  return { type: 'image', source }
}
