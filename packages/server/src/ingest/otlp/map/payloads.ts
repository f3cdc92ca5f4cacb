import type { RunType } from '@touchstone/contract'
import { asRecord } from '../../../json/guards.ts'
import type { JsonObject } from '../mapped-span.ts'
import type { OtlpEvent, OtlpSpan } from '../span.ts'
import { firstOf, parseJson, present, SpanAttributes, toText } from './attributes.ts'
import type { MediaCollector } from './media.ts'
import {
  type Message,
  readAiSdkAnswer,
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

/** One row of the mapping: attributes or events, and how they become the inputs or outputs of a run. */
export interface PayloadSource {
  readonly attributes: readonly string[]
  /** Who sends them. */
  readonly emitter: string
  readonly read: (context: PayloadContext) => JsonObject | undefined
}

const DETAILS_EVENT = 'gen_ai.client.inference.operation.details'

/** Messages without any content are no value: another source may have it. */
function messages(list: readonly Message[] | undefined): JsonObject | undefined {
  return list?.some(hasContent) ? { messages: list } : undefined
}

const hasContent = ({ content, tool_calls: calls }: Message) =>
  (content !== null && content !== '' && content !== undefined) || calls !== undefined

/** An object as it is; any other value under the key. A text that is empty, and `{}` and `[]`, are no value. */
function wrap(value: unknown, key: string, textKey = key): JsonObject | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return { [textKey]: value }
  if (typeof value !== 'object') return { [key]: value }
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

function flattened(key: string, role: string) {
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

function anyJson(key: string, wrapKey: string, textKey = wrapKey) {
  return (context: PayloadContext) => {
    const value = context.attributes.json(key)
    return wrapPayload(PRINTS_JSON.test(key) ? unquote(value) : value, wrapKey, context, textKey)
  }
}

/** Attributes whose emitters print every value as JSON, texts too. */
const PRINTS_JSON = /^(ai\.toolCall\.|mlflow\.|genkit:)/

function firstJson(keys: readonly string[], wrapKey: string, textKey = wrapKey) {
  return (context: PayloadContext) => firstOf(keys, (key) => anyJson(key, wrapKey, textKey)(context))
}

/** `input.value` and `output.value` are JSON when their type is JSON; without a type, when they are an object. */
function typedValue(side: 'input' | 'output') {
  return (context: PayloadContext): JsonObject | undefined => {
    const { attributes } = context
    const mimeType = attributes.text(`${side}.mime_type`)
    const text = attributes.get(`${side}.value`)
    const isJson = mimeType === undefined ? typeof text === 'string' && /^\s*\{/.test(text) : /json/i.test(mimeType)
    const value = typeof text === 'string' && isJson ? attributes.json(`${side}.value`) : text
    return wrapPayload(value, side, context, side === 'output' ? 'text' : side)
  }
}

function detailsEvent(key: string, role: string) {
  return ({ events, media, attributes }: PayloadContext) => {
    for (const event of events.filter(({ name }) => name === DETAILS_EVENT)) {
      const own = new SpanAttributes({ ...event.attributes, ...asRecord(event.body) } as OtlpEvent['attributes'])
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
function contentEvent(name: string, key: string, wrapKey: string) {
  return (context: PayloadContext) => {
    const event = context.events.find((one) => one.name === name)
    return event && wrapPayload(new SpanAttributes(event.attributes).json(key), wrapKey, context)
  }
}

function readArguments(key: string, wrapKey: string) {
  return ({ attributes, runType, span }: PayloadContext) => {
    if (runType !== 'tool') return undefined
    const value = attributes.json(key)
    // The AI SDK prints results as JSON.
    return wrap(span.scope.name === 'gen_ai' ? unquote(value) : value, wrapKey)
  }
}

/** Inputs that are a prompt template with its variables: a plain text stands under the variable that has it. */
function promptTemplate({ attributes, runType }: PayloadContext): JsonObject | undefined {
  if (runType !== 'prompt') return undefined
  const variables = attributes.object('llm.prompt_template.variables')
  const template = attributes.text('llm.prompt_template.template')
  return variables === undefined ? undefined : { ...variables, ...present({ template }) }
}

function retrieverQuery({ attributes, runType }: PayloadContext): JsonObject | undefined {
  const query =
    attributes.text('gen_ai.retrieval.query.text') ??
    (runType === 'retriever' ? attributes.text('input.value') : undefined)
  return query === undefined || /^\s*\{/.test(query) ? undefined : { query }
}

function retrievedDocuments(key: string) {
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
  const parsed = typeof metadata === 'string' ? parseJson(metadata).value : metadata
  return {
    page_content: page ?? content ?? '',
    metadata: asRecord(parsed) ?? present({ metadata: parsed }),
    type: 'Document',
    ...rest,
  }
}

function embeddedTexts({ attributes }: PayloadContext): JsonObject | undefined {
  const tree = attributes.tree('embedding.embeddings')
  const texts = Array.isArray(tree) ? tree.flatMap((one) => toText(asRecord(asRecord(one)?.embedding)?.text) ?? []) : []
  const own =
    attributes.list('ai.values') ?? (attributes.has('ai.value') ? [unquote(attributes.get('ai.value'))] : undefined)
  const list = texts.length > 0 ? texts : own?.map(unquote)
  return list === undefined || list.length === 0 ? undefined : { input: list.length === 1 ? list[0] : list }
}

/** The text of a JSON string; another value as it is. */
function unquote(value: unknown): unknown {
  if (typeof value !== 'string' || !/^".*"$/s.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function embeddings({ attributes }: PayloadContext): JsonObject | undefined {
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
function geminiRequest({ attributes, media, runType }: PayloadContext): JsonObject | undefined {
  const request = runType === 'tool' ? undefined : asRecord(attributes.json('gcp.vertex.agent.llm_request'))
  const list = toMessages(request?.contents, media)
  if (request === undefined || list === undefined) return undefined
  const config = asRecord(request.config)
  const instruction = config?.system_instruction ?? config?.systemInstruction
  const parts = asRecord(instruction)?.parts ?? instruction
  const { contents: _, ...rest } = request
  return { messages: withInstructions(list, readInstructions(parts, media)), ...rest }
}

function geminiResponse({ attributes, media, runType }: PayloadContext): JsonObject | undefined {
  const response = runType === 'tool' ? undefined : asRecord(attributes.json('gcp.vertex.agent.llm_response'))
  const list = response && toMessages([response.content], media, 'assistant')
  if (list === undefined) return undefined
  const { content: _, ...rest } = response ?? {}
  return { messages: list, ...rest }
}

/** All messages of an agent; the answer is those after the last message of the user. */
function agentMessages(side: 'inputs' | 'outputs') {
  return ({ attributes, media }: PayloadContext): JsonObject | undefined => {
    const all = readMessages(attributes, 'pydantic_ai.all_messages', media)
    if (all === undefined) return undefined
    const last = all.findLastIndex(({ role }) => role === 'user' || role === 'system')
    const instructions = readInstructions(attributes.json('gen_ai.system_instructions'), media)
    return messages(side === 'inputs' ? withInstructions(all.slice(0, last + 1), instructions) : all.slice(last + 1))
  }
}

/** Values of LiveKit's spans under their last names. */
function livekit(names: readonly string[]) {
  return ({ attributes }: PayloadContext): JsonObject | undefined => {
    const found = present(Object.fromEntries(names.map((name) => [name, attributes.json(`lk.${name}`)])))
    return Object.keys(found).length === 0 ? undefined : found
  }
}

const LIVEKIT_INPUTS = [
  'chat_ctx',
  'user_input',
  'input_text',
  'instructions',
  'function_tool.arguments',
  'user_transcript',
]
const LIVEKIT_OUTPUTS = ['response.text', 'response.function_calls', 'function_tool.output']

/** The first row that finds a value gives the inputs. */
export const INPUT_SOURCES: readonly PayloadSource[] = [
  {
    attributes: [`event ${DETAILS_EVENT}: gen_ai.input.messages`],
    emitter: 'GenAI since 1.37, as an event or a log record',
    read: detailsEvent('gen_ai.input.messages', 'user'),
  },
  {
    attributes: ['gen_ai.input.messages'],
    emitter: 'GenAI since 1.37, Pydantic AI, OpenLLMetry, AI SDK 7',
    read: ({ attributes, media }) => messages(readMessages(attributes, 'gen_ai.input.messages', media)),
  },
  { attributes: ['gen_ai.prompt.{n}.*'], emitter: 'OpenLLMetry before 0.5', read: flattened('gen_ai.prompt', 'user') },
  {
    attributes: ['llm.prompt_template.variables', 'llm.prompt_template.template'],
    emitter: 'OpenInference, runs of type prompt',
    read: promptTemplate,
  },
  {
    attributes: ['gen_ai.retrieval.query.text', 'input.value'],
    emitter: 'GenAI retrieval, OpenInference retriever',
    read: retrieverQuery,
  },
  {
    attributes: ['llm.input_messages.{n}.message.*'],
    emitter: 'OpenInference',
    read: flattened('llm.input_messages', 'user'),
  },
  {
    attributes: ['ai.prompt.messages'],
    emitter: 'AI SDK 4 to 6, calls of models',
    read: ({ attributes, media }) => messages(readMessages(attributes, 'ai.prompt.messages', media)),
  },
  { attributes: ['ai.prompt'], emitter: 'AI SDK 4 to 6, outer spans', read: anyJson('ai.prompt', 'input') },
  {
    attributes: ['event gen_ai.content.prompt: gen_ai.prompt'],
    emitter: 'GenAI 1.27',
    read: contentEvent('gen_ai.content.prompt', 'gen_ai.prompt', 'input'),
  },
  {
    attributes: ['events gen_ai.system.message, gen_ai.user.message, gen_ai.assistant.message, gen_ai.tool.message'],
    emitter: 'GenAI 1.28 to 1.36, as events or log records',
    read: ({ events, media }) => messages(readEventMessages(events, media).inputs),
  },
  {
    attributes: ['gen_ai.tool.call.arguments'],
    emitter: 'GenAI tools',
    read: readArguments('gen_ai.tool.call.arguments', 'input'),
  },
  {
    attributes: ['ai.toolCall.input', 'ai.toolCall.args'],
    emitter: 'AI SDK tools',
    read: firstJson(['ai.toolCall.input', 'ai.toolCall.args'], 'input'),
  },
  {
    attributes: ['tool_arguments', 'tool.parameters', 'gcp.vertex.agent.tool_call_args', 'mcp.request.argument'],
    emitter: 'Pydantic AI before v3, OpenInference, Google ADK, MCP',
    read: (context) =>
      firstOf(['tool_arguments', 'tool.parameters', 'gcp.vertex.agent.tool_call_args', 'mcp.request.argument'], (key) =>
        readArguments(key, 'input')(context),
      ),
  },
  {
    attributes: ['embedding.embeddings.{n}.embedding.text', 'ai.values', 'ai.value'],
    emitter: 'OpenInference and AI SDK embeddings',
    read: embeddedTexts,
  },
  {
    attributes: ['langfuse.observation.input', 'langfuse.trace.input'],
    emitter: 'Langfuse',
    read: firstJson(['langfuse.observation.input', 'langfuse.trace.input'], 'input'),
  },
  { attributes: ['input.value', 'input.mime_type'], emitter: 'OpenInference', read: typedValue('input') },
  {
    attributes: ['traceloop.entity.input'],
    emitter: 'OpenLLMetry workflows and tasks',
    read: anyJson('traceloop.entity.input', 'input'),
  },
  { attributes: ['mlflow.spanInputs'], emitter: 'MLflow', read: anyJson('mlflow.spanInputs', 'input') },
  { attributes: ['gcp.vertex.agent.llm_request'], emitter: 'Google ADK', read: geminiRequest },
  { attributes: ['genkit:input'], emitter: 'Genkit', read: anyJson('genkit:input', 'input') },
  {
    attributes: ['pydantic_ai.all_messages'],
    emitter: 'Pydantic AI agents: up to the last message of the user',
    read: agentMessages('inputs'),
  },
  {
    attributes: ['gen_ai.prompt'],
    emitter: 'LangSmith exporters, the complete inputs',
    read: anyJson('gen_ai.prompt', 'input'),
  },
  { attributes: ['prompt'], emitter: 'Logfire', read: anyJson('prompt', 'input') },
  { attributes: LIVEKIT_INPUTS.map((name) => `lk.${name}`), emitter: 'LiveKit agents', read: livekit(LIVEKIT_INPUTS) },
  {
    attributes: ['gen_ai.task.input', 'input', 'request_data'],
    emitter: 'agents of OpenLLMetry, Logfire',
    read: firstJson(['gen_ai.task.input', 'input', 'request_data'], 'input'),
  },
  {
    attributes: ['events'],
    emitter: 'Pydantic AI before v2: a list of events',
    read: ({ attributes, media }) => messages(readListedEvents(attributes, media).inputs),
  },
  {
    attributes: ['gen_ai.system_instructions'],
    emitter: 'alone: the only message',
    read: ({ attributes, media }) => messages(readInstructions(attributes.json('gen_ai.system_instructions'), media)),
  },
]

/** The first row that finds a value gives the outputs. */
export const OUTPUT_SOURCES: readonly PayloadSource[] = [
  {
    attributes: [`event ${DETAILS_EVENT}: gen_ai.output.messages`],
    emitter: 'GenAI since 1.37, as an event or a log record',
    read: detailsEvent('gen_ai.output.messages', 'assistant'),
  },
  {
    attributes: ['gen_ai.output.messages'],
    emitter: 'GenAI since 1.37, Pydantic AI, OpenLLMetry, AI SDK 7',
    read: ({ attributes, media }) => messages(readMessages(attributes, 'gen_ai.output.messages', media, 'assistant')),
  },
  {
    attributes: ['gen_ai.completion.{n}.*'],
    emitter: 'OpenLLMetry before 0.5',
    read: flattened('gen_ai.completion', 'assistant'),
  },
  {
    attributes: ['llm.output_messages.{n}.message.*'],
    emitter: 'OpenInference',
    read: flattened('llm.output_messages', 'assistant'),
  },
  {
    attributes: ['llm.choices.{n}.completion.text'],
    emitter: 'OpenInference completions',
    read: ({ attributes }) => completionTexts(attributes),
  },
  {
    attributes: [
      'ai.response.text',
      'ai.response.reasoning',
      'ai.response.toolCalls',
      'ai.response.object',
      'ai.result.text',
      'ai.result.object',
    ],
    emitter: 'AI SDK 4 to 6: one message of the assistant',
    read: ({ attributes }) => messages(readAiSdkAnswer(attributes)),
  },
  {
    attributes: ['event gen_ai.content.completion: gen_ai.completion'],
    emitter: 'GenAI 1.27',
    read: contentEvent('gen_ai.content.completion', 'gen_ai.completion', 'output'),
  },
  {
    attributes: ['event gen_ai.choice'],
    emitter: 'GenAI 1.28 to 1.36, as events or log records',
    read: ({ events, media }) => messages(readEventMessages(events, media).outputs),
  },
  {
    attributes: ['gen_ai.tool.call.result'],
    emitter: 'GenAI tools',
    read: readArguments('gen_ai.tool.call.result', 'output'),
  },
  {
    attributes: ['ai.toolCall.output', 'ai.toolCall.result'],
    emitter: 'AI SDK tools',
    read: firstJson(['ai.toolCall.output', 'ai.toolCall.result'], 'output'),
  },
  {
    attributes: ['tool_response', 'gcp.vertex.agent.tool_response', 'mcp.response.value'],
    emitter: 'Pydantic AI before v3, Google ADK, MCP',
    read: (context) =>
      firstOf(['tool_response', 'gcp.vertex.agent.tool_response', 'mcp.response.value'], (key) =>
        readArguments(key, 'output')(context),
      ),
  },
  {
    attributes: [
      'gen_ai.retrieval.documents',
      'retrieval.documents.{n}.document.*',
      'reranker.output_documents.{n}.document.*',
    ],
    emitter: 'GenAI retrieval, OpenInference',
    read: (context) =>
      firstOf(['gen_ai.retrieval.documents', 'retrieval.documents', 'reranker.output_documents'], (key) =>
        retrievedDocuments(key)(context),
      ),
  },
  {
    attributes: ['embedding.embeddings.{n}.embedding.vector', 'ai.embeddings', 'ai.embedding'],
    emitter: 'OpenInference and AI SDK embeddings',
    read: embeddings,
  },
  {
    attributes: ['langfuse.observation.output', 'langfuse.trace.output'],
    emitter: 'Langfuse',
    read: firstJson(['langfuse.observation.output', 'langfuse.trace.output'], 'output'),
  },
  { attributes: ['output.value', 'output.mime_type'], emitter: 'OpenInference', read: typedValue('output') },
  {
    attributes: ['traceloop.entity.output'],
    emitter: 'OpenLLMetry workflows and tasks',
    read: anyJson('traceloop.entity.output', 'output', 'text'),
  },
  { attributes: ['mlflow.spanOutputs'], emitter: 'MLflow', read: anyJson('mlflow.spanOutputs', 'output') },
  { attributes: ['gcp.vertex.agent.llm_response'], emitter: 'Google ADK', read: geminiResponse },
  { attributes: ['genkit:output'], emitter: 'Genkit', read: anyJson('genkit:output', 'output') },
  { attributes: ['final_result'], emitter: 'Pydantic AI agents', read: anyJson('final_result', 'output') },
  {
    attributes: ['pydantic_ai.all_messages'],
    emitter: 'Pydantic AI agents: after the last message of the user',
    read: agentMessages('outputs'),
  },
  {
    attributes: ['gen_ai.completion'],
    emitter: 'LangSmith exporters, the complete outputs',
    read: anyJson('gen_ai.completion', 'output', 'text'),
  },
  {
    attributes: LIVEKIT_OUTPUTS.map((name) => `lk.${name}`),
    emitter: 'LiveKit agents',
    read: livekit(LIVEKIT_OUTPUTS),
  },
  {
    attributes: ['all_messages_events', 'gen_ai.task.output', 'output', 'response_data'],
    emitter: 'Pydantic AI before v2, agents of OpenLLMetry, Logfire',
    read: firstJson(['all_messages_events', 'gen_ai.task.output', 'output', 'response_data'], 'output', 'text'),
  },
  {
    attributes: ['events'],
    emitter: 'Pydantic AI before v2: its choice',
    read: ({ attributes, media }) => messages(readListedEvents(attributes, media).outputs),
  },
]

function completionTexts(attributes: SpanAttributes): JsonObject | undefined {
  const tree = attributes.tree('llm.choices')
  const texts = Array.isArray(tree)
    ? tree.flatMap((one) => toText(asRecord(asRecord(one)?.completion)?.text) ?? [])
    : []
  return messages(texts.map((content) => ({ role: 'assistant', content })))
}

/** Events as an attribute: each has the name of its event beside the members of its message. */
function readListedEvents(attributes: SpanAttributes, media: MediaCollector) {
  const list = attributes.list('events') ?? []
  const events = list.flatMap((one): OtlpEvent[] => {
    const { 'event.name': name, 'gen_ai.system': _, ...body } = asRecord(one) ?? {}
    return typeof name === 'string' ? [{ name, timeNano: 0n, attributes: {}, body: body as OtlpEvent['body'] }] : []
  })
  return readEventMessages(events, media)
}

/** Reads inputs and outputs by the tables above; instructions beside the messages become their first one. */
export function readPayloads(context: PayloadContext): {
  inputs: JsonObject | undefined
  outputs: JsonObject | undefined
} {
  const inputs = firstOf(INPUT_SOURCES, ({ read }) => context.attributes.attempt(() => read(context)))
  const outputs = firstOf(OUTPUT_SOURCES, ({ read }) => context.attributes.attempt(() => read(context)))
  // An emitter that sends both generations repeats itself in the older one.
  if (context.attributes.has('gen_ai.input.messages')) context.attributes.below('gen_ai.prompt')
  if (context.attributes.has('gen_ai.output.messages')) context.attributes.below('gen_ai.completion')
  const instructions = readInstructions(context.attributes.json('gen_ai.system_instructions'), context.media)
  const list = inputs?.messages
  if (!Array.isArray(list) || instructions === undefined) return { inputs, outputs }
  return { inputs: { ...inputs, messages: withInstructions(list as Message[], instructions) }, outputs }
}
