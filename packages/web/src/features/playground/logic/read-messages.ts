import type { ModelMessage, ModelMessagePart, ModelToolCall } from '@touchstone/contract'
import {
  type Media,
  type Message,
  type Part,
  type ReasoningPart,
  readMessageOrItem,
  readParts,
  readToolCall,
  type ToolCall,
  type ToolResult,
} from '@touchstone/formats/messages'
import { asFields, asText, type JsonFields, listParts, type RecoveryNote, toContent, toFields } from './variant.ts'

/**
 * Reads recorded messages of any format as messages that a model can be sent. A part that cannot be sent in the form of this
 * product stays as it was recorded, in a raw part; a note names it.
 */
export function readModelMessages(list: readonly unknown[], notes: RecoveryNote[]): ModelMessage[] {
  const messages: ModelMessage[] = []
  for (const [at, value] of list.entries()) {
    for (const message of readOne(value, `Message ${at + 1}`, notes)) {
      const last = messages.at(-1)
      if (isItem(value) && message.role === 'assistant' && last?.role === 'assistant' && isItem(list[at - 1])) {
        messages[messages.length - 1] = joinAssistant(last, message)
      } else messages.push(message)
    }
  }
  return messages
}

/** A system prompt beside the messages: a text, blocks, or a content of Gemini. */
export function readSystem(value: unknown, notes: RecoveryNote[]): ModelMessage[] {
  const parts = readParts(toFields(value).parts ?? value)
  if (parts.length === 0) return []
  const where = 'System prompt'
  return [{ role: 'system', content: toContent(keepAll(sortParts(parts, where, notes), where, notes)) }]
}

/** A call of any format. Undefined without a name. */
export function readCall(value: JsonFields): ModelToolCall | undefined {
  const call = readToolCall(value)
  return call && toModelCall(call)
}

/** Items of OpenAI's responses: reasoning, calls and answers are separate there and one message here. */
function isItem(value: unknown): boolean {
  const { type, role } = toFields(value)
  return (
    (role === 'assistant' && type === 'message') || (role === undefined && /^(reasoning|.*_call)$/.test(String(type)))
  )
}

type Assistant = Extract<ModelMessage, { role: 'assistant' }>

function joinAssistant(a: Assistant, b: Assistant): Assistant {
  const parts = [...listParts(a.content), ...listParts(b.content)]
  const calls = [...(a.tool_calls ?? []), ...(b.tool_calls ?? [])]
  const reasoning = [a.reasoning, b.reasoning].filter(Boolean).join('\n\n')
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : toContent(parts),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning !== '' && { reasoning }),
  }
}

function readOne(value: unknown, where: string, notes: RecoveryNote[]): ModelMessage[] {
  if (typeof value === 'string') return [{ role: 'user', content: value }]
  const message = readMessageOrItem(value)
  if (message === undefined) return readOther(value, where, notes)
  noteOthers(message, where, notes)
  const sorted = sortParts(message.parts, where, notes)
  switch (message.role) {
    case 'system':
    case 'developer':
      return [{ role: message.role, content: toContent(keepAll(sorted, where, notes)) }]
    case 'assistant':
      return toAssistant(sorted)
    case 'user':
    case 'tool':
      break
    default:
      notes.push({ where, reason: `The role “${message.role}” does not exist here. It became “user”.` })
  }
  return toAsked(sorted)
}

/** A value that is no message. */
function readOther(value: unknown, where: string, notes: RecoveryNote[]): ModelMessage[] {
  const fields = asFields(value)
  if (fields === undefined) {
    notes.push({ where, reason: 'It is no message. It became a message with its JSON.' })
    return [{ role: 'user', content: JSON.stringify(value) ?? '' }]
  }
  const type = asText(fields.type) ?? 'without a type'
  notes.push({ where, reason: `The item “${type}” has no form here. It is kept as it was recorded.` })
  return [{ role: 'user', content: [{ type: 'raw', raw: fields }] }]
}

/** The parts of a message by where they are sent. */
interface SortedParts {
  readonly parts: readonly ModelMessagePart[]
  readonly calls: readonly ToolCall[]
  readonly results: readonly ToolResult[]
  readonly reasoning: string
  readonly signature: string | undefined
  readonly signedBy: ReasoningPart['signedBy']
}

function sortParts(given: readonly Part[], where: string, notes: RecoveryNote[]): SortedParts {
  const parts: ModelMessagePart[] = []
  const calls: ToolCall[] = []
  const results: ToolResult[] = []
  const reasoning: string[] = []
  let signed: ReasoningPart | undefined
  for (const part of given) {
    if (part.rest?.cache_control != null) notes.push({ where, reason: 'The cache_control of a part is not sent.' })
    const sendable = toSendable(part)
    if (sendable !== undefined) parts.push(sendable)
    else if (part.kind === 'tool_call' && !part.isOfProvider) calls.push(part)
    else if (part.kind === 'tool_result' && !part.isOfProvider) results.push(part)
    else if (part.kind === 'reasoning' && hasForm(part)) {
      if (part.text !== '') reasoning.push(part.text)
      if (part.signature !== undefined) signed = part
    } else if (!isInRaw(parts, part)) parts.push(...keepRaw(part, where, notes))
  }
  const { signature, signedBy } = signed ?? {}
  return { parts, calls, results, reasoning: reasoning.join('\n\n'), signature, signedBy }
}

/** Reasoning that the provider hides has a form here when it is known whose it is. */
function hasForm({ isHidden, rest, signedBy }: ReasoningPart): boolean {
  return signedBy !== undefined || (!isHidden && rest?.encrypted_content === undefined)
}

