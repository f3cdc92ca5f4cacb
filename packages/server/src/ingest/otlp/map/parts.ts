import { printJson } from '@touchstone/formats/exact-json'
import { asRecord, isRecord } from '@touchstone/formats/guards'
import type { JsonObject } from '../mapped-span.ts'
import { firstOf, omit, present, toText } from './attributes.ts'
import { type MediaCollector, type MediaKind, mediaBlock, mediaKind } from './media.ts'

/** What one part of a message becomes: a block of its content, a tool call, or a message of role `tool`. */
export type MappedPart =
  | { readonly block: JsonObject | string }
  | { readonly call: JsonObject }
  | { readonly result: JsonObject }

type ReadPart = (part: JsonObject, media: MediaCollector) => MappedPart | undefined

/**
 * Reads one part of a message. Members that have no place in the result are kept beside it, so that nothing is lost; a part
 * of an unknown type stays as it came.
 */
export function readPart(value: unknown, media: MediaCollector): MappedPart {
  if (typeof value === 'string') return { block: value }
  const wrapped = asRecord(value)
  if (wrapped === undefined) return { block: { type: 'json', value } }
  const inner = asRecord(wrapped.message_content)
  const part = inner ?? wrapped
  const type = toText(part.type)
  const read = type === undefined ? readUntyped : PARTS.get(type)
  return read?.(part, media) ?? { block: part }
}

const text: ReadPart = (part) => {
  const content = firstOf(['content', 'text'], (key) => (typeof part[key] === 'string' ? part[key] : undefined))
  if (content === undefined) return undefined
  const rest = omit(part, ['type', 'content', 'text'])
  return { block: Object.keys(rest).length === 0 ? content : { type: 'text', text: content, ...rest } }
}

/** Reasoning becomes a thinking block; its signature and encrypted form stay with it. */
const reasoning: ReadPart = (part) => {
  const own = firstOf(['content', 'thinking', 'reasoning', 'text'], (key) => toText(part[key]))
  const rest = omit(part, ['type', own === undefined ? '' : 'content', 'thinking', 'reasoning', 'text'])
  return { block: { type: 'thinking', thinking: own ?? '', ...rest } }
}

const toolCall: ReadPart = (part) => {
  const call = toToolCall(part)
  return call === undefined ? undefined : { call }
}

const toolResult: ReadPart = (part) => {
  const id = firstOf(['id', 'tool_use_id', 'tool_call_id', 'call_id', 'toolCallId', 'toolUseId'], (key) =>
    toText(part[key]),
  )
  const name = firstOf(['name', 'toolName'], (key) => toText(part[key]))
  const source = ['response', 'result', 'content', 'output'].find((key) => part[key] !== undefined)
  const used = ['type', 'id', 'tool_use_id', 'tool_call_id', 'call_id', 'toolCallId', 'toolUseId', 'name', 'toolName']
  const rest = omit(part, [...used, source ?? ''])
  const content = toResultContent(source === undefined ? '' : part[source])
  return { result: { role: 'tool', content, ...present({ tool_call_id: id, name }), ...rest } }
}

/** A result is a text, or blocks; other values become JSON text, as a model was sent them. */
export function toResultContent(value: unknown): unknown {
  if (typeof value === 'string') return value
  // The AI SDK wraps results: {type: "text" | "json" | "content", value}.
  const wrapped = asRecord(value)
  if (wrapped !== undefined && 'value' in wrapped && /^(error-)?(text|json)$|^content$/.test(String(wrapped.type))) {
    return toResultContent(wrapped.value)
  }
  const isBlocks = Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && 'type' in one)
  return isBlocks ? value : value === undefined ? '' : printJson(value)
}

/** A tool that the provider runs itself: shown as a call and its result within the message of the assistant. */
const serverCall: ReadPart = (part) => {
  const rest = omit(part, ['type', 'server_tool_call'])
  return { block: { type: 'server_tool_use', ...rest, name: part.name ?? '', input: part.server_tool_call ?? {} } }
}

const serverResult: ReadPart = (part) => {
  const rest = omit(part, ['type', 'id', 'server_tool_call_response'])
  return { block: { type: 'tool_result', tool_use_id: part.id, content: part.server_tool_call_response, ...rest } }
}

