import type { ModelMessage, ModelMessagePart, ModelToolCall } from '@touchstone/contract'
import {
  asFields,
  asText,
  type JsonFields,
  listParts,
  type RecoveryNote,
  toContent,
  toFields,
  toList,
} from './variant.ts'

/** A map, because roles come from traced content: `__proto__` must not match. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ...['system', 'SystemMessage', 'SystemMessageChunk'].map((name) => [name, 'system'] as const),
  ['developer', 'developer'],
  ...['user', 'human', 'HumanMessage', 'HumanMessageChunk'].map((name) => [name, 'user'] as const),
  ...['assistant', 'ai', 'model', 'AIMessage', 'AIMessageChunk'].map((name) => [name, 'assistant'] as const),
  ...['tool', 'function', 'ToolMessage', 'ToolMessageChunk', 'FunctionMessage'].map((name) => [name, 'tool'] as const),
])

/** Fields of messages that describe how they were made, and are never sent to a model. */
const RECORDS = new Set([
  ...[
    'id',
    'type',
    'lc',
    'example',
    'status',
    'index',
    'annotations',
    'response_metadata',
    'usage_metadata',
    'artifact',
  ],
  ...['invalid_tool_calls', 'tool_call_chunks', 'phase', 'finish_reason'],
])

/**
 * Reads recorded messages of OpenAI (chat and responses), Anthropic, Gemini, LangChain and the AI SDK. A part that has no
 * form here stays as it was recorded, in a raw part; a note names it.
 */
export function readModelMessages(list: readonly unknown[], notes: RecoveryNote[]): ModelMessage[] {
  const messages: ModelMessage[] = []
  for (const [at, value] of list.entries()) {
    for (const message of readOne(value, `Message ${at + 1}`, notes)) {
      const last = messages.at(-1)
      if (isItem(value) && message.role === 'assistant' && last?.role === 'assistant' && isItem(list[at - 1])) {
        messages[messages.length - 1] = joinAssistant(last, message)
      } else messages.push(message)
    }
  }
  return messages
}

/** A system prompt beside the messages: a text, blocks, or a content of Gemini. */
export function readSystem(value: unknown, notes: RecoveryNote[]): ModelMessage[] {
  const parts = toFields(value).parts ?? value
  if (parts === undefined || parts === null || parts === '') return []
  const read = readContent(parts, 'System prompt', notes)
  return read.parts.length === 0 ? [] : [{ role: 'system', content: toContent(read.parts) }]
}

/** Items of OpenAI's responses: reasoning, calls and answers are separate there and one message here. */
function isItem(value: unknown): boolean {
  const { type, role } = toFields(value)
  return (
    (role === 'assistant' && type === 'message') || (role === undefined && /^(reasoning|.*_call)$/.test(String(type)))
  )
}

type Assistant = Extract<ModelMessage, { role: 'assistant' }>

function joinAssistant(a: Assistant, b: Assistant): Assistant {
  const parts = [...listParts(a.content), ...listParts(b.content)]
  const calls = [...(a.tool_calls ?? []), ...(b.tool_calls ?? [])]
  const reasoning = [a.reasoning, b.reasoning].filter(Boolean).join('\n\n')
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : toContent(parts),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning !== '' && { reasoning }),
  }
}

function readOne(value: unknown, where: string, notes: RecoveryNote[]): ModelMessage[] {
  if (typeof value === 'string') return [{ role: 'user', content: value }]
  const fields = normalize(value)
  if (fields === undefined) return readItem(value, where, notes)
  const { role: given, ...message } = fields
  const role = ROLES.get(given)
  if (role === undefined) notes.push({ where, reason: `The role “${given}” does not exist here. It became “user”.` })
  const content = readContent(message.content ?? message.parts, where, notes)
  noteOthers(role === 'tool' ? { ...message, name: undefined } : message, where, notes)
  switch (role) {
    case 'system':
    case 'developer':
      return [{ role, content: toContent(keepAll(content, where, notes)) }]
    case 'assistant':
      return [readAssistant(message, content, where, notes)]
    case 'tool':
      return readToolMessage(message, content, where, notes)
    default:
      return readUser(content, message.content ?? message.parts)
  }
}

