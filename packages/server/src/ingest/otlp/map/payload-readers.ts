import type { RunType } from '@touchstone/contract'
import { Digits } from '@touchstone/formats/exact-json'
import { asRecord, memberAt } from '@touchstone/formats/guards'
import type { JsonObject } from '../mapped-span.ts'
import type { OtlpEvent, OtlpSpan } from '../span.ts'
import { firstOf, parseJson, present, SpanAttributes, toText, unquote } from './attributes.ts'
import type { MediaCollector } from './media.ts'
import {
  type Message,
  readBody,
  readEventMessages,
  readInstructions,
  readMessages,
  toMessages,
  withInstructions,
} from './messages.ts'

/** What the readers of inputs and outputs see. */
export interface PayloadContext {
  readonly span: OtlpSpan
  readonly attributes: SpanAttributes
  /** Events of the span, and log records with its ids. */
  readonly events: readonly OtlpEvent[]
  readonly runType: RunType
  readonly media: MediaCollector
}

export const DETAILS_EVENT = 'gen_ai.client.inference.operation.details'

/** Messages without any content are no value: another source may have it. */
export function messages(list: readonly Message[] | undefined): JsonObject | undefined {
  return list?.some(hasContent) ? { messages: list } : undefined
}

const hasContent = ({ content, tool_calls: calls }: Message) =>
  (content !== null && content !== '' && content !== undefined) || calls !== undefined

/** An object as it is; any other value under the key. A text that is empty, and `{}` and `[]`, are no value. */
function wrap(value: unknown, key: string, textKey = key): JsonObject | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return { [textKey]: value }
  if (typeof value !== 'object' || value instanceof Digits) return { [key]: value }
  if (Object.keys(value).length === 0) return undefined
  return asRecord(value) ?? { [key]: value }
}

/** A payload that any program may have sent: messages where it has messages, otherwise as it is. */
function wrapPayload(value: unknown, key: string, { runType, media }: PayloadContext, textKey = key) {
  const isList = Array.isArray(value) && (runType === 'llm' || runType === 'chain')
  return (
    messages(isList ? toMessages(value, media, key === 'input' ? 'user' : 'assistant') : undefined) ??
    wrap(value, key, textKey)
  )
}

export function flattened(key: string, role: string) {
  return ({ attributes, media }: PayloadContext) => {
    return messages(
      toMessages(
        listEntries(attributes.tree(key)).map((entry) => completeEntry(entry, role)),
        media,
        role,
      ),
    )
  }
}

/** The entries of a list; `gen_ai.prompt` also has a name and a version, which are none. */
function listEntries(tree: unknown): unknown[] {
  if (Array.isArray(tree)) return tree
  const numbered = Object.entries(asRecord(tree) ?? {}).filter(([key]) => /^\d+$/.test(key))
  return numbered.sort(([a], [b]) => Number(a) - Number(b)).map(([, entry]) => entry)
}

/** A flattened message may have no role, or no content beside its tool calls. */
function completeEntry(entry: unknown, role: string): unknown {
  const record = asRecord(entry)
  return record === undefined || record.message !== undefined ? entry : { role, content: null, ...record }
}

/** Messages of a call of LangChain, which the flattened ones have without ids of calls and without blocks. */
export function langchainMessages(side: 'input' | 'output') {
  return ({ attributes, media }: PayloadContext): JsonObject | undefined => {
    if (!attributes.has('openinference.span.kind')) return undefined
    const value = attributes.peekJson(`${side}.value`)
    const list = memberAt(value, ...(side === 'input' ? ['messages', '0'] : ['generations', '0']))
    const own = Array.isArray(list) && side === 'output' ? list.map((one: unknown) => memberAt(one, 'message')) : list
    if (!Array.isArray(own) || !own.every((one) => memberAt(one, 'lc') === 1)) return undefined
    attributes.below(`llm.${side}_messages`)
    return messages(toMessages(own, media, side === 'input' ? 'user' : 'assistant'))
  }
}

/** A system prompt that stands beside the messages of the request (OpenInference for Bedrock). */
export function flattenedRequest({ attributes, media, ...context }: PayloadContext): JsonObject | undefined {
  const found = flattened('llm.input_messages', 'user')({ attributes, media, ...context })
  const list = found?.messages as readonly Message[] | undefined
  if (list === undefined) return undefined
  const system = asRecord(attributes.peekJson('input.value'))?.system
  return { messages: withInstructions(list, system === undefined ? undefined : readInstructions(system, media)) }
}

