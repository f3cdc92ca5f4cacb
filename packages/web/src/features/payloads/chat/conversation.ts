import type * as recorded from '@touchstone/formats/messages'
import type { Run } from '@touchstone/sdk'

/*
 * Messages as pages show them: those that were recorded, each call of a tool with its result and its run, and media with the
 * addresses of attachments.
 */

export interface Conversation extends Omit<recorded.Conversation, 'input' | 'output'> {
  readonly input: readonly ChatMessage[]
  readonly output: readonly ChatMessage[]
}

export interface ChatMessage extends Omit<recorded.Message, 'parts'> {
  readonly parts: readonly ChatPart[]
}

export type ChatPart =
  | Exclude<recorded.Part, { kind: 'media' | 'tool_call' | 'tool_result' }>
  | { readonly kind: 'media'; readonly media: Media }
  | ToolCall
  | ToolResult

export interface ToolCall extends recorded.ToolCall {
  /** Set by `pairToolCalls`, or by `linkToolRuns` from the run. */
  readonly result?: ToolResult
  /** The run that executed the call, set by `linkToolRuns`. */
  readonly run?: Run
}

export interface ToolResult extends Omit<recorded.ToolResult, 'parts'> {
  readonly parts: readonly ChatPart[]
  /** The output of a tool run. No message contains it. */
  readonly isRecorded?: boolean
  /** Only the beginning is loaded. */
  readonly isBeginning?: boolean
}

/** An image, audio, video or document. A `data:` URL is shown at once, a remote one after a click. */
export interface Media extends recorded.Media {
  /** An attachment of the run, on this server: shown at once. */
  readonly isStored?: boolean
}

const ATTACHMENT = 'attachment:'

/**
 * Gives media that refer to an attachment of their run (`attachment:NAME`) its address.
 *
 * @param urls  signed URLs by name; a medium that is not among them keeps the address that it was recorded with
 */
export function findAttachedMedia(messages: readonly ChatMessage[], urls: ReadonlyMap<string, string>): ChatMessage[] {
  const locate = (part: ChatPart): ChatPart => {
    if (part.kind === 'tool_result') return { ...part, parts: part.parts.map(locate) }
    if (part.kind !== 'media' || !part.media.url?.startsWith(ATTACHMENT)) return part
    const name = part.media.url.slice(ATTACHMENT.length)
    const { originalUrl } = part.media
    const url = urls.get(name)
    if (url === undefined) {
      return originalUrl === undefined ? part : { kind: 'media', media: { ...part.media, url: originalUrl } }
    }
    return { kind: 'media', media: { label: name, ...part.media, url, isStored: true } }
  }
  return messages.map((message) => ({ ...message, parts: message.parts.map(locate) }))
}