/** The role and the fields of a message, whatever its form. */
function normalize(value: unknown): (JsonFields & { role: string }) | undefined {
  if (Array.isArray(value)) {
    const [role, content] = value as unknown[]
    return value.length === 2 && typeof role === 'string' ? { role, content } : undefined
  }
  const fields = asFields(value)
  if (fields === undefined) return undefined
  const className = asText(toList(fields.id).at(-1))
  const kwargs = asFields(fields.kwargs)
  if (className !== undefined && kwargs !== undefined && /Message(Chunk)?$/.test(className)) {
    const { type: _type, ...rest } = kwargs
    return { ...rest, role: className === 'ChatMessage' ? (asText(kwargs.role) ?? className) : className }
  }
  const type = asText(fields.type)
  if (typeof fields.role === 'string') return { ...fields, role: fields.role }
  const data = asFields(fields.data)
  if (type !== undefined && ROLES.has(type)) return data ? { ...data, role: type } : { ...fields, role: type }
  if (asFields(fields.content)?.role === undefined && Array.isArray(fields.parts)) return { ...fields, role: 'user' }
  return undefined
}

/** An item of OpenAI's responses without a role, or a value that is no message. */
function readItem(value: unknown, where: string, notes: RecoveryNote[]): ModelMessage[] {
  const fields = asFields(value)
  const type = asText(fields?.type)
  if (fields === undefined) {
    notes.push({ where, reason: 'It is no message. It became a message with its JSON.' })
    return [{ role: 'user', content: JSON.stringify(value) ?? '' }]
  }
  const call = type === 'function_call' || type === 'custom_tool_call' ? readCall(fields) : undefined
  if (call !== undefined) return [{ role: 'assistant', content: null, tool_calls: [call] }]
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    const { parts } = readContent(fields.output, where, notes)
    return [{ role: 'tool', tool_call_id: asText(fields.call_id) ?? '', content: toContent(parts) }]
  }
  if (type === 'reasoning' && fields.encrypted_content == null) {
    const reasoning = readTexts(fields.summary ?? fields.content)
    return reasoning === '' ? [] : [{ role: 'assistant', content: null, reasoning }]
  }
  const reason = `The item “${type ?? 'without a type'}” has no form here. It is kept as it was recorded.`
  notes.push({ where, reason })
  const isOfUser = type === undefined || type.endsWith('_output')
  return [{ role: isOfUser ? 'user' : 'assistant', content: [{ type: 'raw', raw: fields }] }]
}

function readAssistant(message: JsonFields, content: ReadContent, where: string, notes: RecoveryNote[]): Assistant {
  const extra = toFields(message.additional_kwargs)
  // LangChain stores a call twice: as a block of the content and in tool_calls.
  const known = new Set(content.calls.map(({ id }) => id))
  const listed = [message.tool_calls, message.toolCalls, extra.tool_calls].map(toList).find((list) => list.length > 0)
  const single = asFields(message.function_call ?? extra.function_call)
  const others = (listed ?? (single ? [single] : [])).flatMap((value) => {
    const call = readCall(toFields(value))
    if (call === undefined) notes.push({ where, reason: `A call has no name: ${JSON.stringify(value)}` })
    return call === undefined || known.has(call.id) ? [] : [call]
  })
  const calls = [...content.calls, ...others]
  const refusal = asText(message.refusal)
  const parts: ModelMessagePart[] = [
    ...content.parts,
    ...content.results.map((raw): ModelMessagePart => ({ type: 'raw', raw })),
    ...(refusal ? [{ type: 'raw' as const, raw: { type: 'refusal', refusal } }] : []),
  ]
  const own = [message.reasoning_content, message.reasoning, extra.reasoning_content].map(asText).find(Boolean)
  const reasoning = [own ?? '', content.reasoning].filter(Boolean).join('\n\n')
  const signature = content.signature ?? asText(message.reasoning_signature ?? extra.reasoning_signature)
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : toContent(parts),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning !== '' && { reasoning }),
    ...(signature !== undefined && { reasoning_signature: signature }),
  }
}

function readToolMessage(
  message: JsonFields,
  content: ReadContent,
  where: string,
  notes: RecoveryNote[],
): ModelMessage[] {
  const ids = [message.tool_call_id, message.toolCallId, message.name].map(asText)
  if (content.results.length > 0) return [...content.results.map(toToolMessage), ...restAsUser(content)]
  return [{ role: 'tool', tool_call_id: ids.find(Boolean) ?? '', content: toContent(keepAll(content, where, notes)) }]
}

