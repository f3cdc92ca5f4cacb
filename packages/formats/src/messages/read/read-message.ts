import { asList, asRecord, asText, isRecord, type JsonRecord } from '../../json/guards.ts'
import type { Citation, Message, Part, ReasoningPart, Signer, ToolCall } from '../model.ts'
import { isKnownRole, isLangChainType, toRole } from '../roles.ts'
import { readAutogen, readToolResponses } from './autogen.ts'
import { readCitations, readGrounding } from './citations.ts'
import { findRest, firstWord, present } from './fields.ts'
import { joinGeminiCalls } from './gemini-calls.ts'
import { readMedia } from './media.ts'
import { OPENAI_RESPONSES } from './providers.ts'
import { readParts } from './read-parts.ts'
import { openKernelMessage } from './semantic-kernel.ts'
import { readToolCall, readToolResult } from './tools.ts'

/**
 * Reads a message of any format: role and content, LangChain (serialized, stored, flat, or a pair), Gemini, Bedrock,
 * OpenInference, Cohere, Ollama, AutoGen, Semantic Kernel.
 *
 * @returns undefined when the value is no message
 */
export function readMessage(value: unknown): Message | undefined {
  const pair = asList(value)
  if (pair) return readPair(pair)
  const object = asRecord(value)
  if (!object) return undefined
  if (object.lc === 1 && asList(object.id)) return readSerialized(object)
  const { type, role } = object
  const stored = asRecord(object.data)
  if (stored && 'content' in stored && isLangChainType(type) && typeof role !== 'string')
    return compose(toOwnRole(type, stored), stored)
  const wrapped = asRecord(object.message)
  if (wrapped && hasContent(wrapped) && (typeof role === 'string' || isOnly(object, 'message'))) {
    const own = { role, ...omitMessage(object), ...wrapped }
    return typeof own.role === 'string' ? compose(own.role, own) : undefined
  }
  if (typeof role === 'string') return hasContent(object) ? compose(role, object) : undefined
  const ofAgent = readAutogen(object)
  if (ofAgent !== undefined) return ofAgent
  const ofKernel = openKernelMessage(object)
  if (ofKernel !== undefined) return hasContent(ofKernel.fields) ? compose(ofKernel.role, ofKernel.fields) : undefined
  if (isLangChainType(type) && 'content' in object) return compose(toOwnRole(type, object), object)
  return Array.isArray(object.parts) && hasBlock(object.parts) ? compose('user', object) : undefined
}

/** Reads a list of messages, also one inside another list. Returns undefined unless every entry is a message. */
export function readMessages(value: unknown): Message[] | undefined {
  const list = asList(value)
  if (!list || list.length === 0) return undefined
  const inner = list.length === 1 && !readMessage(list[0]) ? asList(list[0]) : undefined
  const messages = (inner ?? list).map(readMessage)
  return messages.length > 0 && messages.every((message) => message !== undefined) ? messages : undefined
}

/** Whether a value is a LangChain message rather than plain role and content. */
export function isLangChainMessage(value: unknown): boolean {
  const object = asRecord(value)
  return object?.lc === 1 || (object !== undefined && typeof object.role !== 'string' && isLangChainType(object.type))
}

const BODIES = ['content', 'parts', 'contents', 'blocks']
/** Version 1 of Cohere has the text in `message`; Semantic Kernel has `items`, as applications do. */
const CONTENTS = [...BODIES, 'message', 'items']
const CALLS = ['tool_calls', 'toolCalls', 'function_call', 'function_call_name']

/** A message may consist of calls only. */
function hasContent(object: JsonRecord): boolean {
  if ([...BODIES, ...CALLS].some((name) => name in object) || typeof object.message === 'string') return true
  return Array.isArray(object.items) && hasBlock(object.items)
}

function isOnly(object: JsonRecord, name: string): boolean {
  return Object.keys(object).every((key) => key === name)
}

/** Whether a list has a block of a known form, so that it is content and no list of the application. */
function hasBlock(list: readonly unknown[]): boolean {
  return readParts(list.slice(0, 10)).some(({ kind, raw }) => kind !== 'unknown' && raw !== undefined)
}

function omitMessage({ message: _message, ...others }: JsonRecord): JsonRecord {
  return others
}

