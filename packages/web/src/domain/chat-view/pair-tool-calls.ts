import type { ChatMessage, ChatPart, ToolCall, ToolResult } from './conversation.ts'

/**
 * Puts every tool result under the call it answers, by id, else by name in order. A result without a call stays where
 * it is; a message that is left empty goes.
 */
export function pairToolCalls<Message extends ChatMessage>(messages: readonly Message[]): Message[] {
  const open = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'tool_call' ? [{ ...part }] : [])),
  )
  const callOf = new Map<ToolResult, ToolCall>()
  for (const result of messages.flatMap(({ parts }) => parts.filter((part) => part.kind === 'tool_result'))) {
    const call = open.find((one) => one.result === undefined && answers(result, one))
    if (!call) continue
    call.result = result
    callOf.set(result, call)
  }
  let next = 0
  return messages.flatMap((message) => {
    const parts = message.parts.flatMap((part): ChatPart[] => {
      if (part.kind === 'tool_call') return [open[next++]!]
      return part.kind === 'tool_result' && callOf.has(part) ? [] : [part]
    })
    return parts.length === 0 && message.parts.length > 0 ? [] : [{ ...message, parts }]
  })
}

function answers(result: ToolResult, call: ToolCall): boolean {
  if (result.id !== undefined && call.id !== undefined) return result.id === call.id
  return result.name !== undefined && result.name === call.name
}
