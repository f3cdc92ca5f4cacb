import { readConversation, toMessageKey } from '@touchstone/formats/messages'
import type { Run } from '@touchstone/sdk'
import type { ChatMessage, Conversation, ToolCall, ToolResult } from '#features/payloads/chat/conversation.ts'
import { pairToolCalls } from '#features/payloads/chat/tool-calls.ts'
import { foldHistory } from './fold-history.ts'

/** Input and output of a turn. */
export interface TurnContent {
  inputs: unknown
  outputs: unknown
}

/** An item of a transcript: a new message, a tool call, a tool result, or a group of repeated messages. */
export type TurnItem =
  | { kind: 'message'; message: ChatMessage; isAnswer: boolean }
  | { kind: 'call'; call: ToolCall }
  | { kind: 'result'; result: ToolResult }
  | { kind: 'repeated'; messages: ChatMessage[] }

/**
 * Reads a turn as items: new messages, tool calls on their own, and repeated messages grouped.
 *
 * @param before  the previous turn, whose messages this one may repeat
 * @returns undefined if the turn has no messages
 */
export function readTurn(turn: TurnContent, before: TurnContent | undefined): TurnItem[] | undefined {
  const conversation = readTurnOnce(turn)
  if (!conversation) return undefined
  const earlier = before && readTurnOnce(before)
  const knownKeys = earlier ? [...earlier.input, ...earlier.output].map(toKey) : []
  const folded = foldHistory(knownKeys, conversation.input.map(toKey), conversation.output.map(toKey))
  const messages = [
    ...conversation.input.map((message) => ({ ...message, isAnswer: false })),
    ...conversation.output.map((message) => ({ ...message, isAnswer: true })),
  ]
  return toItems(messages, [...folded.input, ...folded.output])
}

type TurnMessage = ChatMessage & { isAnswer: boolean }

function toItems(messages: readonly TurnMessage[], repeated: readonly boolean[]): TurnItem[] {
  const items: TurnItem[] = []
  let from = 0
  while (from < messages.length) {
    let to = from + 1
    while (to < messages.length && repeated[to] === repeated[from]) to++
    const group = pairToolCalls(messages.slice(from, to))
    if (repeated[from]) items.push({ kind: 'repeated', messages: group })
    else items.push(...group.flatMap(splitMessage))
    from = to
  }
  return items
}

/** Splits a message into its content and its tool calls. */
function splitMessage({ isAnswer, ...message }: TurnMessage): TurnItem[] {
  const content = message.parts.filter(({ kind }) => kind !== 'tool_call' && kind !== 'tool_result')
  const tools = message.parts.flatMap((part): TurnItem[] => {
    if (part.kind === 'tool_call') return [{ kind: 'call', call: part }]
    return part.kind === 'tool_result' ? [{ kind: 'result', result: part }] : []
  })
  return content.length > 0 || tools.length === 0
    ? [{ kind: 'message', message: { ...message, parts: content }, isAnswer }, ...tools]
    : tools
}

const conversations = new WeakMap<TurnContent, { conversation: Conversation | undefined }>()

/** Cached, because the next turn reads it again. */
function readTurnOnce(turn: TurnContent): Conversation | undefined {
  const known = conversations.get(turn)
  if (known) return known.conversation
  const conversation = withUnreadSides(turn, readConversation(turn.inputs, turn.outputs))
  conversations.set(turn, { conversation })
  return conversation
}

/** A side without messages becomes one that contains its JSON, so that no half of a turn is hidden. */
function withUnreadSides(turn: TurnContent, conversation: Conversation | undefined): Conversation | undefined {
  if (!conversation) return undefined
  const { rest, input, output } = conversation
  const toMessage = (role: string, value: unknown): ChatMessage => ({ role, parts: [{ kind: 'unknown', value }] })
  return {
    ...conversation,
    input: rest.inputs?.isWhole && rest.inputs.otherFields.length > 0 ? [toMessage('user', turn.inputs)] : input,
    output:
      rest.outputs?.isWhole && rest.outputs.otherFields.length > 0 ? [toMessage('assistant', turn.outputs)] : output,
  }
}

const keys = new WeakMap<ChatMessage, string>()

function toKey(message: ChatMessage): string {
  const known = keys.get(message)
  if (known !== undefined) return known
  const key = toMessageKey(message)
  keys.set(message, key)
  return key
}

/** What a preview of a turn is; a turn that recorded none has that of a model call below it. */
export function getPreviewLabel({ derived_payloads }: Run, side: 'inputs' | 'outputs'): string {
  const [label, call] = side === 'inputs' ? ['input', 'first'] : ['output', 'last']
  return derived_payloads?.[side] ? `${label} of its ${call} model call, this run recorded none` : label
}
