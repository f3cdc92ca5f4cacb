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
