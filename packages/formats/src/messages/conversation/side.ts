import type { JsonRecord } from '../../json/guards.ts'
import { asText } from '../../json/guards.ts'
import type { Message } from '../model.ts'
import { readMessage } from '../read/read-message.ts'

/** The messages of one side of a run, and the members of it that they show completely. */
export interface ReadSide {
  readonly messages: readonly Message[]
  readonly fields: readonly string[]
}

/** Reads the inputs or the outputs of a run in one format. Returns undefined if they have another one. */
export type ReadFields = (fields: JsonRecord) => ReadSide | undefined

/** The format of a provider or framework. */
export interface Format {
  readonly id: string
  /** Its name in lists. */
  readonly label: string
  readonly input: ReadFields
  readonly output: ReadFields
}

/** Members of a message that is the whole side. */
export const MESSAGE_FIELDS: readonly string[] = [
  ...['type', 'role', 'content', 'parts', 'tool_calls', 'name', 'refusal', 'reasoning_content'],
]

export function toSide(messages: readonly Message[] | undefined, ...fields: readonly string[]): ReadSide | undefined {
  return messages && { messages, fields }
}

export function readOne(value: unknown, ...fields: readonly string[]): ReadSide | undefined {
  const message = readMessage(value)
  return toSide(message && [message], ...fields)
}

export function textMessage(role: string, text: string): Message {
  return { role, parts: [{ kind: 'text', text }] }
}

/** The only member of a side as a message if it is a text, whatever its name: a function has its argument there. */
export function readOnlyField(fields: JsonRecord, role: string): ReadSide | undefined {
  const [only, ...others] = Object.entries(fields)
  const text = others.length === 0 ? asText(only?.[1]) : undefined
  return only && text !== undefined ? { messages: [textMessage(role, text)], fields: [only[0]] } : undefined
}