/** Results come first: they answer the calls of the message before. */
function readUser(content: ReadContent, recorded: unknown): ModelMessage[] {
  const results = content.results.map(toToolMessage)
  const rest = restAsUser(content)
  if (results.length > 0 || rest.length > 0) return [...results, ...rest]
  return [{ role: 'user', content: typeof recorded === 'string' ? recorded : '' }]
}

function restAsUser({ parts, calls }: ReadContent): ModelMessage[] {
  const all = [...parts, ...calls.map((call): ModelMessagePart => ({ type: 'raw', raw: { ...call } }))]
  return all.length === 0 ? [] : [{ role: 'user', content: toContent(all) }]
}

/** Parts of a message that has no place for calls and results. */
function keepAll(content: ReadContent, where: string, notes: RecoveryNote[]): ModelMessagePart[] {
  const raw = [...content.results, ...content.calls.map((call) => ({ ...call }))]
  if (raw.length > 0) notes.push({ where, reason: 'A call or result in this place is kept as it was recorded.' })
  return [...content.parts, ...raw.map((one): ModelMessagePart => ({ type: 'raw', raw: one }))]
}

function toToolMessage(result: JsonFields): ModelMessage {
  const id = [result.tool_use_id, result.toolCallId, result.tool_call_id, result.call_id, result.id, result.name]
  const { parts } = readContent(readResult(result), 'Tool result', [])
  return { role: 'tool', tool_call_id: id.map(asText).find(Boolean) ?? '', content: toContent(parts) }
}

/** The content of a tool result in the form of any provider; other JSON becomes text. */
function readResult({ content, output, result, response }: JsonFields): unknown {
  const value = content ?? output ?? result ?? getOnlyText(response) ?? response
  const { type, value: inner } = toFields(value)
  // The AI SDK names the kind of an output.
  const isNamed = type === 'text' || type === 'json' || type === 'error-text'
  if (isNamed && inner !== undefined) return readResult({ content: inner })
  const isBlocks = Array.isArray(value) && value.every((one) => typeof toFields(one).type === 'string')
  return typeof value === 'string' || isBlocks || value == null ? value : JSON.stringify(value)
}

/** Gemini takes objects only, so a text is the only field of one. */
function getOnlyText(response: unknown): string | undefined {
  const [[name, value] = [], ...others] = Object.entries(toFields(response))
  return others.length === 0 && (name === 'output' || name === 'result') ? asText(value) : undefined
}

interface ReadContent {
  readonly parts: readonly ModelMessagePart[]
  readonly calls: readonly ModelToolCall[]
  /** As they were recorded. */
  readonly results: readonly JsonFields[]
  readonly reasoning: string
  readonly signature: string | undefined
}

function readContent(content: unknown, where: string, notes: RecoveryNote[]): ReadContent {
  const parts: ModelMessagePart[] = []
  const calls: ModelToolCall[] = []
  const results: JsonFields[] = []
  const reasoning: string[] = []
  let signature: string | undefined
  for (const value of Array.isArray(content) ? content : content == null || content === '' ? [] : [content]) {
    if (typeof value === 'string') {
      parts.push({ type: 'text', text: value })
      continue
    }
    const block = asFields(value)
    if (block === undefined) {
      parts.push({ type: 'text', text: JSON.stringify(value) ?? '' })
      continue
    }
    const read = readBlock(block)
    if (read.text !== undefined) parts.push({ type: 'text', text: read.text })
    else if (read.image !== undefined) parts.push({ type: 'image_url', image_url: read.image })
    else if (read.call !== undefined) calls.push(read.call)
    else if (read.result !== undefined) results.push(read.result)
    else if (read.reasoning !== undefined) {
      reasoning.push(read.reasoning)
      signature = read.signature ?? signature
    } else {
      parts.push({ type: 'raw', raw: block })
      const kind = asText(block.type) ?? Object.keys(block)[0] ?? 'empty'
      notes.push({ where, reason: `A part “${kind}” has no form here. It is kept as it was recorded.` })
    }
    if (block.cache_control != null) notes.push({ where, reason: 'The cache_control of a part is not sent.' })
  }
  return { parts, calls, results, reasoning: reasoning.join('\n\n'), signature }
}

interface ReadBlock {
  readonly text?: string
  readonly image?: { url: string; detail?: 'auto' | 'low' | 'high' }
  readonly call?: ModelToolCall | undefined
  readonly result?: JsonFields
  readonly reasoning?: string
  readonly signature?: string | undefined
}

