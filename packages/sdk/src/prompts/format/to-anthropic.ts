import type { KVMap, PromptCommit } from '../../schemas.ts'
import { formatPrompt, type PromptVariables } from './format-prompt.ts'
import { type PromptMessage, type PromptPart, toContentText } from './messages.ts'

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