/** Inline bytes: OpenTelemetry's `blob`, Pydantic AI's `binary`, Anthropic's and Gemini's base64, parts of the AI SDK. */
function inlineMedia(keys: readonly string[]): ReadPart {
  return (part, media) => {
    const key = keys.find((one) => typeof part[one] === 'string')
    if (key === undefined) return undefined
    const used = ['type', key, 'modality', ...MIME_KEYS, 'filename']
    const mimeType = readMime(part)
    const kind = mediaKind(part.modality ?? part.type, mimeType)
    return storeMedia(String(part[key]), kind, { mimeType, name: toText(part.filename), rest: omit(part, used) }, media)
  }
}

const MIME_KEYS = ['mime_type', 'mimeType', 'media_type', 'mediaType']

function readMime(part: JsonObject): string | undefined {
  return firstOf(MIME_KEYS, (key) => toText(part[key]))
}

function storeMedia(
  source: string,
  kind: MediaKind,
  about: { mimeType?: string | undefined; name?: string | undefined; rest?: object },
  media: MediaCollector,
): MappedPart | undefined {
  const url = /^https?:/i.test(source) ? source : media.collect(source, about.mimeType)
  return url === undefined ? undefined : { block: mediaBlock(kind, url, about) }
}

const uri: ReadPart = (part, media) => {
  const url = firstOf(['uri', 'url'], (key) => toText(part[key]))
  if (url === undefined) return undefined
  const mimeType = readMime(part)
  const kind = mediaKind(part.modality ?? String(part.type).split('-')[0], mimeType)
  const rest = omit(part, ['type', 'uri', 'url', 'modality', ...MIME_KEYS])
  return storeMedia(url, kind, { mimeType, rest }, media) ?? { block: mediaBlock(kind, url, { mimeType, rest }) }
}

const file: ReadPart = (part, media) => {
  const held = asRecord(part.file)
  if (held !== undefined) return heldFile(part, held, media)
  const id = toText(part.file_id)
  if (id === undefined) return inlineMedia(['data', 'content', 'file_data'])(part, media)
  const type = present({ mime_type: readMime(part), filename: toText(part.filename) })
  return { block: { type: 'file', file: { file_id: id, ...type }, ...omit(part, ['type', 'file_id', ...MIME_KEYS]) } }
}

/** OpenAI has the bytes of a file, or its id, in a member. */
function heldFile(part: JsonObject, held: JsonObject, media: MediaCollector): MappedPart | undefined {
  const data = toText(held.file_data)
  const about = { mimeType: readMime(held), name: toText(held.filename), rest: omit(part, ['type', 'file']) }
  return data === undefined ? undefined : storeMedia(data, 'file', about, media)
}

/** OpenAI's `image_url`, OpenInference's `image.image.url`, Anthropic's `source`, the AI SDK's `image`. */
const image: ReadPart = (part, media) => {
  const holder =
    asRecord(part.image_url) ?? asRecord(asRecord(part.image)?.image) ?? asRecord(part.image) ?? asRecord(part.source)
  const bedrock = asRecord(asRecord(part.image)?.source)
  const inner = { ...holder, ...bedrock }
  const source =
    firstOf(['url', 'data', 'bytes'], (key) => toText(inner[key])) ?? toText(part.image) ?? toText(part.image_url)
  if (source === undefined) return undefined
  const format = toText(asRecord(part.image)?.format)
  const mimeType = readMime(inner) ?? readMime(part) ?? (format === undefined ? undefined : `image/${format}`)
  const used = ['type', 'image_url', 'image', 'source', ...MIME_KEYS]
  const detail = toText(inner.detail)
  const mapped = storeMedia(source, 'image', { mimeType, rest: omit(part, used) }, media)
  if (mapped === undefined || detail === undefined || !('block' in mapped)) return mapped
  const block = asRecord(mapped.block) ?? {}
  return { block: { ...block, image_url: { ...asRecord(block.image_url), detail } } }
}

/** OpenAI's `input_audio`, OpenInference's `audio.audio` and `video.video`, a document of Anthropic or Bedrock. */
function heldMedia(kind: MediaKind, keys: readonly string[]): ReadPart {
  return (part, media) => {
    const key = keys.find((one) => asRecord(part[one]) !== undefined)
    const outer = asRecord(key === undefined ? undefined : part[key]) ?? {}
    const holder = { ...outer, ...asRecord(outer[kind]), ...asRecord(outer.source) }
    const source = firstOf(['url', 'data', 'bytes'], (one) => toText(holder[one]))
    const isText = holder.type === 'text' || holder.type === 'content'
    if (key === undefined || source === undefined || isText) return undefined
    const format = toText(holder.format)
    const mimeType = readMime(holder) ?? (format === undefined ? undefined : `${TYPE_OF_KIND[kind]}/${format}`)
    const rest = { ...omit(part, ['type', key]), ...present({ transcript: holder.transcript }) }
    const name = toText(part.title) ?? toText(holder.name)
    return storeMedia(source, kind, { mimeType, name, rest }, media)
  }
}