function readBlock(block: JsonFields): ReadBlock {
  const type = asText(block.type)
  const text = asText(block.text)
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return text === undefined ? {} : { text }
    case 'image_url':
    case 'input_image':
    case 'image':
      return readImage(block)
    case 'tool_use':
    case 'tool-call':
    case 'tool_call':
    case 'function_call':
      return { call: readCall(block) }
    case 'tool_result':
    case 'tool-result':
      return { result: block }
    case 'thinking':
    case 'reasoning': {
      const reasoning = [block.thinking, block.reasoning, block.text].map(asText).find((one) => one !== undefined)
      return reasoning === undefined ? {} : { reasoning, signature: asText(block.signature) }
    }
    case 'file':
      return asText(block.mediaType ?? block.mimeType)?.startsWith('image/') ? readImage(block) : {}
  }
  return type === undefined ? readGeminiPart(block, text) : {}
}

function readGeminiPart(block: JsonFields, text: string | undefined): ReadBlock {
  if (text !== undefined) return block.thought === true ? { reasoning: text } : { text }
  const called = asFields(block.functionCall ?? block.function_call)
  const answered = asFields(block.functionResponse ?? block.function_response)
  const inline = asFields(block.inlineData ?? block.inline_data)
  if (called !== undefined) {
    const call = readCall({ ...called, id: called.id ?? called.name })
    const signature = asText(block.thoughtSignature ?? block.thought_signature)
    return { call: call && { ...call, ...(signature !== undefined && { signature }) } }
  }
  if (answered !== undefined) return { result: answered }
  const mime = asText(inline?.mimeType ?? inline?.mime_type)
  const data = asText(inline?.data)
  return mime?.startsWith('image/') && data !== undefined ? { image: { url: `data:${mime};base64,${data}` } } : {}
}

/** An image by address or with its bytes; none for one that a file id of the provider or an attachment of the run names. */
function readImage(block: JsonFields): ReadBlock {
  const source = toFields(block.source)
  const inner = toFields(block.image_url)
  const mime =
    [source.media_type, block.mime_type, block.mediaType, block.mimeType].map(asText).find(Boolean) ?? 'image/png'
  const urls = [block.image_url, inner.url, source.url, block.url, block.image, block.data, block.base64, source.data]
  const found = urls.map(asText).find((one) => one !== undefined && one !== '')
  // An attachment of the run has no address that a provider can read.
  if (found === undefined || found.startsWith('attachment:')) return {}
  const url = /^(https?:|data:)/.test(found) ? found : `data:${mime};base64,${found}`
  const detail = inner.detail ?? block.detail
  return { image: { url, ...((detail === 'low' || detail === 'high') && { detail }) } }
}

/** A call of OpenAI (`function`), LangChain (`args`), Anthropic and the AI SDK (`input`), or Gemini. */
export function readCall(call: JsonFields): ModelToolCall | undefined {
  const source = asFields(call.function) ?? asFields(call.custom) ?? call
  const name = asText(source.name) ?? asText(call.toolName)
  if (name === undefined || name === '') return undefined
  const given = source.arguments ?? source.args ?? source.input ?? {}
  const id = [call.call_id, call.id, call.toolCallId].map(asText).find(Boolean) ?? name
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  const signature = asText(call.signature)
  const read = { id, type: 'function' as const, function: { name, arguments: text } }
  return signature === undefined ? read : { ...read, signature }
}

function readTexts(value: unknown): string {
  return toList(value)
    .map((part) => asText(toFields(part).text) ?? '')
    .filter(Boolean)
    .join('\n\n')
}

const READ = new Set([
  ...['content', 'parts', 'tool_calls', 'toolCalls', 'function_call', 'tool_call_id', 'toolCallId', 'refusal'],
  ...[
    'reasoning',
    'reasoning_content',
    'reasoning_signature',
    'additional_kwargs',
    'providerOptions',
    'experimental_providerMetadata',
  ],
])

/** Names the other fields of a message, such as the name of a participant. */
function noteOthers(message: JsonFields, where: string, notes: RecoveryNote[]): void {
  const names = Object.entries(message)
    .filter(([name, value]) => value != null && !READ.has(name) && !RECORDS.has(name))
    .map(([name]) => name)
  if (names.length > 0) notes.push({ where, reason: `Not sent: ${names.join(', ')}.` })
}
