import type { RunType } from '@touchstone/contract'
import { asRecord, isRecord } from '@touchstone/formats/guards'
import { isLangChainType, toRole } from '@touchstone/formats/messages'
import type { JsonObject } from '../mapped-span.ts'
import type { OtlpEvent } from '../span.ts'
import { firstOf, omit, parseJson, present, recoverElements, SpanAttributes, toText } from './attributes.ts'
import type { MediaCollector } from './media.ts'
import { type MappedPart, readPart, toResultContent, toToolCall } from './parts.ts'

/** `role`, `content`, `tool_calls`, `tool_call_id`, in the form of OpenAI's chat API, and what else the emitter sent. */
export type Message = JsonObject

/**
 * Reads messages of any emitter: GenAI parts, OpenInference, OpenLLMetry, AI SDK, Gemini, Anthropic, OpenAI.
 *
 * @param role  of entries without one
 * @returns undefined unless every entry is a message
 */
export function toMessages(value: unknown, media: MediaCollector, role = 'user'): Message[] | undefined {
  if (typeof value === 'string') return [{ role, content: value }]
  if (!Array.isArray(value) || value.length === 0) return undefined
  const list = (value.length === 1 && Array.isArray(value[0]) ? (value[0] as unknown[]) : value).map(openSerialized)
  if (!list.every(isMessage)) return undefined
  return list.flatMap((one) => toMessage(one, media, role))
}

/** Members of a serialized message of LangChain that are no part of what a model is sent. */
const OF_LANGCHAIN = [
  ...['type', 'id', 'status', 'metadata', 'additional_kwargs', 'response_metadata', 'usage_metadata'],
  ...['invalid_tool_calls', 'tool_call_chunks'],
]

/** The members of a message that LangChain serialized: `{lc: 1, id: […, 'AIMessage'], kwargs}`. */
function openSerialized(value: unknown): unknown {
  const { lc, id, kwargs } = asRecord(value) ?? {}
  const name = Array.isArray(id) ? (id.at(-1) as unknown) : undefined
  const members = asRecord(kwargs)
  if (lc !== 1 || members === undefined || !isLangChainType(name)) return value
  const { tool_calls: calls, ...others } = omit(members, OF_LANGCHAIN)
  return { role: name, ...others, ...(Array.isArray(calls) && calls.length > 0 && { tool_calls: calls }) }
}

function isMessage(value: unknown): boolean {
  const record = asRecord(value)
  if (record === undefined) return false
  const message = asRecord(record.message) ?? record
  if (typeof message.role !== 'string' && record.message === undefined) return Array.isArray(message.parts)
  return ['content', 'contents', 'parts', 'tool_calls', 'function_call', 'role'].some((key) => key in message)
}

const MESSAGE_KEYS = ['role', 'content', 'contents', 'parts', 'tool_calls', 'tool_call_id', 'function_call']
const OPENINFERENCE_CALL = ['function_call_name', 'function_call_arguments_json']

/** One message; several when results of tools are inside a message of the user. */
export function toMessage(value: unknown, media: MediaCollector, defaultRole = 'user'): Message[] {
  const outer = asRecord(value) ?? {}
  const inner = asRecord(outer.message)
  const message = inner === undefined ? outer : { ...omit(outer, ['message']), ...inner }
  const kind = isLangChainType(message.type) ? message.type : undefined
  const role = toRole(toText(message.role) ?? kind ?? defaultRole)
  const source = expandParts(message.parts) ?? message.contents ?? expandContent(message.content)
  const rest = omit(message, [...MESSAGE_KEYS, ...OPENINFERENCE_CALL])
  if (role === 'tool' && !isPartList(source)) return [toToolMessage(message, source, rest)]
  const parts = Array.isArray(source) ? source.flatMap((part) => readPart(part, media)) : []
  const plain = Array.isArray(source) ? undefined : source
  const own =
    role === 'tool' ? toToolMessage(message, '', rest) : { ...rest, ...present({ tool_call_id: message.tool_call_id }) }
  return composeMessages({ role, parts, plain, calls: readCalls(message), rest: omit(own, ['role', 'content']) })
}