/** A LangChain message of kind `chat` contains its role. */
function toOwnRole(kind: string, fields: JsonRecord): string {
  const own = kind === 'chat' || kind.startsWith('ChatMessage') ? asText(fields.role) : undefined
  return own ?? kind
}

function readSerialized(object: JsonRecord): Message | undefined {
  const name = asText(asList(object.id)?.at(-1))
  const kwargs = asRecord(object.kwargs)
  if (!kwargs || !name?.match(/Message(Chunk)?$/)) return undefined
  return compose(toOwnRole(name, kwargs), kwargs)
}

function readPair([role, content, ...others]: readonly unknown[]): Message | undefined {
  if (typeof role !== 'string' || others.length > 0 || content === undefined) return undefined
  return isKnownRole(role) || role === 'placeholder' ? { role: toRole(role), parts: readParts(content) } : undefined
}

/** Members that are read into parts. */
const READ = [
  ...['role', 'type', 'name', 'lc', 'refusal', 'additional_kwargs', ...CONTENTS],
  ...[
    'reasoning_content',
    'reasoning',
    'reasoning_signature',
    'reasoning_signed_by',
    'thinking',
    'tool_plan',
    'images',
    'audio',
    'annotations',
  ],
  ...['citations', 'tool_calls', 'toolCalls', 'invalid_tool_calls', 'function_call'],
  ...['function_call_name', 'function_call_arguments_json', 'tool_responses'],
]

function compose(given: string, fields: JsonRecord): Message {
  const role = toRole(given)
  const extra = asRecord(fields.additional_kwargs) ?? {}
  const name = asText(fields.name)
  const content = readContent(fields)
  const isTool = role === 'tool'
  const parts = isTool ? toResults(fields, content) : [...readThoughts(fields, extra), ...content]
  const rest = readRest(fields, extra, isTool)
  return {
    role,
    // Elsewhere the name of a message of a tool is that of the tool.
    ...(name !== undefined && (!isTool || 'tool_responses' in fields) && { name }),
    parts: [
      ...parts,
      ...readRefusal(fields, extra),
      ...(isTool ? [] : readCalls(fields, extra, parts)),
      ...readOtherMedia(fields, extra),
      ...readSources(fields),
    ],
    ...(rest !== undefined && { rest }),
  }
}

/** Content is in one of these members. A value that is no content, such as a number, is kept as it is. */
function readContent(fields: JsonRecord): readonly Part[] {
  // The AI SDK has an empty content beside the parts.
  const name = CONTENTS.find((one) => fields[one] != null && fields[one] !== '')
  const value = name === undefined ? undefined : fields[name]
  if (name === 'message' && typeof value !== 'string') return []
  return readParts(name === 'parts' && Array.isArray(value) ? joinGeminiCalls(value) : value)
}

/** The content of a message of a tool is a result, unless it has results already. */
function toResults(fields: JsonRecord, content: readonly Part[]): readonly Part[] {
  if (content.some(({ kind }) => kind === 'tool_result')) return content
  const responses = readToolResponses(fields)
  if (responses !== undefined) return responses
  const { id: messageId, tool_call_id: id, toolCallId, name, status, is_error } = fields
  const result = readToolResult({ tool_call_id: id ?? toolCallId ?? messageId, name, status, is_error }, readParts)
  const { raw: _raw, rest: _rest, ...known } = result
  return [{ ...known, parts: content }]
}

function readThoughts(fields: JsonRecord, extra: JsonRecord): ReasoningPart[] {
  const names = ['reasoning_content', 'reasoning', 'thinking', 'tool_plan']
  const text = firstWord(fields, names) ?? firstWord(extra, names)
  const signature = firstWord(fields, ['reasoning_signature']) ?? firstWord(extra, ['reasoning_signature'])
  const signer = fields.reasoning_signed_by ?? extra.reasoning_signed_by
  const signedBy = SIGNERS.find((one) => one === signer)
  if (text === undefined && signedBy === undefined) return []
  const isHidden = text === undefined && { isHidden: true as const }
  return [{ kind: 'reasoning', text: text ?? '', ...isHidden, ...present({ signature, signedBy }) }]
}

const SIGNERS: readonly Signer[] = ['anthropic', 'gemini', 'openai']

function readRefusal(fields: JsonRecord, extra: JsonRecord): Part[] {
  const text = firstWord(fields, ['refusal']) ?? firstWord(extra, ['refusal'])
  return text === undefined ? [] : [{ kind: 'refusal', text }]
}

