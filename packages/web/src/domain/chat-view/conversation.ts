import type { Run } from '@touchstone/sdk'

/** Input and output messages of a model, independent of the provider's format. */
export interface Conversation {
  input: ChatMessage[]
  output: ChatMessage[]
  /** Tools that the model could call. */
  tools: OfferedTool[]
}

export interface ChatMessage {
  /** `system`, `user`, `assistant` or `tool`; other roles as they were recorded. */
  role: string
  name?: string
  parts: ChatPart[]
}

export type ChatPart =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'refusal'; text: string }
  | { kind: 'media'; media: Media }
  | ToolCall
  | ToolResult
  /** A block of an unknown format, shown as JSON. */
  | { kind: 'unknown'; value: unknown }

export interface ToolCall {
  kind: 'tool_call'
  id?: string
  name: string
  /** Parsed arguments, or their text when it is not JSON. */
  args: unknown
  /** Set by `pairToolCalls`, or by `linkToolRuns` from the run. */
  result?: ToolResult
  /** The run that executed the call, set by `linkToolRuns`. */
  run?: Run
}

export interface ToolResult {
  kind: 'tool_result'
  /** Id of the tool call. */
  id?: string
  name?: string
  parts: ChatPart[]
  isError?: boolean
  /** The output of a tool run. No message contains it. */
  isRecorded?: boolean
  /** Only the beginning is loaded. */
  isBeginning?: boolean
}

/** An image, audio, video or document. A `data:` URL is shown at once, a remote one after a click. */
export interface Media {
  type: 'image' | 'audio' | 'video' | 'file'
  /** A `data:` or http(s) URL; undefined if only the provider's file id was recorded. */
  url?: string
  mime?: string
  label?: string
  /** An attachment of the run, on this server: shown at once. */
  isStored?: boolean
}

export interface OfferedTool {
  name: string
  description?: string
  schema?: unknown
}

const ATTACHMENT = 'attachment:'

/**
 * Gives media that refer to an attachment of their run (`attachment:NAME`) its address.
 *
 * @param urls  signed URLs by name; a medium that is not among them stays as it is
 */
export function findAttachedMedia(messages: readonly ChatMessage[], urls: ReadonlyMap<string, string>): ChatMessage[] {
  const locate = (part: ChatPart): ChatPart => {
    if (part.kind === 'tool_result') return { ...part, parts: part.parts.map(locate) }
    if (part.kind !== 'media' || !part.media.url?.startsWith(ATTACHMENT)) return part
    const name = part.media.url.slice(ATTACHMENT.length)
    const url = urls.get(name)
    return url === undefined ? part : { kind: 'media', media: { label: name, ...part.media, url, isStored: true } }
  }
  return messages.map((message) => ({ ...message, parts: message.parts.map(locate) }))
}

/** Returns the value if it is an object, else undefined. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

export function asList(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