const TYPE_OF_KIND: Readonly<Record<MediaKind, string>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  file: 'application',
}

/** Types of all generations and providers. No two use the same type for different parts. */
const PARTS: ReadonlyMap<string, ReadPart> = new Map([
  ...['text', 'input_text', 'output_text'].map((type) => [type, text] as const),
  ...['reasoning', 'thinking'].map((type) => [type, reasoning] as const),
  ...['tool_call', 'tool_use', 'tool-call', 'function_call', 'function'].map((type) => [type, toolCall] as const),
  ...['tool_call_response', 'tool_result', 'tool-result', 'function_call_output'].map(
    (one) => [one, toolResult] as const,
  ),
  ['server_tool_call', serverCall],
  ['server_tool_call_response', serverResult],
  ...['blob', 'binary'].map((type) => [type, inlineMedia(['content', 'data'])] as const),
  ...['uri', 'image-url', 'audio-url', 'video-url', 'document-url'].map((type) => [type, uri] as const),
  ['file', file],
  ...['image', 'image_url', 'input_image'].map((type) => [type, image] as const),
  ...['audio', 'input_audio'].map((type) => [type, heldMedia('audio', ['input_audio', 'audio'])] as const),
  ['video', heldMedia('video', ['video'])],
  ['document', heldMedia('file', ['source', 'document'])],
])

/** Parts of Gemini and Bedrock have no type; their key tells what they are. */
const readUntyped: ReadPart = (part, media) => {
  const called = asRecord(part.functionCall ?? part.function_call ?? part.toolUse)
  if (called !== undefined) return toolCall({ ...called, id: called.id ?? called.toolUseId }, media)
  const answered = asRecord(part.functionResponse ?? part.function_response ?? part.toolResult)
  if (answered !== undefined) return toolResult(answered, media)
  const inline = asRecord(part.inlineData ?? part.inline_data)
  if (inline !== undefined) return inlineMedia(['data'])(inline, media)
  const stored = asRecord(part.fileData ?? part.file_data)
  if (stored !== undefined)
    return uri({ ...omit(stored, ['fileUri', 'file_uri']), uri: stored.fileUri ?? stored.file_uri }, media)
  if (part.image !== undefined) return image(part, media)
  if (part.document !== undefined) return heldMedia('file', ['document'])(part, media)
  if (part.video !== undefined) return heldMedia('video', ['video'])(part, media)
  const thought = asRecord(asRecord(part.reasoningContent)?.reasoningText)
  if (thought !== undefined) return reasoning(thought, media)
  return part.thought === true ? reasoning(omit(part, ['thought']), media) : text(part, media)
}

const CALL_KEYS = [
  'id',
  'call_id',
  'toolCallId',
  'toolUseId',
  'tool_call_id',
  'name',
  'toolName',
  'tool_name',
  'type',
  'function',
]
const ARGUMENT_KEYS = ['arguments', 'args', 'input']

/** A tool call in the form of OpenAI's chat API, from that of any emitter. Undefined without a name. */
export function toToolCall(value: unknown): JsonObject | undefined {
  const call = asRecord(asRecord(value)?.tool_call) ?? asRecord(value)
  if (call === undefined) return undefined
  const named = asRecord(call.function) ?? call
  const name = firstOf(['name', 'toolName', 'tool_name'], (key) => toText(named[key]))
  if (name === undefined) return undefined
  const id = firstOf(['id', 'call_id', 'toolCallId', 'toolUseId', 'tool_call_id'], (key) => toText(call[key]))
  const given = firstOf(ARGUMENT_KEYS, (key) => named[key])
  const text = typeof given === 'string' ? given : printJson(given ?? {})
  const rest = omit(call, [...CALL_KEYS, ...ARGUMENT_KEYS])
  return { ...present({ id }), type: 'function', function: { name, arguments: text }, ...rest }
}
