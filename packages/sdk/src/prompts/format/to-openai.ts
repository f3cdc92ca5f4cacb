import type { KVMap, PromptCommit } from '../../schemas.ts'
import { formatPrompt, type PromptVariables } from './format-prompt.ts'
import type { PromptMessage, PromptPart } from './messages.ts'

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
