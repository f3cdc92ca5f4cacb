import { asList, asObject, asText, type ChatMessage, type ChatPart, type Media, type ToolCall } from './conversation.ts'

/** A map, because roles come from traced content: `__proto__` must not match. */
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

/** Reads a message of a known format: role and content, LangChain (serialized, stored, or a pair), Gemini. */
export function readMessage(value: unknown): ChatMessage | undefined {
  const pair = asList(value)
  if (pair) return pair.length === 2 && typeof pair[0] === 'string' ? readPair(pair[0], pair[1]) : undefined
  const object = asObject(value)
  if (!object) return undefined
  if (object.lc === 1 && asList(object.id)) return readSerialized(object)
  const stored = asObject(object.data)
  const type = asText(object.type)
  if (stored && type && LANGCHAIN_TYPES.has(type)) return compose(type, stored)
  if (type && (LANGCHAIN_TYPES.has(type) || ROLES.has(type)) && 'content' in object) return compose(type, object)
  const role = asText(object.role)
  if (role !== undefined && ('content' in object || 'parts' in object || 'tool_calls' in object))
    return compose(role, object)
  return undefined
}

/** Reads a list of messages, also one inside another list. Returns undefined unless every entry is a message. */
export function readMessages(value: unknown): ChatMessage[] | undefined {
  const list = asList(value)
  if (!list || list.length === 0) return undefined
  if (list.length === 1 && asList(list[0]) && !readMessage(list[0])) return readMessages(list[0])
  const messages = list.map(readMessage)
  return messages.every((message) => message !== undefined) ? messages : undefined
}

/** Whether a value is a LangChain message rather than plain role and content. */
export function isLangChainMessage(value: unknown): boolean {
  const object = asObject(value)
  return object?.lc === 1 || LANGCHAIN_TYPES.has(asText(object?.type) ?? '')
}

function readSerialized(object: Record<string, unknown>): ChatMessage | undefined {
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
  const knownRole = ROLES.get(role) ?? role
  const name = asText(fields.name)
  const extra = asObject(fields.additional_kwargs) ?? {}
  const content = readParts(fields.content ?? fields.parts)
  const parts = knownRole === 'tool' ? [toToolResult(fields, content)] : [...readReasoning(fields, extra), ...content]
  // LangChain stores a call twice: as a block of the content and in tool_calls.
  const inContent = new Set(parts.flatMap((part) => (part.kind === 'tool_call' ? [part.id ?? part.name] : [])))
  const calls = readToolCalls(
    nonEmpty(fields.tool_calls) ?? extra.tool_calls ?? one(fields.function_call ?? extra.function_call),
  )
  const refusal = asText(fields.refusal)
  return {
    role: knownRole,
    ...(name === undefined || knownRole === 'tool' ? {} : { name }),
    parts: [
      ...parts,
      ...(refusal ? [{ kind: 'refusal' as const, text: refusal }] : []),
      ...calls.filter((call) => !inContent.has(call.id ?? call.name)),
    ],
  }
}

