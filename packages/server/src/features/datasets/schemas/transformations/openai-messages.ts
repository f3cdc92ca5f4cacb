import { readMessageOrItem, writeOpenaiChat } from '@touchstone/formats/messages'
import { printJson } from '../../../../json/keep-digits.ts'

/**
 * Converts a message of any known format to OpenAI chat messages: several when it contains results of several tools. Parts
 * that OpenAI has no form for stay as they are, reasoning is in `reasoning_content`. Other values are returned unchanged.
 */
export function toOpenaiMessages(given: unknown): unknown[] {
  const message = readMessageOrItem(given)
  return message === undefined ? [given] : writeOpenaiChat(message, { print: printJson })
}