/** OpenLLMetry for LangChain has the blocks of a content as the JSON text of one part. */
function expandParts(parts: unknown): unknown {
  if (!Array.isArray(parts)) return parts
  return parts.flatMap((part: unknown) => {
    const { type, content } = asRecord(part) ?? {}
    return type === 'text' ? expandContent(content, part) : [part]
  })
}

/** OpenLLMetry before 0.4 has the blocks of a content as JSON text. */
function expandContent(content: unknown, otherwise: unknown = content): unknown {
  if (typeof content !== 'string' || !/^\s*\[\s*\{/.test(content)) return otherwise
  const value = parseJson(content)
  return isPartList(value) ? value : otherwise
}

function isPartList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((part) => isRecord(part) && isPart(part))
}

const UNTYPED = ['text', 'functionCall', 'functionResponse', 'function_call', 'function_response', 'inlineData']
const UNTYPED_BEDROCK = [
  'toolUse',
  'toolResult',
  'image',
  'document',
  'video',
  'inline_data',
  'fileData',
  'file_data',
  'message_content',
]
const UNTYPED_HAYSTACK = ['tool_call', 'tool_call_result']

function isPart(part: JsonObject): boolean {
  return (
    typeof part.type === 'string' || [...UNTYPED, ...UNTYPED_BEDROCK, ...UNTYPED_HAYSTACK].some((key) => key in part)
  )
}

function toToolMessage(message: JsonObject, content: unknown, rest: JsonObject): Message {
  const id = toText(message.tool_call_id) ?? toText(message.id)
  return {
    role: 'tool',
    content: toResultContent(content ?? ''),
    ...present({ tool_call_id: id }),
    ...omit(rest, ['id']),
  }
}

function readCalls(message: JsonObject): JsonObject[] {
  const listed: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : []
  const calls = listed.map(toToolCall).filter((call) => call !== undefined)
  const name = toText(message.function_call_name)
  const single =
    name === undefined
      ? toToolCall(message.function_call)
      : toToolCall({ name, arguments: message.function_call_arguments_json })
  return single === undefined ? calls : [...calls, single]
}

interface MessageParts {
  readonly role: string
  readonly parts: readonly MappedPart[]
  /** A content that is no list. */
  readonly plain: unknown
  readonly calls: readonly JsonObject[]
  readonly rest: JsonObject
}

/**
 * Results of tools come before the other parts, as in the APIs of the providers; in a message that also has their calls, all come in
 * the order of the parts.
 */
function composeMessages({ role, parts, plain, calls, rest }: MessageParts): Message[] {
  const results = parts.filter((part) => 'result' in part).map(({ result }) => result)
  if (results.length > 0 && hasOwnResults(parts)) return composeInOrder({ role, parts, plain, calls, rest })
  const blocks = parts.filter((part) => 'block' in part).map(({ block }) => block)
  const seen: ReadonlySet<unknown> = new Set(calls.map(({ id }) => id))
  const called = parts.filter((part) => 'call' in part).map(({ call }) => call)
  const inParts = called.filter(({ id }) => id === undefined || !seen.has(id))
  const all = [...calls, ...inParts]
  if (results.length > 0 && blocks.length === 0 && all.length === 0) {
    return results.map((result) => ({ ...result, ...omit(rest, Object.keys(result)) }))
  }
  const content = plain === undefined ? joinBlocks(blocks) : plain
  const message: Message = {
    role,
    content: content === undefined || content === '' ? (all.length > 0 ? null : '') : content,
    ...(all.length > 0 && { tool_calls: all }),
    ...rest,
  }
  return [...results, message]
}

function hasOwnResults(parts: readonly MappedPart[]): boolean {
  const called = new Set(parts.flatMap((part) => ('call' in part ? [part.call.id] : [])))
  return parts.some((part) => 'result' in part && called.has(part.result.tool_call_id))
}

/** An agent that sends all of its steps as one message: each result follows its call. */
function composeInOrder({ role, parts, plain, calls, rest }: MessageParts): Message[] {
  const composed: Message[] = []
  const inParts = new Set(parts.flatMap((part) => ('call' in part ? [part.call.id] : [])))
  let waiting: MappedPart[] = calls.filter(({ id }) => !inParts.has(id)).map((call) => ({ call }))
  const flush = () => {
    if (waiting.length > 0) composed.push(...composeMessages({ role, parts: waiting, plain, calls: [], rest: {} }))
    waiting = []
  }
  for (const part of putAnswerLast(parts, rest)) {
    if ('result' in part) {
      flush()
      composed.push(part.result)
    } else waiting.push(part)
  }
  flush()
  const last = composed.findLastIndex((message) => message.role === role)
  return composed.map((message, at) => (at === last ? { ...message, ...rest } : message))
}

/** The AI SDK 7 sends the answer before the calls of all steps; a model that stopped has nothing to call any more. */
function putAnswerLast(parts: readonly MappedPart[], rest: JsonObject): readonly MappedPart[] {
  const last = parts.at(-1)
  const firstCall = parts.findIndex((part) => 'call' in part)
  const isAnswered = rest.finish_reason === 'stop' && last !== undefined && 'result' in last
  const hasTextBetween = parts.slice(firstCall).some((part) => 'block' in part)
  return isAnswered && !hasTextBetween ? [...parts.slice(firstCall), ...parts.slice(0, firstCall)] : parts
}

function joinBlocks(blocks: readonly (JsonObject | string)[]): unknown {
  const [only] = blocks
  if (blocks.length === 0) return undefined
  if (blocks.length === 1 && typeof only === 'string') return only
  return blocks.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block))
}

