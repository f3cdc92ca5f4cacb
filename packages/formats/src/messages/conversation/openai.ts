import { asList, asRecord, asText } from '../../json/guards.ts'
import type { Message, Part } from '../model.ts'
import { readCitations } from '../read/citations.ts'
import { isResponseItem, readMessage, readMessages, readResponseItem } from '../read/read-message.ts'
import { type Format, textMessage, toSide } from './side.ts'

export const OPENAI_RESPONSES: Format = {
  id: 'openai-responses',
  label: 'OpenAI responses',
  input(inputs) {
    const instructions = asText(inputs.instructions)
    const items = asList(inputs.input)
    const isResponses = instructions !== undefined || items?.some(isResponseItem)
    if (!isResponses) return undefined
    const text = asText(inputs.input)
    const messages = text === undefined ? readResponseItems(items ?? []) : [textMessage('user', text)]
    const all = instructions ? [textMessage('system', instructions), ...messages] : messages
    return toSide(all, 'instructions', 'input')
  },
  output(outputs) {
    const items = asList(outputs.output)
    return items?.some(isResponseItem) ? toSide(readResponseItems(items), 'output') : undefined
  },
}

/**
 * Messages, reasoning and tool calls are items of one list. Reasoning and calls belong to the assistant. Reasoning and
 * the answer or calls that follow are one message.
 */
export function readResponseItems(items: readonly unknown[]): Message[] {
  const messages: (Message & { readonly parts: Part[] })[] = []
  for (const item of items) {
    const message = readResponseItem(item)
    const last = messages.at(-1)
    if (message.role === 'assistant' && last?.role === 'assistant' && isContinued(last, message)) {
      last.parts.push(...message.parts)
    } else messages.push({ ...message, parts: [...message.parts] })
  }
  return messages
}

/** Reasoning is continued by anything, an answer or a call only by calls. */
function isContinued(last: Message, next: Message): boolean {
  const isOnlyReasoning =
    last.parts.at(-1)?.kind === 'reasoning' && last.parts.every(({ kind }) => kind === 'reasoning')
  return last.parts.length === 0 || isOnlyReasoning || next.parts.every(({ kind }) => kind === 'tool_call')
}

export const OPENAI_CHAT: Format = {
  id: 'openai-chat',
  label: 'OpenAI chat',
  input: (inputs) => toSide(readMessages(inputs.messages), 'messages'),
  output(outputs) {
    const messages = asList(outputs.choices)?.flatMap((choice) => readChoice(choice))
    // Perplexity names its sources beside the choices.
    const sources = readCitations(outputs.search_results ?? outputs.citations)
    if (!messages || messages.length === 0 || sources.length === 0) return toSide(messages, 'choices')
    const cited: Part = { kind: 'sources', sources }
    const [first, ...others] = messages
    return toSide(
      first && [{ ...first, parts: [...first.parts, cited] }, ...others],
      'choices',
      'search_results',
      'citations',
    )
  },
}

function readChoice(choice: unknown): Message[] {
  const object = asRecord(choice)
  const message = asRecord(object?.message) ?? asRecord(object?.delta)
  const read = message && readMessage({ role: 'assistant', content: null, ...message })
  if (read !== undefined) return [read]
  const text = asText(object?.text)
  return text === undefined ? [] : [textMessage('assistant', text)]
}
