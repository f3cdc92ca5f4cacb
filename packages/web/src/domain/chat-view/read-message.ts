import { asList, asObject, asText, type ChatMessage, type ChatPart } from './conversation.ts'
import { readParts, readToolCalls } from './read-parts.ts'

/** A map: roles come from traced content, and `__proto__` must be nobody. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['function', 'tool'],
  ['HumanMessage', 'user'],
  ['AIMessage', 'assistant'],
  ['SystemMessage', 'system'],
  ['ToolMessage', 'tool'],
  ['FunctionMessage', 'tool'],
  ['HumanMessageChunk', 'user'],
  ['AIMessageChunk', 'assistant'],
  ['SystemMessageChunk', 'system'],
  ['ToolMessageChunk', 'tool'],
])

const LANGCHAIN_TYPES = new Set(['human', 'ai', 'system', 'tool', 'function', 'developer', 'chat'])

/** A message of any shape we know: role and content, LangChain (serialised, stored, or a pair), Gemini. */
export function readMessage(value: unknown): ChatMessage | undefined {
  const pair = asList(value)
  if (pair) return pair.length === 2 && typeof pair[0] === 'string' ? readPair(pair[0], pair[1]) : undefined
  const object = asObject(value)
  if (!object) return undefined
  if (object.lc === 1 && asList(object.id)) return readSerialised(object)
  const stored = asObject(object.data)
  const type = asText(object.type)
  if (stored && type && LANGCHAIN_TYPES.has(type)) return compose(type, stored)
  if (type && (LANGCHAIN_TYPES.has(type) || ROLES.has(type)) && 'content' in object) return compose(type, object)
  const role = asText(object.role)
  if (role !== undefined && ('content' in object || 'parts' in object || 'tool_calls' in object))
    return compose(role, object)
  return undefined
}

/** A list of messages, also one wrapped in a list of its own; undefined unless every entry is a message. */
export function readMessages(value: unknown): ChatMessage[] | undefined {
  const list = asList(value)
  if (!list || list.length === 0) return undefined
  if (list.length === 1 && asList(list[0]) && !readMessage(list[0])) return readMessages(list[0])
  const messages = list.map(readMessage)
  return messages.every((message) => message !== undefined) ? messages : undefined
}

/** Whether a value is a message as LangChain writes them, rather than plain role and content. */
export function isLangChain(value: unknown): boolean {
  const object = asObject(value)
  return object?.lc === 1 || LANGCHAIN_TYPES.has(asText(object?.type) ?? '')
}

function readSerialised(object: Record<string, unknown>): ChatMessage | undefined {
  const name = asText(asList(object.id)?.at(-1))
  const kwargs = asObject(object.kwargs)
  if (!kwargs || !name?.match(/Message(Chunk)?$/)) return undefined
  return compose(name === 'ChatMessage' ? (asText(kwargs.role) ?? name) : name, kwargs)
}

function readPair(role: string, content: unknown): ChatMessage | undefined {
  return ROLES.has(role) || ['system', 'user', 'assistant', 'tool', 'placeholder'].includes(role)
    ? { role: ROLES.get(role) ?? role, parts: readParts(content) }
    : undefined
}

function compose(role: string, fields: Record<string, unknown>): ChatMessage {
  const known = ROLES.get(role) ?? role
  const name = asText(fields.name)
  const extra = asObject(fields.additional_kwargs) ?? {}
  const content = readParts(fields.content ?? fields.parts)
  const parts = known === 'tool' ? [answerOf(fields, content)] : [...reasoningOf(fields, extra), ...content]
  // LangChain keeps a call twice (as a block of the content and in tool_calls); once is enough.
  const inContent = new Set(parts.flatMap((part) => (part.kind === 'tool_call' ? [part.id ?? part.name] : [])))
  const calls = readToolCalls(
    nonEmpty(fields.tool_calls) ?? extra.tool_calls ?? one(fields.function_call ?? extra.function_call),
  )
  const refusal = asText(fields.refusal)
  return {
    role: known,
    ...(name === undefined || known === 'tool' ? {} : { name }),
    parts: [
      ...parts,
      ...(refusal ? [{ kind: 'refusal' as const, text: refusal }] : []),
      ...calls.filter((call) => !inContent.has(call.id ?? call.name)),
    ],
  }
}

function answerOf(fields: Record<string, unknown>, parts: ChatPart[]): ChatPart {
  const id = asText(fields.tool_call_id)
  const name = asText(fields.name)
  return {
    kind: 'tool_result',
    parts,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(fields.status === 'error' ? { isError: true } : {}),
  }
}

function reasoningOf(fields: Record<string, unknown>, extra: Record<string, unknown>): ChatPart[] {
  const text = [fields.reasoning_content, fields.reasoning, extra.reasoning_content].map(asText).find(Boolean)
  return text ? [{ kind: 'reasoning', text }] : []
}

function one(value: unknown): unknown[] {
  return value === null || value === undefined ? [] : [value]
}

function nonEmpty(value: unknown): unknown[] | undefined {
  const list = asList(value)
  return list && list.length > 0 ? list : undefined
}