/** Inputs and outputs of spans of Mastra, below the type of the span: `mastra.agent_run.input`. */
export function mastraValue(side: 'input' | 'output') {
  return (context: PayloadContext): JsonObject | undefined => {
    const key = context.attributes.keysThat(side === 'input' ? isMastraInput : isMastraOutput)[0]
    const value = key === undefined ? undefined : context.attributes.json(key)
    // What an agent is asked is the message of a user.
    if (side === 'input' && typeof value === 'string' && key === 'mastra.agent_run.input')
      return messages([{ role: 'user', content: value }])
    return wrapPayload(value, side, context, side === 'output' ? 'text' : side)
  }
}

const isMastraInput = (key: string) => /^mastra\.\w+\.input$/.test(key)
const isMastraOutput = (key: string) => /^mastra\.\w+\.output$/.test(key)

/** What Claude Code was asked, or what a call of its model has more than the one before it; a heading tells which. */
export function claudeCodeInput({ attributes, runType, media }: PayloadContext): JsonObject | undefined {
  if (runType === 'tool') return wrap(parseJson(splitHeading(attributes.text('tool_input')).text), 'input')
  const { heading, text } = splitHeading(attributes.text('user_prompt') ?? attributes.text('new_context'))
  if (text === '' || text === '<REDACTED>') return undefined
  const id = /^TOOL RESULT: (.+)$/.exec(heading)?.[1]
  const asked =
    id === undefined ? { role: 'user', content: text } : { role: 'tool', tool_call_id: id, content: parseJson(text) }
  const list = toMessages([asked], media)
  return list && { messages: withInstructions(list, readInstructions(attributes.get('user_system_prompt'), media)) }
}

/** `[USER]`, `[TOOL INPUT: name]` or `[TOOL RESULT: id]` on a line before the text. */
function splitHeading(given = ''): { readonly heading: string; readonly text: string } {
  const [line = '', heading = ''] = /^\[([A-Z][^\]\n]*)\]\n/.exec(given) ?? []
  return { heading, text: given.slice(line.length) }
}

/** The event of a tool of Claude Code with its result. */
export const CLAUDE_CODE_OUTPUT = 'tool.output'

export function claudeCodeOutput({ attributes, runType, events }: PayloadContext): JsonObject | undefined {
  const event = runType === 'tool' ? events.find(({ name }) => name === CLAUDE_CODE_OUTPUT) : undefined
  if (event !== undefined) return wrap(parseJson(toText(event.attributes.output) ?? ''), 'output')
  const content = attributes.text('response.model_output')
  return content === undefined ? undefined : messages([{ role: 'assistant', content }])
}

/** The call of a model by a component of Haystack, whose messages are members of its input and its output. */
export function haystackCall(keys: readonly string[], side: 'input' | 'output') {
  return ({ attributes, runType, media }: PayloadContext): JsonObject | undefined => {
    if (runType !== 'llm') return undefined
    return firstOf(keys, (key) => {
      const { messages: asked, replies, tools: _, ...others } = asRecord(attributes.json(key)) ?? {}
      const list = side === 'input' ? asked : replies
      const role = side === 'input' ? 'user' : 'assistant'
      const found = messages(toMessages(Array.isArray(list) ? list.map(withoutEmpty) : undefined, media, role))
      return found && { ...found, ...withoutEmpty(others) }
    })
  }
}

/** The members of an object that have a value: Haystack prints `null` and `{}` for all that is not set. */
function withoutEmpty(value: unknown): JsonObject {
  const members = Object.entries(asRecord(value) ?? {})
  const isEmpty = (one: unknown) => one === null || Object.keys(asRecord(one) ?? { one }).length === 0
  return Object.fromEntries(members.filter(([, one]) => !isEmpty(one)))
}

export function anyJson(key: string, wrapKey: string, textKey = wrapKey) {
  return (context: PayloadContext) => {
    const value = context.attributes.json(key)
    return wrapPayload(PRINTS_JSON.test(key) ? unquote(value) : value, wrapKey, context, textKey)
  }
}

/** Attributes whose emitters print every value as JSON, texts too. */
const PRINTS_JSON = /^(ai\.toolCall\.|mlflow\.|genkit:|traceloop\.entity\.|lmnr\.|braintrust\.\w+_json$)/

export function firstJson(keys: readonly string[], wrapKey: string, textKey = wrapKey) {
  return (context: PayloadContext) => firstOf(keys, (key) => anyJson(key, wrapKey, textKey)(context))
}