/** LangChain stores a call twice: as a block of the content and in a list. */
function readCalls(fields: JsonRecord, extra: JsonRecord, parts: readonly Part[]): readonly Part[] {
  const known = new Set(parts.flatMap((part) => (part.kind === 'tool_call' ? [part.id ?? part.name] : [])))
  const listed = [fields.tool_calls, fields.toolCalls, extra.tool_calls]
    .map(asList)
    .find((list) => list && list.length > 0)
  const recorded = [...(listed ?? []), ...(asList(fields.invalid_tool_calls) ?? [])].map(
    (value): Part => readToolCall(value) ?? { kind: 'unknown', value, ...present({ raw: asRecord(value) }) },
  )
  const calls = listed === undefined ? [...readFunctionCall(fields, extra), ...recorded] : recorded
  return calls.filter((part) => part.kind !== 'tool_call' || !known.has(part.id ?? part.name))
}

/** The format of OpenAI before there were tools, and that of OpenInference. */
function readFunctionCall(fields: JsonRecord, extra: JsonRecord): ToolCall[] {
  const { function_call_name: name, function_call_arguments_json: text } = fields
  const given = typeof name === 'string' ? { name, arguments: text } : (fields.function_call ?? extra.function_call)
  const call = readToolCall(given, { isFunctionCall: true })
  return call === undefined ? [] : [call]
}

/** Images beside the text of Ollama, and the voice of OpenAI's answer. */
function readOtherMedia(fields: JsonRecord, extra: JsonRecord): readonly Part[] {
  const images = (asList(fields.images) ?? []).flatMap((image) =>
    typeof image === 'string' ? (readMedia('image')({ data: image }, readParts) ?? []) : readParts(image),
  )
  const voice = asRecord(fields.audio) ?? asRecord(extra.audio)
  return [
    ...images,
    ...(voice === undefined ? [] : (readMedia('audio')({ type: 'audio', audio: voice }, readParts) ?? [])),
  ]
}

/** Annotations of OpenAI, citations of Cohere and sources of Gemini are beside the text. */
function readSources(fields: JsonRecord): readonly Part[] {
  const sources: readonly Citation[] = [
    ...readCitations(fields.annotations),
    ...readCitations(fields.citations),
    ...readGrounding(fields),
  ]
  return sources.length === 0 ? [] : [{ kind: 'sources', sources }]
}

function readRest(fields: JsonRecord, extra: JsonRecord, isTool: boolean): JsonRecord | undefined {
  const results = isTool ? ['tool_call_id', 'toolCallId', ...(fields.tool_call_id == null ? ['id'] : [])] : []
  const rest = findRest(fields, [...READ, ...results])
  const more = findRest(extra, [
    'tool_calls',
    'function_call',
    'reasoning_content',
    'reasoning_signature',
    'reasoning_signed_by',
    'refusal',
    'audio',
  ])
  if (more === undefined) return rest
  return { ...rest, additional_kwargs: more }
}

/** Items of OpenAI's responses without a role. */
const ITEMS: ReadonlySet<string> = new Set([
  ...Object.keys(OPENAI_RESPONSES).filter((type) => /_call(_output)?$/.test(type)),
  ...['reasoning', 'item_reference', 'mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response'],
])

/** Whether a value is an item of OpenAI's responses: a message, reasoning, a call or a result. */
export function isResponseItem(value: unknown): value is JsonRecord {
  if (!isRecord(value) || typeof value.type !== 'string') return false
  if (value.type === 'message') return typeof value.role === 'string' && 'content' in value
  return value.role === undefined && ITEMS.has(value.type)
}

/** Reads an item of OpenAI's responses. */
export function readResponseItem(item: unknown): Message {
  const object = asRecord(item)
  if (object?.role !== undefined) return readMessage(object) ?? { role: 'user', parts: readParts(object) }
  const type = asText(object?.type) ?? ''
  return { role: type.endsWith('_output') ? 'tool' : 'assistant', parts: readParts(item) }
}

/** Reads a message of any format, or an item of OpenAI's responses. */
export function readMessageOrItem(value: unknown): Message | undefined {
  return readMessage(value) ?? (isResponseItem(value) ? readResponseItem(value) : undefined)
}
