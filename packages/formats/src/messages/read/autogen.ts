import { asList, asRecord, asText, type JsonRecord } from '../../json/guards.ts'
import type { Message, Part } from '../model.ts'
import { findRest, present } from './fields.ts'
import { readMedia } from './media.ts'
import { readParts } from './read-parts.ts'
import { readToolCall, readToolResult } from './tools.ts'

/**
 * Messages of AutoGen's models, and those that its agents send each other, by their type; `source` where the sender tells the
 * role. https://microsoft.github.io/autogen/stable/reference/python/autogen_agentchat.messages.html
 */
const ROLES: ReadonlyMap<unknown, string> = new Map([
  ['SystemMessage', 'system'],
  ['UserMessage', 'user'],
  ['AssistantMessage', 'assistant'],
  ['FunctionExecutionResultMessage', 'tool'],
  ['ToolCallRequestEvent', 'assistant'],
  ['ToolCallExecutionEvent', 'tool'],
  ['ThoughtEvent', 'assistant'],
  ...['TextMessage', 'MultiModalMessage', 'ToolCallSummaryMessage', 'StopMessage', 'HandoffMessage'].map(
    (type) => [type, 'source'] as const,
  ),
])

/** Names that an agent has when it is no agent. */
const OWN_SOURCES: ReadonlySet<string> = new Set(['user', 'assistant', 'system'])

/** Reads a message of AutoGen. Undefined for any other value. */
export function readAutogen(object: JsonRecord): Message | undefined {
  const { type, content, source, thought } = object
  const known = ROLES.get(type)
  const sender = asText(source)
  if (known === undefined || content == null || (sender === undefined && known !== 'tool')) return undefined
  const name = sender === undefined || OWN_SOURCES.has(sender) ? undefined : sender
  const rest = findRest(object, ['type', 'content', 'source', 'thought'])
  return {
    role: known === 'source' ? (sender === 'user' ? 'user' : 'assistant') : known,
    ...present({ name }),
    parts: [
      ...(typeof thought === 'string' && thought !== '' ? [{ kind: 'reasoning' as const, text: thought }] : []),
      ...(type === 'ThoughtEvent' && typeof content === 'string'
        ? [{ kind: 'reasoning' as const, text: content }]
        : readContent(content, known === 'tool')),
    ],
    ...present({ rest }),
  }
}

/** A text, or a list of texts, images, calls or results without a type. */
function readContent(content: unknown, isTool: boolean): Part[] {
  return (asList(content) ?? [content]).flatMap((one): readonly Part[] => {
    const block = asRecord(one)
    if (block === undefined || block.type !== undefined) return readParts(one)
    if (isTool) return [readToolResult(block, readParts)]
    const call = readToolCall(block)
    return call === undefined ? (readMedia('image')(block, readParts) ?? readParts(block)) : [call]
  })
}

/** Results of version 0.2, which are in a list beside their texts. */
export function readToolResponses({ tool_responses }: JsonRecord): readonly Part[] | undefined {
  const responses = asList(tool_responses)?.map(asRecord)
  if (responses === undefined || responses.length === 0 || responses.includes(undefined)) return undefined
  return responses.map((response) => {
    const { role: _role, ...block } = response ?? {}
    return readToolResult(block, readParts)
  })
}