/** `input.value` and `output.value` are JSON when their type is JSON; without a type, when they are an object. */
export function typedValue(side: 'input' | 'output') {
  return (context: PayloadContext): JsonObject | undefined => {
    const { attributes } = context
    const mimeType = attributes.text(`${side}.mime_type`)
    const text = attributes.get(`${side}.value`)
    const isJson = mimeType === undefined ? typeof text === 'string' && /^\s*\{/.test(text) : /json/i.test(mimeType)
    const value = typeof text === 'string' && isJson ? unquote(attributes.json(`${side}.value`)) : text
    return wrapPayload(value, side, context, side === 'output' ? 'text' : side)
  }
}

export function detailsEvent(key: string, role: string) {
  return ({ events, media, attributes }: PayloadContext) => {
    for (const event of events.filter(({ name }) => name === DETAILS_EVENT)) {
      const own = new SpanAttributes({ ...event.attributes, ...readBody(event) } as OtlpEvent['attributes'])
      const found = readMessages(own, key, media, role)
      attributes.warnings.push(...own.warnings)
      if (found === undefined) continue
      if (role !== 'user') return messages(found)
      return messages(withInstructions(found, readInstructions(own.json('gen_ai.system_instructions'), media)))
    }
    return undefined
  }
}

/** Events of older generations carry the whole prompt or completion as one JSON text. */
export function contentEvent(name: string, key: string, wrapKey: string) {
  return (context: PayloadContext) => {
    const event = context.events.find((one) => one.name === name)
    return event && wrapPayload(new SpanAttributes(event.attributes).json(key), wrapKey, context)
  }
}

export function readArguments(key: string, wrapKey: string) {
  return ({ attributes, runType, span }: PayloadContext) => {
    if (runType !== 'tool') return undefined
    const value = attributes.json(key)
    if (key === 'tool.parameters' && isSchema(value)) return undefined
    // The AI SDK prints results as JSON.
    return wrap(span.scope.name === 'gen_ai' ? unquote(value) : value, wrapKey)
  }
}

/** OpenInference has the definition of the arguments there, as a schema or by name, and the arguments in `input.value`. */
function isSchema(value: unknown): boolean {
  const schema = asRecord(value)
  if (schema?.type === 'object' && asRecord(schema.properties) !== undefined) return true
  const parameters = Object.values(schema ?? {})
  return parameters.length > 0 && parameters.every((one) => SCHEMA_TYPES.has(asRecord(one)?.type))
}

const SCHEMA_TYPES: ReadonlySet<unknown> = new Set([
  ...['string', 'number', 'integer', 'boolean', 'array', 'object', 'null', 'any'],
  ...['image', 'audio'],
])

/** The arguments or the result of a tool whose emitter sends them as the only message. */
export function unwrapToolMessage(payload: JsonObject | undefined, key: 'input' | 'output'): JsonObject | undefined {
  const list = payload?.messages
  const message: unknown = Array.isArray(list) && list.length === 1 ? list[0] : undefined
  const { role, content, tool_calls: calls } = asRecord(message) ?? {}
  const called: unknown = key === 'input' && Array.isArray(calls) && calls.length === 1 ? calls[0] : undefined
  const own = calls === undefined && (role === 'tool' || key === 'output') ? content : undefined
  const value = called === undefined ? (own ?? callOfTool(payload)) : memberAt(called, 'function', 'arguments')
  return wrap(typeof value === 'string' ? parseJson(value) : value, key) ?? payload
}

/** Arguments of a call that is sent with the name of its tool and nothing else (AG2). */
function callOfTool(payload: JsonObject | undefined): unknown {
  const { name, arguments: given, ...others } = payload ?? {}
  return typeof name === 'string' && typeof given === 'string' && Object.keys(others).length === 0 ? given : undefined
}

/** Inputs that are a prompt template with its variables: a plain text stands under the variable that has it. */
export function promptTemplate({ attributes, runType }: PayloadContext): JsonObject | undefined {
  if (runType !== 'prompt') return undefined
  const variables = attributes.object('llm.prompt_template.variables')
  const template = attributes.text('llm.prompt_template.template')
  return variables === undefined ? undefined : { ...variables, ...present({ template }) }
}

export function retrieverQuery({ attributes, runType }: PayloadContext): JsonObject | undefined {
  const query =
    attributes.text('gen_ai.retrieval.query.text') ??
    (runType === 'retriever' ? attributes.text('input.value') : undefined)
  return query === undefined || /^\s*\{/.test(query) ? undefined : { query }
}

export function retrievedDocuments(key: string) {
  return ({ attributes }: PayloadContext): JsonObject | undefined => {
    const list = attributes.list(key) ?? attributes.tree(key)
    return Array.isArray(list) && list.length > 0 ? { documents: list.map(toDocument) } : undefined
  }
}

function toDocument(value: unknown): unknown {
  const outer = asRecord(value)
  const document = asRecord(outer?.document) ?? outer
  if (document === undefined) return value
  const { content, page_content: page, metadata, ...rest } = document
  const parsed = typeof metadata === 'string' ? parseJson(metadata) : metadata
  return {
    page_content: page ?? content ?? '',
    metadata: asRecord(parsed) ?? present({ metadata: parsed }),
    type: 'Document',
    ...rest,
  }
}

export function embeddedTexts({ attributes }: PayloadContext): JsonObject | undefined {
  const tree = attributes.tree('embedding.embeddings')
  const texts = Array.isArray(tree) ? tree.flatMap((one) => toText(asRecord(asRecord(one)?.embedding)?.text) ?? []) : []
  const own =
    attributes.list('ai.values') ?? (attributes.has('ai.value') ? [unquote(attributes.get('ai.value'))] : undefined)
  const list = texts.length > 0 ? texts : own?.map(unquote)
  return list === undefined || list.length === 0 ? undefined : { input: list.length === 1 ? list[0] : list }
}

export function embeddings({ attributes }: PayloadContext): JsonObject | undefined {
  const tree = attributes.tree('embedding.embeddings')
  const vectors = (Array.isArray(tree) ? tree : [])
    .map((one: unknown) => asRecord(asRecord(one)?.embedding)?.vector)
    .filter((vector) => vector !== undefined)
  const own = attributes.list('ai.embeddings') ?? attributes.list('ai.embedding')
  if (vectors.length > 0) return { embeddings: vectors }
  return own === undefined || own.length === 0
    ? undefined
    : { embeddings: attributes.has('ai.embedding') && !attributes.has('ai.embeddings') ? [own] : own }
}

/** Requests of Gemini (Google ADK): contents, and the instruction in their config. */
export function geminiRequest({ attributes, media, runType }: PayloadContext): JsonObject | undefined {
  const request = runType === 'tool' ? undefined : asRecord(attributes.json('gcp.vertex.agent.llm_request'))
  const list = toMessages(request?.contents, media)
  if (request === undefined || list === undefined) return undefined
  const config = asRecord(request.config)
  const instruction = config?.system_instruction ?? config?.systemInstruction
  const parts = asRecord(instruction)?.parts ?? instruction
  const { contents: _, ...rest } = request
  return { messages: withInstructions(list, readInstructions(parts, media)), ...rest }
}

export function geminiResponse({ attributes, media, runType }: PayloadContext): JsonObject | undefined {
  const response = runType === 'tool' ? undefined : asRecord(attributes.json('gcp.vertex.agent.llm_response'))
  const list = response && toMessages([response.content], media, 'assistant')
  if (list === undefined) return undefined
  const { content: _, ...rest } = response ?? {}
  return { messages: list, ...rest }
}

/** All messages of an agent; the answer is those after the last message of the user. */
export function agentMessages(side: 'inputs' | 'outputs') {
  return ({ attributes, media }: PayloadContext): JsonObject | undefined => {
    const all = readMessages(attributes, 'pydantic_ai.all_messages', media)
    if (all === undefined) return undefined
    const last = all.findLastIndex(({ role }) => role === 'user' || role === 'system')
    const instructions = readInstructions(attributes.json('gen_ai.system_instructions'), media)
    return messages(side === 'inputs' ? withInstructions(all.slice(0, last + 1), instructions) : all.slice(last + 1))
  }
}

/** The request and the response of a provider that LiteLLM records as they are: `llm.openai.messages`, `llm.anthropic.content`. */
export function rawCall(names: readonly string[]) {
  return ({ attributes, span }: PayloadContext): JsonObject | undefined => {
    if (span.scope.name !== 'litellm') return undefined
    const entries = attributes.keys.flatMap((key): [string, unknown][] => {
      const name = /^llm\.\w+\.(\w+)$/.exec(key)?.[1]
      return name === undefined || !names.includes(name) ? [] : [[name, attributes.json(key)]]
    })
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
}

/** Values of LiveKit's spans under their last names. */
export function livekit(names: readonly string[]) {
  return ({ attributes }: PayloadContext): JsonObject | undefined => {
    const found = present(Object.fromEntries(names.map((name) => [name, attributes.json(`lk.${name}`)])))
    return Object.keys(found).length === 0 ? undefined : found
  }
}

export function completionTexts(attributes: SpanAttributes): JsonObject | undefined {
  const tree = attributes.tree('llm.choices')
  const texts = Array.isArray(tree)
    ? tree.flatMap((one) => toText(asRecord(asRecord(one)?.completion)?.text) ?? [])
    : []
  return messages(texts.map((content) => ({ role: 'assistant', content })))
}

/** Events as an attribute: each has the name of its event beside the members of its message. */
export function readListedEvents(attributes: SpanAttributes, media: MediaCollector) {
  const list = attributes.list('events') ?? []
  const events = list.flatMap((one): OtlpEvent[] => {
    const { 'event.name': name, 'gen_ai.system': _, ...body } = asRecord(one) ?? {}
    return typeof name === 'string' ? [{ name, timeNano: 0n, attributes: {}, body: body as OtlpEvent['body'] }] : []
  })
  return readEventMessages(events, media)
}
