import { asRecord, member } from '../json/guards.ts'
import { shorten } from '../json/shorten.ts'

/**
 * One line of plain text that lets a person recognise a payload: the last message of a conversation if there is one,
 * else the only or best-named text, else the start of the compact JSON.
 *
 * @param value  the parsed payload
 * @param text   its JSON text, used when nothing better is found
 */
export function toPreview(value: unknown, text: string): string {
  const found = lastMessage(value) ?? namedText(value)
  return shorten(found ?? text)
}

const TEXT_KEYS = ['input', 'question', 'query', 'prompt', 'text', 'output', 'answer', 'outputs', 'content', 'result']

function namedText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  const record = asRecord(value)
  if (record === undefined) return undefined
  for (const key of TEXT_KEYS) {
    const named = member(record, key)
    if (typeof named === 'string' && named !== '') return named
  }
  const values = Object.values(record)
  const only = values.length === 1 ? values[0] : undefined
  return typeof only === 'string' && only !== '' ? only : undefined
}

/** Messages stand under `messages`, in `choices`, in `generations`, or the payload is one message itself. */
function lastMessage(value: unknown): string | undefined {
  const messages = member(value, 'messages')
  if (Array.isArray(messages)) return textOfLast(messages)
  const choices = member(value, 'choices')
  if (Array.isArray(choices)) return readMessageText(member(choices[0], 'message'))
  const generations = member(value, 'generations')
  if (Array.isArray(generations)) return textOfGeneration(generations)
  return readMessageText(value)
}

function textOfLast(messages: readonly unknown[]): string | undefined {
  const flat = messages.length === 1 && Array.isArray(messages[0]) ? (messages[0] as unknown[]) : messages
  const users = flat.filter((message) => isUser(message))
  return readMessageText(users.at(-1)) ?? readMessageText(flat.at(-1))
}

function isUser(message: unknown): boolean {
  const role = member(message, 'role') ?? member(message, 'type')
  const ids = member(message, 'id')
  return role === 'user' || role === 'human' || (Array.isArray(ids) && ids.at(-1) === 'HumanMessage')
}

function textOfGeneration(generations: readonly unknown[]): string | undefined {
  const first: unknown = Array.isArray(generations[0]) ? generations[0][0] : generations[0]
  const text = member(first, 'text')
  return typeof text === 'string' && text !== '' ? text : readMessageText(member(first, 'message'))
}

/** Text of a message: its content, or the text parts of its content, or those of a serialised message. */
function readMessageText(message: unknown): string | undefined {
  const content = member(message, 'content') ?? member(member(message, 'kwargs'), 'content')
  if (typeof content === 'string' && content !== '') return content
  if (!Array.isArray(content)) return undefined
  const parts = content.map((part: unknown) => (typeof part === 'string' ? part : member(part, 'text')))
  const joined = parts.filter((part): part is string => typeof part === 'string').join(' ')
  return joined === '' ? undefined : joined
}
