import type { JsonRecord } from '../../json/guards.ts'
import { asList } from '../../json/guards.ts'
import { readMessage, readMessages } from '../read/read-message.ts'
import { type Format, MESSAGE_FIELDS, type ReadSide, readOne, textMessage } from './side.ts'

const INPUT_FIELDS = [
  ...['messages', 'input', 'inputs', 'question', 'query', 'user_input', 'prompt', 'prompts', 'text', 'content'],
  ...['message', 'request', 'task', 'topic', 'chat_history'],
]
const OUTPUT_FIELDS = [
  ...['messages', 'output', 'outputs', 'answer', 'response', 'result', 'text', 'content', 'completion', 'message'],
  ...['generation', 'summary', 'reply', 'final_answer'],
]

/** Messages or texts in members with the usual names. */
export const GENERIC: Format = {
  id: 'generic',
  label: 'Messages',
  input: (inputs) => readFields(inputs, INPUT_FIELDS, 'user'),
  output: (outputs) => readOne(outputs, ...MESSAGE_FIELDS) ?? readFields(outputs, OUTPUT_FIELDS, 'assistant'),
}

/** The first member with messages or text. */
function readFields(fields: JsonRecord, names: readonly string[], role: string): ReadSide | undefined {
  for (const name of names) {
    const value = fields[name]
    const message = readMessage(value)
    const messages = readMessages(value) ?? (message && [message])
    if (messages) return { messages, fields: [name] }
    const texts = typeof value === 'string' ? [value] : asList(value)
    if (texts?.length && texts.every((text) => typeof text === 'string'))
      return { messages: texts.map((text) => textMessage(role, text)), fields: [name] }
  }
  return undefined
}
