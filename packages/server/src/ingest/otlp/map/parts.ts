import { printJson } from '@touchstone/formats/exact-json'
import { asRecord, isRecord, type JsonRecord } from '@touchstone/formats/guards'
import {
  type Media,
  type Part,
  readParts,
  readToolCall,
  type ToolCall,
  type ToolResult,
} from '@touchstone/formats/messages'
import type { JsonObject } from '../mapped-span.ts'
import { present } from './attributes.ts'
import { type MediaCollector, mediaBlock } from './media.ts'

/** What one part of a message becomes: a block of its content, a tool call, or a message of role `tool`. */
export type MappedPart =
  | { readonly block: JsonObject | string }
  | { readonly call: JsonObject }
  | { readonly result: JsonObject }

/**
 * Reads one part of a message of any format. Members that have no place in the result are kept beside it, so that nothing is
 * lost; a part of an unknown type stays as it came.
 */
export function readPart(value: unknown, media: MediaCollector): MappedPart[] {
  if (!isRecord(value) && typeof value !== 'string') return [{ block: { type: 'json', value } }]
  const parts = readParts(value)
  // An answer that calls a tool may have an empty text beside it, and of some emitters nothing else.
  if (isEmptyText(value)) return []
  // A part without a content, such as a mark.
  if (parts.length === 0) return [{ block: typeof value === 'string' ? value : unwrap(value) }]
  // A call and its result may come from one block.
  const [first, ...others] = parts
  const isOneBlock = first?.raw !== undefined && others.length > 0 && others.every(({ raw }) => raw === first.raw)
  return isOneBlock ? [{ block: first.raw }] : parts.map((part) => writePart(part, media))
}

function isEmptyText(value: JsonRecord | string): boolean {
  if (typeof value === 'string') return false
  return value.type === 'text' && (value.content ?? value.text) === ''
}

/** OpenInference wraps every block. */
function unwrap(part: JsonRecord): JsonRecord {
  return asRecord(part.message_content) ?? part
}

function writePart(part: Part, media: MediaCollector): MappedPart {
  const { rest } = part
  switch (part.kind) {
    case 'text': {
      const cited = part.citations && { citations: part.citations.map(({ raw }) => raw) }
      return { block: rest || cited ? { type: 'text', text: part.text, ...cited, ...rest } : part.text }
    }
    case 'reasoning':
      return { block: { ...rest, type: 'thinking', thinking: part.text, ...present({ signature: part.signature }) } }
    case 'tool_call':
      return part.isOfProvider ? writeServerCall(part) : { call: writeToolCall(part) }
    case 'tool_result':
      return part.isOfProvider ? writeServerResult(part) : { result: writeToolResult(part) }
    case 'media':
      return { block: writeMedia(part.media, rest, media) ?? part.raw ?? {} }
    default:
      return { block: part.raw ?? { type: 'json', value: part } }
  }
}

/** A tool call in the form of OpenAI's chat API, from that of any emitter. Undefined without a name. */
export function toToolCall(value: unknown): JsonObject | undefined {
  const call = readToolCall(value)
  return call && writeToolCall(call)
}

function writeToolCall({ id, name, args, text, signature, rest }: ToolCall): JsonObject {
  const written = text ?? (typeof args === 'string' ? args : printJson(args))
  // Items of OpenAI's responses have an id beside that of the call.
  const { id: _ofItem, ...more } = rest ?? {}
  return {
    ...present({ id }),
    type: 'function',
    function: { name, arguments: written },
    ...present({ signature }),
    ...more,
  }
}

/** A tool that the provider runs itself: shown as a call and its result within the message of the assistant. */
function writeServerCall({ id, name, args, raw, rest }: ToolCall): MappedPart {
  if (raw !== undefined && raw.server_tool_call === undefined) return { block: raw }
  return { block: { type: 'server_tool_use', ...present({ id }), ...rest, name, input: args } }
}

function writeServerResult({ id, parts, raw, rest }: ToolResult): MappedPart {
  if (raw !== undefined && raw.server_tool_call_response === undefined) return { block: raw }
  const content = raw?.server_tool_call_response ?? writeResultParts(parts)
  return { block: { type: 'tool_result', ...present({ tool_use_id: id }), content, ...rest } }
}

function writeToolResult({ id, name, parts, isError, rest }: ToolResult): JsonObject {
  return {
    // Of two members for the content, such as an empty one beside an error, the one that was read counts.
    ...rest,
    role: 'tool',
    content: writeResultParts(parts),
    ...present({ tool_call_id: id, name }),
    ...(isError && { status: 'error' }),
  }
}

/** A result is a text, or blocks; other values become JSON text, as a model was sent them. */
function writeResultParts(parts: readonly Part[]): unknown {
  const [only, ...others] = parts
  if (only === undefined) return ''
  if (others.length === 0 && only.kind === 'text' && only.rest === undefined) return only.text
  if (others.length === 0 && only.kind === 'unknown') return printJson(only.value)
  return parts.map((part) =>
    part.raw === undefined && part.kind === 'text' ? { type: 'text', text: part.text } : (part.raw ?? part),
  )
}

/** The content of a message of a tool. */
export function toResultContent(value: unknown): unknown {
  const result = readParts({ type: 'tool_result', content: value })[0]
  return result?.kind === 'tool_result' ? writeResultParts(result.parts) : ''
}

/** Takes bytes out of the message. Undefined for what cannot be taken out, which stays as it came. */
function writeMedia(medium: Media, others: JsonRecord | undefined, media: MediaCollector): JsonObject | undefined {
  const { type, url: given, originalUrl, mime, label, fileId, detail, transcript, text } = medium
  const more = { ...others, ...present({ transcript }) }
  if (text !== undefined) return undefined
  if (given === undefined) {
    return {
      type: 'file',
      file: { ...present({ file_id: fileId, mime_type: mime, filename: label === fileId ? undefined : label }) },
      ...more,
    }
  }
  const url = given.startsWith('data:') ? media.collect(given, mime) : media.locate(given)
  if (url === undefined) return undefined
  // Whether the image was uploaded to this server is not known yet: its address may be that of another one.
  const isLocated = url !== given && !given.startsWith('data:')
  const rest = { ...more, ...present({ original_url: isLocated ? given : originalUrl }) }
  const block = mediaBlock(type, url, { mimeType: mime, name: label, rest })
  if (detail === undefined) return block
  return { ...block, image_url: { ...asRecord(block.image_url), detail } }
}
