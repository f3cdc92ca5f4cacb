import type { ModelMessage, ModelMessagePart, ModelToolCall } from '@touchstone/contract'
import type { Message, Part, Signer } from '@touchstone/formats/messages'
import { type Content, toParts } from './wire.ts'

export interface ReadOptions {
  /** Thoughts of the model are sent again when this provider has signed them: without its signature, it refuses them. */
  readonly signer?: Signer
}

/** The messages of a call as the writers of the wire formats take them. */
export function readModelMessages(messages: readonly ModelMessage[], options: ReadOptions = {}): Message[] {
  return messages.map((message) => ({ role: message.role, parts: readParts(message, options) }))
}

function readParts(message: ModelMessage, { signer }: ReadOptions): Part[] {
  const content = readContent(message.content)
  if (message.role === 'tool') return [{ kind: 'tool_result', id: message.tool_call_id, parts: content }]
  if (message.role !== 'assistant') return content
  const { reasoning: text, reasoning_signature: signature, reasoning_signed_by: given, tool_calls } = message
  // Before there was a name beside them, only Anthropic signed thoughts.
  const signedBy = given ?? 'anthropic'
  const isSent = signedBy === signer && signature != null
  const thoughts: Part[] = isSent ? [{ kind: 'reasoning', text: text ?? '', signature, signedBy }] : []
  return [...thoughts, ...content, ...(tool_calls ?? []).map(readCall)]
}

const readContent = (content: Content) => toParts(content).map(readPart)

function readPart(part: ModelMessagePart): Part {
  if (part.type === 'text') return { kind: 'text', text: part.text }
  // In the form of the provider already.
  if (part.type === 'raw') return { kind: 'unknown', value: part.raw, raw: part.raw }
  const { url, detail } = part.image_url
  const media = { type: 'image' as const, url, ...(detail != null && { detail }) }
  return { kind: 'media', media, raw: { type: 'image_url', image_url: { url, ...(detail != null && { detail }) } } }
}

function readCall({ id, function: { name, arguments: text }, signature }: ModelToolCall): Part {
  return { kind: 'tool_call', id, name, args: text, text, ...(signature != null && { signature }) }
}
