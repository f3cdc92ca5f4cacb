import { type Adapted, adaptConversation } from '#domain/chat-view/adapters.ts'
import type { ChatMessage, ToolCall, ToolResult } from '#domain/chat-view/conversation.ts'
import { pairToolCalls } from '#domain/chat-view/pair-tool-calls.ts'
import { foldHistory } from '#lib/threads/fold-history.ts'

/** What a turn was given and what it answered. */
export interface Cargo {
  inputs: unknown
  outputs: unknown
}

/** A piece of a transcript: something new, a tool at work, or what was said before. */
export type TurnItem =
  | { kind: 'message'; message: ChatMessage; isAnswer: boolean }
  | { kind: 'call'; call: ToolCall }
  | { kind: 'result'; result: ToolResult }
  | { kind: 'repeated'; messages: ChatMessage[] }

/**
 * A turn as a reader of the conversation wants it: new messages, tool calls apart, repeated history in one piece.
 *
 * @param before  the turn before, of which the history is known
 * @returns undefined when there is nothing conversational in the turn
 */
export function readTurn(turn: Cargo, before: Cargo | undefined): TurnItem[] | undefined {
  const said = conversationOf(turn)
  if (!said) return undefined
  const earlier = before && conversationOf(before)
  const known = earlier ? [...earlier.input, ...earlier.output].map(keyOf) : []
  const folded = foldHistory(known, said.input.map(keyOf), said.output.map(keyOf))
  const messages = [
    ...said.input.map((message) => ({ ...message, isAnswer: false })),
    ...said.output.map((message) => ({ ...message, isAnswer: true })),
  ]
  return inOrder(messages, [...folded.input, ...folded.output])
}

type Said = ChatMessage & { isAnswer: boolean }

function inOrder(messages: readonly Said[], repeated: readonly boolean[]): TurnItem[] {
  const items: TurnItem[] = []
  let from = 0
  while (from < messages.length) {
    let to = from + 1
    while (to < messages.length && repeated[to] === repeated[from]) to++
    const stretch = pairToolCalls(messages.slice(from, to))
    if (repeated[from]) items.push({ kind: 'repeated', messages: stretch })
    else items.push(...stretch.flatMap(split))
    from = to
  }
  return items
}

/** The words of a message, then each tool it called. */
function split({ isAnswer, ...message }: Said): TurnItem[] {
  const words = message.parts.filter(({ kind }) => kind !== 'tool_call' && kind !== 'tool_result')
  const tools = message.parts.flatMap((part): TurnItem[] => {
    if (part.kind === 'tool_call') return [{ kind: 'call', call: part }]
    return part.kind === 'tool_result' ? [{ kind: 'result', result: part }] : []
  })
  return words.length > 0 || tools.length === 0
    ? [{ kind: 'message', message: { ...message, parts: words }, isAnswer }, ...tools]
    : tools
}

const conversations = new WeakMap<Cargo, { said: Adapted | undefined }>()

/** Read once: a turn is shown, and looked at again by the turn after it. */
function conversationOf(cargo: Cargo): Adapted | undefined {
  const known = conversations.get(cargo)
  if (known) return known.said
  const said = adaptConversation(cargo.inputs, cargo.outputs)
  conversations.set(cargo, { said })
  return said
}

const keys = new WeakMap<ChatMessage, string>()

function keyOf(message: ChatMessage): string {
  const known = keys.get(message)
  if (known !== undefined) return known
  const key = JSON.stringify(message)
  keys.set(message, key)
  return key
}