/** The instructions beside the messages become their first one, unless they already begin with such a message. */
export function withInstructions(
  messages: readonly Message[],
  instructions: Message[] | undefined,
): readonly Message[] {
  const hasOwn = messages.some(({ role }) => role === 'system' || role === 'developer')
  return instructions === undefined || hasOwn ? messages : [...instructions, ...messages]
}

/** `gen_ai.system_instructions`: a text, a list of texts, or a list of parts. */
export function readInstructions(value: unknown, media: MediaCollector): Message[] | undefined {
  const text = toText(value)
  if (text !== undefined) return [{ role: 'system', content: text }]
  if (!Array.isArray(value) || value.length === 0) return undefined
  return value.every(isMessage)
    ? toMessages(value, media, 'system')
    : toMessage({ role: 'system', content: value }, media)
}

/**
 * Reads an attribute with messages. When an exporter cut its JSON, the complete messages at its beginning are read and the
 * text is kept.
 */
export function readMessages(
  attributes: SpanAttributes,
  key: string,
  media: MediaCollector,
  role = 'user',
): Message[] | undefined {
  const value = attributes.json(key)
  if (typeof value !== 'string') return toMessages(Array.isArray(value) ? value : asList(value), media, role)
  if (value.trim() === '') return undefined
  if (!/^\s*[[{]/.test(value)) return [{ role, content: value }]
  attributes.raw[key] = value
  attributes.raw.truncated_by_exporter = true
  const recovered = recoverElements(value)
  const messages = recovered === undefined ? undefined : toMessages(recovered, media, role)
  attributes.warnings.push(
    `${key} is no complete JSON, or too large. An exporter cuts it at OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT. ` +
      `${messages?.length ?? 0} complete messages were read; the text is in extra.otel.raw.`,
  )
  return messages ?? [{ role, content: value }]
}

function asList(value: unknown): unknown {
  const record = asRecord(value)
  if (record === undefined) return value
  return Array.isArray(record.messages) ? record.messages : isMessage(record) ? [record] : value
}

const ROLE_OF_EVENT: ReadonlyMap<string, string> = new Map([
  ['gen_ai.system.message', 'system'],
  ['gen_ai.user.message', 'user'],
  ['gen_ai.assistant.message', 'assistant'],
  ['gen_ai.tool.message', 'tool'],
  ['gen_ai.choice', 'assistant'],
])

export interface EventMessages {
  readonly inputs: readonly Message[]
  readonly outputs: readonly Message[]
}

/**
 * Messages of events (`gen_ai.user.message`, `gen_ai.choice`, …). Messages of the assistant and of tools are history when a
 * choice follows; otherwise those after the last message of the user are the answer.
 */
export function readEventMessages(
  events: readonly OtlpEvent[],
  media: MediaCollector,
  runType: RunType = 'llm',
): EventMessages {
  const read = events.flatMap((event) => {
    const role = ROLE_OF_EVENT.get(event.name)
    return role === undefined ? [] : toEventMessage(event, role, media).map((message) => ({ event, message }))
  })
  const choices = read.filter(({ event }) => event.name === 'gen_ai.choice')
  const others = read.filter(({ event }) => event.name !== 'gen_ai.choice')
  const list = (entries: typeof read) => entries.map(({ message }) => message)
  // The message of a tool is its call, also when it failed and has no choice.
  if (choices.length > 0 || runType === 'tool') return { inputs: list(others), outputs: list(choices) }
  const lastAsked = others.findLastIndex(({ message }) => message.role === 'user' || message.role === 'system')
  return { inputs: list(others.slice(0, lastAsked + 1)), outputs: list(others.slice(lastAsked + 1)) }
}

/** Whether an event is a message that `readEventMessages` reads. */
export function isMessageEvent({ name }: OtlpEvent): boolean {
  return ROLE_OF_EVENT.has(name)
}

/** The message is in the body of a log record, in `gen_ai.event.content`, or in attributes of its own. */
function toEventMessage(event: OtlpEvent, role: string, media: MediaCollector): Message[] {
  const attributes = new SpanAttributes(event.attributes)
  const whole = readBody(event) ?? asRecord(attributes.json('gen_ai.event.content'))
  const fields = whole ?? {
    ...present({
      content: attributes.json('content') ?? attributes.json('message.content') ?? attributes.json('message'),
      role: attributes.text('role') ?? attributes.text('message.role'),
      id: attributes.text('id'),
      name: attributes.text('name'),
      finish_reason: attributes.text('finish_reason'),
      tool_calls: attributes.list('tool_calls') ?? attributes.tree('tool_calls'),
    }),
  }
  const { tool_calls: calls, ...others } = fields as Record<string, unknown>
  const list = calls ?? asRecord(asRecord(others)?.message)?.tool_calls
  const hasContent = [others.content, others.message, list, others.parts].some((one) => one !== undefined)
  if (!hasContent) return []
  const message = { role, ...others, ...(Array.isArray(list) && { tool_calls: list }) }
  return toMessage(
    typeof others.message === 'string' ? { ...message, message: undefined, content: others.message } : message,
    media,
    role,
  )
}

/** The body of a log record: an object, its JSON, or the content alone as a text. */
export function readBody({ body }: OtlpEvent): JsonObject | undefined {
  const value = typeof body === 'string' ? parseJson(body) : body
  return asRecord(value) ?? (typeof value === 'string' && value !== '' ? { content: value } : undefined)
}

const AI_SDK_FINISH = ['ai.response.finishReason', 'ai.finishReason'] as const

/** The answer of the AI SDK: text, reasoning and tool calls are attributes of their own and one message here. */
export function readAiSdkAnswer(attributes: SpanAttributes): Message[] | undefined {
  const text = attributes.text('ai.response.text')
  const thought = attributes.text('ai.response.reasoning')
  const calls = (attributes.list('ai.response.toolCalls') ?? []).map(toToolCall).filter((call) => call !== undefined)
  const object = firstOf(['ai.response.object', 'ai.result.object'], (key) => attributes.text(key))
  const answer = text ?? attributes.text('ai.result.text') ?? object
  if (answer === undefined && thought === undefined && calls.length === 0) return undefined
  const finish = attributes.firstText(AI_SDK_FINISH)
  const thinking = thought === undefined ? [] : [{ type: 'thinking', thinking: thought }]
  const content = joinBlocks([...thinking, ...(answer === undefined ? [] : [answer])]) ?? null
  return [
    {
      role: 'assistant',
      content,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...present({ finish_reason: finish }),
    },
  ]
}
