/** A message in nobody's format. */
export interface PromptMessage {
  /** `system`, `user`, `assistant`, `tool`, or what the prompt calls it. */
  role: string
  content: string | PromptPart[]
  name?: string | undefined
  /** What an assistant called. */
  toolCalls?: PromptToolCall[] | undefined
  /** The call that a `tool` answers. */
  toolCallId?: string | undefined
}

export interface PromptToolCall {
  id: string
  name: string
  args: unknown
}

/** Parts that are neither text nor image are as the prompt has them, in the format of their provider. */
export type PromptPart =
  | { type: 'text'; text: string }
  | { type: 'image'; url: string; detail?: string | undefined }
  | { type: 'other'; part: Record<string, unknown> }

export function textOfContent(content: string | readonly PromptPart[]): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
