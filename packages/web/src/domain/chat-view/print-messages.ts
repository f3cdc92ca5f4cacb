import type { ChatMessage, ChatPart, Media } from './conversation.ts'

export type PrintedMessage = Record<string, unknown>

/** Prints a conversation in the format of OpenAI chat: role and content, tool calls, and tool results as messages. */
export function printMessages(messages: readonly ChatMessage[]): PrintedMessage[] {
  return messages.flatMap((message) => {
    const results = message.parts.flatMap((part) =>
      part.kind === 'tool_result'
        ? [{ role: 'tool', ...(part.id !== undefined && { tool_call_id: part.id }), content: printContent(part.parts) }]
        : [],
    )
    const rest = message.parts.filter(({ kind }) => kind !== 'tool_result')
    return rest.length === 0 && results.length > 0 ? results : [...results, printMessage({ ...message, parts: rest })]
  })
}

function printMessage({ role, name, parts }: ChatMessage): PrintedMessage {
  const calls = parts.flatMap((part, index) =>
    part.kind === 'tool_call'
      ? [
          {
            id: part.id ?? `call_${index}`,
            type: 'function',
            function: {
              name: part.name,
              arguments: typeof part.args === 'string' ? part.args : JSON.stringify(part.args),
            },
          },
        ]
      : [],
  )
  const blocks = parts.flatMap(printPart)
  const isPlain = blocks.every(({ type }) => type === 'text')
  const text = blocks.map((block) => block.text).join('\n\n')
  return {
    role,
    ...(name !== undefined && { name }),
    content: isPlain ? (text === '' && calls.length > 0 ? null : text) : blocks,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function printPart(part: ChatPart): ({ type: string } & Record<string, unknown>)[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return [{ type: 'text', text: part.text }]
    case 'media':
      return [printMedia(part.media)]
    case 'unknown':
      return [{ type: 'text', text: JSON.stringify(part.value) }]
    default:
      return []
  }
}

function printMedia({ type, url, mime, label }: Media) {
  if (type === 'image' && url !== undefined) return { type: 'image_url', image_url: { url } }
  const data = url?.match(/^data:[^,]*;base64,(.*)$/s)?.[1]
  if (type === 'audio' && data !== undefined)
    return { type: 'input_audio', input_audio: { data, format: mime?.split('/')[1] ?? 'wav' } }
  if (type === 'file' && data !== undefined)
    return { type: 'file', file: { file_data: url, filename: label ?? 'attachment' } }
  return { type: 'text', text: `[${label ?? type}${url === undefined ? '' : ` at ${url.slice(0, 500)}`}]` }
}

function printContent(parts: readonly ChatPart[]): string {
  return parts.flatMap((part) => printPart(part).map(({ text, type }) => text ?? `[${type}]`)).join('\n\n')
}
