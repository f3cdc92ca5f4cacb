import type { JsonRecord } from '@touchstone/formats/guards'
import { isRecord } from '@touchstone/formats/guards'
import { printJson } from '../../../../json/keep-digits.ts'

/**
 * Converts a message in any known form (serialized or plain LangChain, Anthropic, Gemini, OpenAI) to OpenAI chat
 * messages:
 * several when it contains results of several tools. Other values are returned unchanged.
 */
export function toOpenaiMessages(given: unknown): unknown[] {
  if (!isRecord(given)) return [given]
  const fields = findFields(given)
  if (fields === undefined) return [given]
  if (Array.isArray(fields.parts)) return fromGemini(fields)
  return Array.isArray(fields.content) ? fromBlocks(fields, fields.content) : [plain(fields, fields.content)]
}

/** A message with a known role, with its fields at the top level. */
interface Fields extends JsonRecord {
  readonly role: string
}

const ROLES: Readonly<Record<string, string>> = {
  human: 'user',
  ai: 'assistant',
  model: 'assistant',
  HumanMessage: 'user',
  HumanMessageChunk: 'user',
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  SystemMessage: 'system',
  SystemMessageChunk: 'system',
  ToolMessage: 'tool',
  ToolMessageChunk: 'tool',
  FunctionMessage: 'function',
  FunctionMessageChunk: 'function',
}
const TYPES = new Set([
  'human',
  'ai',
  'system',
  'function',
  'tool',
  'developer',
  'user',
  'assistant',
  ...Object.keys(ROLES),
])

/** The OpenAI role of a message. */
export const toOpenaiRole = (role: string) => ROLES[role] ?? role

function findFields(message: JsonRecord): Fields | undefined {
  if (message.lc !== undefined && Array.isArray(message.id) && isRecord(message.kwargs)) {
    const { kwargs } = message
    return { ...kwargs, role: toKindRole(String(message.id.at(-1)), kwargs) }
  }
  if (typeof message.role === 'string') return { ...message, role: toOpenaiRole(message.role) }
  if (typeof message.type !== 'string' || !(TYPES.has(message.type) || message.type === 'chat')) return undefined
  const { data } = message
  if (isRecord(data)) return { ...data, role: toKindRole(message.type, data) }
  return 'content' in message ? { ...message, role: toKindRole(message.type, message) } : undefined
}

/** A LangChain message of kind `chat` contains its role. */
function toKindRole(kind: string, fields: JsonRecord): string {
  const own = kind === 'chat' || kind.startsWith('ChatMessage') ? fields.role : undefined
  return toOpenaiRole(typeof own === 'string' ? own : kind)
}

/** Fields of OpenAI messages that are kept from every form. */
const KEPT = ['name', 'refusal', 'audio', 'function_call', 'tool_calls', 'tool_call_id'] as const

function plain(fields: Fields, content: unknown): JsonRecord {
  const extra = isRecord(fields.additional_kwargs) ? fields.additional_kwargs : {}
  const made: Record<string, unknown> = { role: fields.role, content: content ?? null }
  for (const key of KEPT) {
    const value = isEmpty(fields[key]) ? extra[key] : fields[key]
    if (!isEmpty(value)) made[key] = key === 'tool_calls' ? toolCalls(value) : value
  }
  if (made.tool_calls !== undefined && content === '') made.content = null
  return made
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

function toolCalls(calls: unknown): unknown {
  if (!Array.isArray(calls)) return calls
  return calls.map((call: unknown) => {
    if (!isRecord(call) || isRecord(call.function)) return call
    return toolCall(call.id, call.name, call.args ?? call.arguments ?? {})
  })
}

function toolCall(id: unknown, name: unknown, args: unknown): JsonRecord {
  const text = typeof args === 'string' ? args : printJson(args ?? {})
  return { ...(isEmpty(id) ? {} : { id }), type: 'function', function: { name, arguments: text } }
}

/** Content in blocks, the form of Anthropic and newer LangChain. */
function fromBlocks(fields: Fields, blocks: readonly unknown[]): unknown[] {
  const results = blocks.filter((block) => isRecord(block) && block.type === 'tool_result') as JsonRecord[]
  const calls = blocks.filter((block) => isRecord(block) && block.type === 'tool_use') as JsonRecord[]
  const others = blocks
    .filter((block) => !results.includes(block as never) && !calls.includes(block as never))
    .map(toPart)
  const toolMessages = results.map((result) => ({
    role: 'tool',
    tool_call_id: result.tool_use_id,
    content: Array.isArray(result.content) ? toContent(result.content.map(toPart)) : (result.content ?? ''),
  }))
  if (results.length > 0 && others.length === 0) return toolMessages
  const content = others.length === 0 ? null : toContent(others)
  const isCalled = calls.length > 0 && isEmpty(fields.tool_calls)
  const made = plain(
    isCalled ? { ...fields, tool_calls: calls.map((call) => toolCall(call.id, call.name, call.input)) } : fields,
    content,
  )
  return [...toolMessages, made]
}

/** A block as a part of OpenAI content. */
function toPart(block: unknown): unknown {
  if (typeof block === 'string') return { type: 'text', text: block }
  if (!isRecord(block)) return block
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'image' && isRecord(block.source)) {
    const { source } = block
    const url = source.type === 'base64' ? `data:${source.media_type};base64,${source.data}` : source.url
    return { type: 'image_url', image_url: { url } }
  }
  return block
}

/** A single text becomes a string instead of a list. */
function toContent(parts: readonly unknown[]): unknown {
  const texts = parts.flatMap((part) => (isRecord(part) && part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length && texts.length === 1 ? texts[0] : parts
}

function fromGemini(fields: Fields): unknown[] {
  const parts = (fields.parts as unknown[]).filter(isRecord)
  const toolMessages = parts.flatMap((part) => {
    const answer = part.functionResponse ?? part.function_response
    if (!isRecord(answer)) return []
    return [
      {
        role: 'tool',
        ...(isEmpty(answer.id) ? {} : { tool_call_id: answer.id }),
        name: answer.name,
        content: printJson(answer.response ?? {}),
      },
    ]
  })
  const calls = parts.flatMap((part) => {
    const call = part.functionCall ?? part.function_call
    return isRecord(call) ? [toolCall(call.id, call.name, call.args)] : []
  })
  const content = parts.flatMap(geminiPart)
  if (toolMessages.length > 0 && content.length === 0 && calls.length === 0) return toolMessages
  const made = plain(
    { role: fields.role, ...(calls.length > 0 && { tool_calls: calls }) },
    content.length === 0 ? null : toContent(content),
  )
  return [...toolMessages, made]
}

function geminiPart(part: JsonRecord): unknown[] {
  if (typeof part.text === 'string') return [{ type: 'text', text: part.text }]
  const inline = part.inlineData ?? part.inline_data
  if (!isRecord(inline)) return []
  const type = inline.mimeType ?? inline.mime_type
  return [{ type: 'image_url', image_url: { url: `data:${type};base64,${inline.data}` } }]
}