function toToolResult(fields: Record<string, unknown>, parts: ChatPart[]): ChatPart {
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

function readReasoning(fields: Record<string, unknown>, extra: Record<string, unknown>): ChatPart[] {
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

/** Reads the content of a message: a string, a block, or a list of blocks of any provider. */
export function readParts(content: unknown): ChatPart[] {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  if (Array.isArray(content)) return content.flatMap(readParts)
  const block = asObject(content)
  if (!block) return [{ kind: 'text', text: String(content) }]
  const read = BLOCKS[String(block.type)] ?? readGeminiPart
  return read(block) ?? [{ kind: 'unknown', value: content }]
}

/** Reads a call of OpenAI chat (`function`), LangChain (`args`), Anthropic (`input`) or OpenAI responses (`arguments`). */
function readToolCall(value: unknown): ToolCall | undefined {
  const call = asObject(value)
  if (!call) return undefined
  const source = asObject(call.function) ?? asObject(call.custom) ?? call
  const name = asText(source.name)
  if (name === undefined) return undefined
  const id = asText(call.id) ?? asText(call.call_id)
  const args = source.arguments ?? source.args ?? source.input ?? {}
  return {
    kind: 'tool_call',
    name,
    args: typeof args === 'string' ? parseJson(args) : args,
    ...(id === undefined ? {} : { id }),
  }
}

function readToolCalls(value: unknown): ToolCall[] {
  return (asList(value) ?? []).flatMap((call) => readToolCall(call) ?? [])
}

type Block = Record<string, unknown>
type ReadBlock = (block: Block) => ChatPart[] | undefined

const text: ReadBlock = (block) => {
  const value = asText(block.text) ?? asText(asObject(block.text)?.value)
  return value === undefined ? undefined : value === '' ? [] : [{ kind: 'text', text: value }]
}

const refusal: ReadBlock = (block) => [{ kind: 'refusal', text: asText(block.refusal) ?? '' }]

const thinking: ReadBlock = (block) => {
  const own = asText(block.thinking) ?? asText(block.reasoning) ?? asText(block.text)
  const summary = asList(block.summary) ?? asList(block.content)
  const value = own ?? summary?.map((part) => asText(asObject(part)?.text) ?? '').join('\n\n')
  return value ? [{ kind: 'reasoning', text: value }] : []
}

const toolUse: ReadBlock = (block) => {
  const call = readToolCall(block)
  return call && [call]
}

const toolResult: ReadBlock = (block) => {
  const id = asText(block.tool_use_id) ?? asText(block.call_id) ?? asText(block.tool_call_id)
  const isError = block.is_error === true
  return [
    {
      kind: 'tool_result',
      parts: readParts(block.content ?? block.output),
      ...(id === undefined ? {} : { id }),
      ...(isError ? { isError } : {}),
    },
  ]
}

const media =
  (type: Media['type']): ReadBlock =>
  (block) => [{ kind: 'media', media: readMedia(type, block) }]

/** Blocks of all providers by `type`. No two providers use the same type for different blocks. */
const BLOCKS: Record<string, ReadBlock> = {
  text,
  input_text: text,
  output_text: text,
  refusal,
  thinking,
  reasoning: thinking,
  reasoning_content: thinking,
  redacted_thinking: () => [{ kind: 'reasoning', text: '(redacted by the provider)' }],
  tool_use: toolUse,
  server_tool_use: toolUse,
  function_call: toolUse,
  custom_tool_call: toolUse,
  tool_call: toolUse,
  input_json_delta: () => [],
  tool_result: toolResult,
  web_search_tool_result: toolResult,
  function_call_output: toolResult,
  custom_tool_call_output: toolResult,
  image: media('image'),
  image_url: media('image'),
  input_image: media('image'),
  input_audio: media('audio'),
  audio: media('audio'),
  video: media('video'),
  document: media('file'),
  file: media('file'),
  input_file: media('file'),
}

/** Gemini parts have no `type`; the key of the part determines its kind. */
function readGeminiPart(part: Block): ChatPart[] | undefined {
  const value = asText(part.text)
  if (value !== undefined) return [{ kind: part.thought === true ? 'reasoning' : 'text', text: value }]
  const functionCall = asObject(part.functionCall ?? part.function_call)
  if (functionCall) return toolUse(functionCall)
  const answer = asObject(part.functionResponse ?? part.function_response)
  if (answer) {
    const [name, id] = [asText(answer.name), asText(answer.id)]
    return [
      {
        kind: 'tool_result',
        parts: [{ kind: 'unknown', value: answer.response }],
        ...(name === undefined ? {} : { name }),
        ...(id === undefined ? {} : { id }),
      },
    ]
  }
  const inline = asObject(part.inlineData ?? part.inline_data ?? part.fileData ?? part.file_data)
  if (inline) return [{ kind: 'media', media: readMedia(toMediaType(readMime(inline)), inline) }]
  const code = asText(asObject(part.executableCode ?? part.executable_code)?.code)
  return code === undefined ? undefined : [{ kind: 'text', text: `\`\`\`\n${code}\n\`\`\`` }]
}

function readMedia(type: Media['type'], block: Block): Media {
  const source =
    [block.source, block.image_url, block.input_audio, block.file, block.audio].map(asObject).find(Boolean) ?? block
  const mime =
    readMime(source) ?? readMime(block) ?? (asText(source.format) ? `${type}/${asText(source.format)}` : undefined)
  const remoteUrl =
    asText(block.image_url) ??
    asText(source.url) ??
    asText(source.file_data) ??
    asText(source.fileUri) ??
    asText(source.file_uri) ??
    asText(source.file_url)
  const data = asText(source.data) ?? asText(source.base64)
  const url = remoteUrl ?? (data === undefined ? undefined : `data:${mime ?? `${type}/*`};base64,${data}`)
  const label = asText(block.title) ?? asText(source.filename) ?? asText(source.file_id) ?? asText(source.id)
  return {
    type,
    ...(url === undefined ? {} : { url }),
    ...(mime === undefined ? {} : { mime }),
    ...(label === undefined ? {} : { label }),
  }
}

function readMime(source: Block): string | undefined {
  return asText(source.media_type) ?? asText(source.mimeType) ?? asText(source.mime_type)
}

function toMediaType(mime = ''): Media['type'] {
  const [kind] = mime.split('/')
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file'
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
