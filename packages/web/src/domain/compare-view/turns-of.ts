import { adaptConversation } from '#domain/chat-view/adapters.ts'
import type { ChatMessage, ChatPart } from '#domain/chat-view/conversation.ts'
import type { Turn } from '#lib/diff/diff-turns.ts'

/** A run's messages as text, tool calls and results included; undefined when there is nothing conversational in it. */
export function turnsOf(cargo: { inputs: unknown; outputs: unknown }): Turn[] | undefined {
  const conversation = adaptConversation(cargo.inputs, cargo.outputs)
  return conversation && [...conversation.input, ...conversation.output].map(turnOf)
}

/** What a run answered, as text: its last messages, or its outputs as JSON. */
export function answerOf(cargo: { inputs: unknown; outputs: unknown }): string {
  const conversation = adaptConversation(cargo.inputs, cargo.outputs)
  if (conversation && conversation.output.length > 0)
    return conversation.output.map((message) => turnOf(message).text).join('\n\n')
  return cargo.outputs === undefined || cargo.outputs === null ? '' : JSON.stringify(cargo.outputs, null, 2)
}

function turnOf({ role, name, parts }: ChatMessage): Turn {
  return { role: name === undefined ? role : `${role} ${name}`, text: parts.map(textOf).join('\n') }
}

function textOf(part: ChatPart): string {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text
    case 'reasoning':
      return `(reasoning) ${part.text}`
    case 'media':
      return `(${part.media.type}) ${part.media.label ?? part.media.url?.slice(0, 200) ?? ''}`
    case 'tool_call':
      return `${part.name}(${typeof part.args === 'string' ? part.args : JSON.stringify(part.args, null, 2)})`
    case 'tool_result':
      return part.parts.map(textOf).join('\n')
    case 'unknown':
      return JSON.stringify(part.value, null, 2)
  }
}
