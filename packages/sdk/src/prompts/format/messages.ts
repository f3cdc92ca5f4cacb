import { parseModelJson } from '@touchstone/formats/exact-json'
import { isKnownRole, readToolCall, toRole } from '@touchstone/formats/messages'

/** Values for template variables; later entries take precedence. */
export type Scope = readonly unknown[]

/** Returns an own property, never one of the prototype, and never a function that a template could call. */
export function getOwn(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  const found = (value as Record<string, unknown>)[name]
  return typeof found === 'function' ? undefined : found
}

/** Converts a value to text: strings unchanged, other values as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? '')
}

/** A message in a provider-independent format. */
export interface PromptMessage {
  /** `system`, `user`, `assistant`, `tool`, or the role name of the prompt. */
  role: string
  content: string | PromptPart[]
  name?: string | undefined
  /** Tool calls of an assistant. */
  toolCalls?: PromptToolCall[] | undefined
  /** The call that a `tool` message answers. */
  toolCallId?: string | undefined
}

export interface PromptToolCall {
  id: string
  name: string
  args: unknown
}

/** Parts other than text and images are kept unchanged, in the format of their provider. */
export type PromptPart =
  | { type: 'text'; text: string }
  | { type: 'image'; url: string; detail?: string | undefined }
  | { type: 'other'; part: Record<string, unknown> }

export function toContentText(content: string | readonly PromptPart[]): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The last element of a manifest's `id`. */
export function getClassName(node: unknown): string | undefined {
  const id = getOwn(node, 'id')
  const last: unknown = Array.isArray(id) ? id.at(-1) : undefined
  return typeof last === 'string' ? last : undefined
}

/**
 * Reads a complete message: a serialized LangChain message, `{role, content}`, `{type, content}`, `[role, content]`, or
 * a text of the user.
 *
 * @throws Error for any other value
 */
export function readMessage(value: unknown): PromptMessage {
  if (typeof value === 'string') return { role: 'user', content: value }
  if (Array.isArray(value)) return { role: toRole(toText(value[0])), content: readContent(value[1]) }
  const kind = getClassName(value)
  if (kind === 'ChatMessage' || kind === 'ChatMessageChunk')
    return toMessage(getOwn(getOwn(value, 'kwargs'), 'role'), getOwn(value, 'kwargs'))
  if (kind !== undefined && isKnownRole(kind)) return toMessage(kind, getOwn(value, 'kwargs'))
  return toMessage(getOwn(value, 'role') ?? getOwn(value, 'type'), getOwn(value, 'data') ?? value)
}

function toMessage(role: unknown, fields: unknown): PromptMessage {
  if (typeof role !== 'string') throw new Error(`A message has no role: ${toText(fields)?.slice(0, 200)}`)
  const [name, toolCallId, calls] = [getOwn(fields, 'name'), getOwn(fields, 'tool_call_id'), readToolCalls(fields)]
  return {
    role: toRole(role),
    content: readContent(getOwn(fields, 'content')),
    ...(typeof name === 'string' && { name }),
    ...(typeof toolCallId === 'string' && { toolCallId }),
    ...(calls.length > 0 && { toolCalls: calls }),
  }
}

/** LangChain's `{id, name, args}` or OpenAI's `{id, function: {name, arguments}}`, also inside `additional_kwargs`. */
function readToolCalls(fields: unknown): PromptToolCall[] {
  const [direct, nested] = [getOwn(fields, 'tool_calls'), getOwn(getOwn(fields, 'additional_kwargs'), 'tool_calls')]
  const calls = Array.isArray(direct) && direct.length > 0 ? direct : nested
  if (!Array.isArray(calls)) return []
  return calls.map((call) => {
    const { id = '', name = '', args = {}, text } = readToolCall(call) ?? {}
    return { id, name, args: text === undefined ? args : parseJson(text) }
  })
}

function parseJson(text: string): unknown {
  try {
    return parseModelJson(text)
  } catch {
    return text
  }
}

/** Content of a message: a text, or parts, of which images are recognized. */
function readContent(content: unknown): string | PromptPart[] {
  if (Array.isArray(content)) return content.map(readPart)
  return content == null ? '' : toText(content)
}

export function readPart(part: unknown): PromptPart {
  if (typeof part === 'string') return { type: 'text', text: part }
  const [text, image] = [getOwn(part, 'text'), getOwn(part, 'image_url')]
  if (getOwn(part, 'type') === 'text' && typeof text === 'string') return { type: 'text', text }
  const url = typeof image === 'string' ? image : getOwn(image, 'url')
  if (typeof url === 'string') return toImagePart(url, getOwn(image, 'detail'))
  return { type: 'other', part: part as Record<string, unknown> }
}

export function toImagePart(url: string, detail: unknown): PromptPart {
  return { type: 'image', url, ...(typeof detail === 'string' && { detail }) }
}