/** A call and its result may come from one block. */
function isInRaw(parts: readonly ModelMessagePart[], { raw }: Part): boolean {
  return raw !== undefined && parts.some((part) => part.type === 'raw' && part.raw === raw)
}

function toSendable(part: Part): ModelMessagePart | undefined {
  if (part.kind === 'text') return { type: 'text', text: part.text }
  if (part.kind === 'refusal') return { type: 'raw', raw: part.raw ?? { type: 'refusal', refusal: part.text } }
  return part.kind === 'media' ? toImage(part.media) : undefined
}

/** An image by address or with its bytes; none for one that a file id of the provider or an attachment of the run names. */
function toImage({ type, url, detail }: Media): ModelMessagePart | undefined {
  if (type !== 'image' || url === undefined || !/^(https?:|data:)/.test(url)) return undefined
  return { type: 'image_url', image_url: { url, ...((detail === 'low' || detail === 'high') && { detail }) } }
}

function keepRaw(part: Part, where: string, notes: RecoveryNote[]): ModelMessagePart[] {
  const raw = part.raw ?? (part.kind === 'unknown' ? asFields(part.value) : undefined)
  if (raw === undefined) return part.kind === 'unknown' ? [{ type: 'text', text: printValue(part.value) }] : []
  const kind = asText(raw.type) ?? Object.keys(raw)[0] ?? 'empty'
  notes.push({ where, reason: `A part “${kind}” has no form here. It is kept as it was recorded.` })
  return [{ type: 'raw', raw }]
}

/** Traced values may be nested more deeply than the stack of the browser allows. */
function printValue(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '(nested too deeply)'
  }
}

function toAssistant({ parts, calls, results, reasoning, signature, signedBy }: SortedParts): ModelMessage[] {
  const all = [...parts, ...results.map(toRawPart)]
  if (all.length === 0 && calls.length === 0 && reasoning === '' && signature === undefined)
    return [{ role: 'assistant', content: null }]
  return [
    {
      role: 'assistant',
      content: all.length === 0 ? null : toContent(all),
      ...(calls.length > 0 && { tool_calls: calls.map(toModelCall) }),
      ...(reasoning !== '' && { reasoning }),
      ...(signature !== undefined && { reasoning_signature: signature }),
      ...(signedBy !== undefined && { reasoning_signed_by: signedBy }),
    },
  ]
}

/** Results come first: they answer the calls of the message before. */
function toAsked({ parts, calls, results, reasoning }: SortedParts): ModelMessage[] {
  const thoughts: ModelMessagePart[] = reasoning === '' ? [] : [{ type: 'text', text: reasoning }]
  const rest = [...thoughts, ...parts, ...calls.map(toRawPart)]
  const answered = results.map((result): ModelMessage => {
    return { role: 'tool', tool_call_id: result.id ?? result.name ?? '', content: toContent(toResultParts(result)) }
  })
  if (answered.length > 0 && rest.length === 0) return answered
  return [...answered, { role: 'user', content: toContent(rest) }]
}

/** A result as a model gets it: texts, images, and other values as JSON. */
function toResultParts({ parts }: ToolResult): ModelMessagePart[] {
  return parts.flatMap((part): ModelMessagePart[] => {
    if (part.kind === 'unknown') return [{ type: 'text', text: printValue(part.value) }]
    const sendable = toSendable(part)
    if (sendable !== undefined) return [sendable]
    return part.raw === undefined ? [] : [{ type: 'raw', raw: part.raw }]
  })
}

/** Parts of a message that has no place for calls and results. */
function keepAll(sorted: SortedParts, where: string, notes: RecoveryNote[]): ModelMessagePart[] {
  const raw = [...sorted.results, ...sorted.calls]
  if (raw.length > 0) notes.push({ where, reason: 'A call or result in this place is kept as it was recorded.' })
  const thoughts: ModelMessagePart[] = sorted.reasoning === '' ? [] : [{ type: 'text', text: sorted.reasoning }]
  return [...thoughts, ...sorted.parts, ...raw.map(toRawPart)]
}

function toRawPart({ raw, ...part }: ToolCall | ToolResult): ModelMessagePart {
  return { type: 'raw', raw: raw ?? part }
}

/** Formats without ids find the call of a result by its name. */
function toModelCall({ id, name, args, text, signature }: ToolCall): ModelToolCall {
  const call = {
    id: id ?? name,
    type: 'function' as const,
    function: { name, arguments: text ?? (typeof args === 'string' ? args : printValue(args)) },
  }
  return signature === undefined ? call : { ...call, signature }
}

/** Fields of messages that describe how they were made, and are never sent to a model. */
const RECORDS = new Set([
  ...['id', 'example', 'status', 'index', 'response_metadata', 'usage_metadata', 'artifact', 'tool_call_chunks'],
  ...['phase', 'finish_reason', 'additional_kwargs', 'providerOptions', 'experimental_providerMetadata'],
  ...['created', 'created_at', 'timestamp', 'function_call', 'reasoning_details'],
])

/** Names the other fields of a message, such as the name of a participant. */
function noteOthers({ name, rest = {} }: Message, where: string, notes: RecoveryNote[]): void {
  const names = [...(name === undefined ? [] : ['name']), ...Object.keys(rest).filter((one) => !RECORDS.has(one))]
  if (names.length > 0) notes.push({ where, reason: `Not sent: ${names.join(', ')}.` })
}
