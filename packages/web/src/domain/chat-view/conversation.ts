import type { Run } from '@touchstone/sdk'

/** What was said to a model and what it answered, whichever provider's shape it was recorded in. */
export interface Conversation {
  input: ChatMessage[]
  output: ChatMessage[]
  /** Tools that were offered. */
  tools: OfferedTool[]
}

export interface ChatMessage {
  /** `system`, `user`, `assistant` or `tool`; anything else as the sender called it. */
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
  /** A block nobody here knows; shown as JSON rather than left out. */
  | { kind: 'unknown'; value: unknown }

export interface ToolCall {
  kind: 'tool_call'
  id?: string
  name: string
  /** Parsed arguments, or their text when it is not JSON. */
  args: unknown
  /** Put there by `pairToolCalls`, or by `linkToolRuns` from the run. */
  result?: ToolResult
  /** The run that executed it, put there by `linkToolRuns`. */
  run?: Run
}

export interface ToolResult {
  kind: 'tool_result'
  /** Id of the call it answers. */
  id?: string
  name?: string
  parts: ChatPart[]
  isError?: boolean
  /** No message says it: it is what the tool run returned. */
  isRecorded?: boolean
  /** Only its first words are here. */
  isBeginning?: boolean
}

/** An image, sound or document: `data:` is shown at once, anything remote only after a click. */
export interface Media {
  type: 'image' | 'audio' | 'video' | 'file'
  /** A `data:` or http(s) URL; undefined when only an id of the provider's store was recorded. */
  url?: string
  mime?: string
  label?: string
}

export interface OfferedTool {
  name: string
  description?: string
  schema?: unknown
}

/** A value of unknown shape, seen as an object; undefined when it is none. */
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
