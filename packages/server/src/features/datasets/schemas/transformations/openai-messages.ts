import { printJson } from '@touchstone/formats/exact-json'
import { isRecord } from '@touchstone/formats/guards'
import { readMessageOrItem, writeOpenaiChat } from '@touchstone/formats/messages'

/**
 * Converts a message of any known format to OpenAI chat messages: several when it contains results of several tools. Other
 * values are returned unchanged.
 *
 * @param others  `keep`: parts that OpenAI has no form for stay as they are, reasoning is in `reasoning_content`; `send`: only
 *   what the API of OpenAI takes
 */
export function toOpenaiMessages(given: unknown, others: 'keep' | 'send' = 'keep'): unknown[] {
  const message = isRecord(given) ? readMessageOrItem(given) : undefined
  return message === undefined ? [given] : writeOpenaiChat(message, { print: printJson, others })
}
