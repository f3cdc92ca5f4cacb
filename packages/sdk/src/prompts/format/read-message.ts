import type { PromptMessage, PromptPart, PromptToolCall } from './messages.ts'
import { own, textOf } from './values.ts'

const ROLES: Readonly<Record<string, string>> = {
  SystemMessage: 'system',
  HumanMessage: 'user',
  AIMessage: 'assistant',
  ToolMessage: 'tool',
  FunctionMessage: 'tool',
  human: 'user',
  ai: 'assistant',
}

/** Another house's word for a role in ours. */
export function roleOf(word: string): string {
  return Object.hasOwn(ROLES, word) ? ROLES[word]! : word
}

/** The last element of a manifest's `id`. */
export function classOf(node: unknown): string | undefined {
  const id = own(node, 'id')
  const last: unknown = Array.isArray(id) ? id.at(-1) : undefined
  return typeof last === 'string' ? last : undefined
}

/**
 * A finished message: one of LangChain as it is written down, `{role, content}`, `{type, content}`, `[role, content]`, or
 * a text of the user.
 *
 * @throws Error for what is none of them
 */
export function readMessage(value: unknown): PromptMessage {
  if (typeof value === 'string') return { role: 'user', content: value }
  if (Array.isArray(value)) return { role: roleOf(textOf(value[0])), content: readContent(value[1]) }
  const kind = classOf(value)?.replace(/Chunk$/, '')
  if (kind === 'ChatMessage') return withFacts(own(own(value, 'kwargs'), 'role'), own(value, 'kwargs'))
  if (kind !== undefined && Object.hasOwn(ROLES, kind)) return withFacts(kind, own(value, 'kwargs'))
  return withFacts(own(value, 'role') ?? own(value, 'type'), own(value, 'data') ?? value)
}

function withFacts(role: unknown, facts: unknown): PromptMessage {
  if (typeof role !== 'string') throw new Error(`A message has no role: ${textOf(facts)?.slice(0, 200)}`)
  const [name, toolCallId, calls] = [own(facts, 'name'), own(facts, 'tool_call_id'), toolCallsOf(facts)]
  return {
    role: roleOf(role),
    content: readContent(own(facts, 'content')),
    ...(typeof name === 'string' && { name }),
    ...(typeof toolCallId === 'string' && { toolCallId }),
    ...(calls.length > 0 && { toolCalls: calls }),
  }
}

/** LangChain's `{id, name, args}` or OpenAI's `{id, function: {name, arguments}}`, also where LangChain tucks it away. */
function toolCallsOf(facts: unknown): PromptToolCall[] {
  const [direct, tucked] = [own(facts, 'tool_calls'), own(own(facts, 'additional_kwargs'), 'tool_calls')]
  const calls = Array.isArray(direct) && direct.length > 0 ? direct : tucked
  if (!Array.isArray(calls)) return []
  return calls.map((call) => {
    const named = own(call, 'function')
    const id = textOf(own(call, 'id') ?? '')
    if (named === undefined) return { id, name: textOf(own(call, 'name') ?? ''), args: own(call, 'args') ?? {} }
    return { id, name: textOf(own(named, 'name') ?? ''), args: jsonOf(own(named, 'arguments')) }
  })
}

function jsonOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}

/** Content of a message: a text, or parts of which images are recognised. */
export function readContent(content: unknown): string | PromptPart[] {
  if (Array.isArray(content)) return content.map(readPart)
  return content == null ? '' : textOf(content)
}

export function readPart(part: unknown): PromptPart {
  if (typeof part === 'string') return { type: 'text', text: part }
  const [text, image] = [own(part, 'text'), own(part, 'image_url')]
  if (own(part, 'type') === 'text' && typeof text === 'string') return { type: 'text', text }
  const url = typeof image === 'string' ? image : own(image, 'url')
  if (typeof url === 'string') return imagePart(url, own(image, 'detail'))
  return { type: 'other', part: part as Record<string, unknown> }
}

export function imagePart(url: string, detail: unknown): PromptPart {
  return { type: 'image', url, ...(typeof detail === 'string' && { detail }) }
}
