import { printJson } from '@touchstone/formats/exact-json'
import { readMessageOrItem, writeOpenaiChat } from '@touchstone/formats/messages'

/**
 * Converts a message of any known format to OpenAI chat messages: several when it contains results of several tools. Parts
 * that OpenAI has no form for stay as they are, reasoning is in `reasoning_content`. Other values are returned unchanged.
 */
export function toOpenaiMessages(given: unknown): unknown[] {
  const message = readMessageOrItem(given)
  return message === undefined ? [given] : writeOpenaiChat(message, { print: printJson })
}
