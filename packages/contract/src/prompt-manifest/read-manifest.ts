import { listVariables, TEMPLATE_FORMATS, type TemplateFormat } from './template.ts'

/** A manifest as people read and edit it. */
export interface PromptDocument {
  /** A chat has messages; a text has one template, under the role `prompt`. */
  readonly kind: 'chat' | 'text'
  /** Class of the prompt, e.g. `ChatPromptTemplate`. */
  readonly type: string
  readonly messages: readonly PromptMessage[]
  /** What a caller must give, in the order of the messages. Values that the prompt has itself are in `partials`. */
  readonly variables: readonly string[]
  readonly partials: Readonly<Record<string, unknown>>
  /** JSON Schema of the output. */
  readonly schema: unknown
  /** How the schema is used, e.g. `{method: 'json_schema', strict: true}`. */
  readonly schemaOptions: Readonly<Record<string, unknown>>
  readonly model: PromptModel | undefined
  readonly tools: readonly PromptTool[]
  /** What the prompt adds to the metadata of its runs. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Names of parts that are only in the manifest, e.g. steps between prompt and model. */
  readonly unread: readonly string[]
}

export type PromptMessage = WrittenMessage | MessagePlaceholder | UnknownMessage

export interface WrittenMessage {
  readonly kind: 'message'
  /** `system`, `user`, `assistant`, `tool`, `prompt`, or what the prompt names. */
  readonly role: string
  readonly parts: readonly PromptPart[]
  /** Undefined for a message without a template, whose braces are text. */
  readonly format: TemplateFormat | undefined
  /** Calls of an assistant's message, as they are stored. */
  readonly toolCalls: readonly unknown[]
}

/** A place for a list of messages. */
export interface MessagePlaceholder {
  readonly kind: 'placeholder'
  readonly variable: string
  readonly isOptional: boolean
}

/** A message that is shown as it is stored. */
export interface UnknownMessage {
  readonly kind: 'unknown'
  readonly type: string
  readonly value: unknown
}

export type PromptPart =
  | { readonly kind: 'text'; readonly text: string }
  /** An image: an address or a template of one. */
  | { readonly kind: 'image'; readonly text: string }
  | { readonly kind: 'unknown'; readonly value: unknown }

export interface PromptModel {
  /** Class, e.g. `ChatOpenAI`. */
  readonly provider: string
  /** Name of the model, e.g. `gpt-5`. */
  readonly name: string | undefined
  /** Settings and options of calls, without tools, name and secrets. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Names of the secrets that it is loaded with. */
  readonly secrets: readonly string[]
}

export interface PromptTool {
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema of its arguments. */
  readonly parameters: unknown
  /** As it is stored. */
  readonly value: unknown
}

/** The document, or why the manifest can only be shown as JSON. */
export type ReadManifest = { readonly document: PromptDocument } | { readonly problem: string }

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads prompts and chains of a prompt and a model, in the serialization of LangChain. Nothing is instantiated. What it does
 * not know stays in the document as it is stored.
 */
export function readManifest(manifest: unknown): ReadManifest {
  const type = readType(manifest)
  if (type === undefined) return { problem: 'The manifest has no class name.' }
  if (SEQUENCES.has(type)) return readSequence(readKwargs(manifest), type)
  return readPrompt(manifest, type)
}

const SEQUENCES = new Set(['RunnableSequence', 'PromptPlayground'])

function readSequence(kwargs: Fields, type: string): ReadManifest {
  const firstType = readType(kwargs.first)
  if (firstType === undefined || SEQUENCES.has(firstType)) {
    return { problem: `The first step of the ${type} is not a prompt.` }
  }
  const read = readPrompt(kwargs.first, firstType)
  if ('problem' in read) return read
  const { model, tools, unread } = readLastStep(kwargs.last)
  const middle = toList(kwargs.middle).map((step) => readType(step) ?? 'step')
  return { document: { ...read.document, model, tools, unread: [...read.document.unread, ...middle, ...unread] } }
}

function readPrompt(manifest: unknown, type: string): ReadManifest {
  const kwargs = readKwargs(manifest)
  if (type === 'PromptTemplate') {
    const template = readTemplate(manifest)
    if (template === undefined) return { problem: 'The PromptTemplate has no template.' }
    const { text, format } = template
    const message: WrittenMessage = {
      kind: 'message',
      role: 'prompt',
      parts: [{ kind: 'text', text }],
      format,
      toolCalls: [],
    }
    return { document: toDocument('text', type, [message], kwargs) }
  }
  if (type !== 'ChatPromptTemplate' && type !== 'StructuredPrompt') return { problem: `${type} is shown as JSON.` }
  if (!Array.isArray(kwargs.messages)) return { problem: `The ${type} has no list of messages.` }
  return { document: toDocument('chat', type, kwargs.messages.map(readMessage), kwargs) }
}

function toDocument(
  kind: PromptDocument['kind'],
  type: string,
  messages: readonly PromptMessage[],
  kwargs: Fields,
): PromptDocument {
  const partials = toFields(kwargs.partial_variables)
  const given = new Set(Object.keys(partials))
  const used = messages.flatMap(listMessageVariables)
  // Messages that are not understood may use variables too; the prompt lists them.
  const listed = messages.some(({ kind }) => kind === 'unknown') ? toTexts(kwargs.input_variables) : []
  const { name: _, ...schemaOptions } = toFields(kwargs.structured_output_kwargs)
  return {
    kind,
    type,
    messages,
    variables: [...new Set([...used, ...listed])].filter((name) => !given.has(name)),
    partials,
    schema: kwargs.schema_ ?? kwargs.schema,
    schemaOptions,
    model: undefined,
    tools: [],
    metadata: toFields(kwargs.metadata),
    unread: [],
  }
}

/** Variables of one message, in order. */
export function listMessageVariables(message: PromptMessage): string[] {
  if (message.kind === 'placeholder') return [message.variable]
  if (message.kind === 'unknown' || message.format === undefined) return []
  const { format } = message
  return message.parts.flatMap((part) => (part.kind === 'unknown' ? [] : listVariables(part.text, format)))
}

const ROLES: Readonly<Record<string, string>> = {
  SystemMessagePromptTemplate: 'system',
  HumanMessagePromptTemplate: 'user',
  AIMessagePromptTemplate: 'assistant',
  SystemMessage: 'system',
  HumanMessage: 'user',
  AIMessage: 'assistant',
  ToolMessage: 'tool',
  FunctionMessage: 'tool',
}

function readMessage(value: unknown): PromptMessage {
  const type = readType(value) ?? ''
  const kwargs = readKwargs(value)
  if (type === 'MessagesPlaceholder' && typeof kwargs.variable_name === 'string') {
    return { kind: 'placeholder', variable: kwargs.variable_name, isOptional: kwargs.optional === true }
  }
  const isNamed = type === 'ChatMessagePromptTemplate' || type === 'ChatMessage'
  const role = isNamed && typeof kwargs.role === 'string' ? kwargs.role : Object.hasOwn(ROLES, type) ? ROLES[type] : ''
  const unknown: UnknownMessage = { kind: 'unknown', type: type || 'message', value }
  if (!role) return unknown
  if (type.endsWith('PromptTemplate')) return readTemplateMessage(kwargs, role) ?? unknown
  const toolCalls = toList(kwargs.tool_calls ?? toFields(kwargs.additional_kwargs).tool_calls)
  return { kind: 'message', role, parts: readContent(kwargs.content), format: undefined, toolCalls }
}

function readTemplateMessage({ prompt }: Fields, role: string): WrittenMessage | undefined {
  const templates = (Array.isArray(prompt) ? prompt : [prompt]).map(readTemplate)
  const formats = new Set(templates.flatMap((template) => template?.format ?? []))
  if (templates.length === 0 || templates.includes(undefined) || formats.size > 1) return undefined
  const parts = templates.flatMap((template) => (template === undefined ? [] : [template.part]))
  const [format = 'f-string'] = formats
  return { kind: 'message', role, parts, format, toolCalls: [] }
}

interface Template {
  readonly part: PromptPart
  readonly text: string
  readonly format: TemplateFormat
}

/** A template of a text or an image. */
function readTemplate(value: unknown): Template | undefined {
  const { template, template_format } = readKwargs(value)
  const format = TEMPLATE_FORMATS.find((one) => one === (template_format ?? 'f-string'))
  const type = readType(value)
  if (format === undefined || type === undefined) return undefined
  if (type === 'ImagePromptTemplate') {
    const { url } = toFields(template)
    return typeof url === 'string' ? { part: { kind: 'image', text: url }, text: url, format } : undefined
  }
  if (type !== 'PromptTemplate' || typeof template !== 'string') return undefined
  return { part: { kind: 'text', text: template }, text: template, format }
}

/** The content of a message without a template. */
function readContent(content: unknown): PromptPart[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  return toList(content).map((part): PromptPart => {
    if (typeof part === 'string') return { kind: 'text', text: part }
    const { type, text, image_url } = toFields(part)
    if (type === 'text' && typeof text === 'string') return { kind: 'text', text }
    const url = typeof image_url === 'string' ? image_url : toFields(image_url).url
    return type === 'image_url' && typeof url === 'string'
      ? { kind: 'image', text: url }
      : { kind: 'unknown', value: part }
  })
}

type LastStep = Pick<PromptDocument, 'model' | 'tools' | 'unread'>

/** A model, or a binding of one with the options of its calls. */
function readLastStep(step: unknown): LastStep {
  const type = readType(step)
  if (type === undefined) return { model: undefined, tools: [], unread: step == null ? [] : ['step'] }
  const kwargs = readKwargs(step)
  const isBinding = type === 'RunnableBinding'
  const bound = isBinding ? kwargs.bound : step
  const provider = readType(bound)
  if (provider === undefined || provider === 'RunnableBinding') return { model: undefined, tools: [], unread: [type] }
  const { tools, ...options } = isBinding ? toFields(kwargs.kwargs) : {}
  const config = readKwargs(bound)
  const { model, model_name, modelName, model_id, ...settings } = { ...config, ...options }
  const name = [model, model_name, modelName, model_id].find((one) => typeof one === 'string' && one !== '')
  const entries = Object.entries(settings)
  const secrets = entries.flatMap(([, value]) => readSecret(value) ?? [])
  return {
    model: {
      provider,
      name: typeof name === 'string' ? name : undefined,
      settings: Object.fromEntries(entries.filter(([, value]) => readSecret(value) === undefined)),
      secrets,
    },
    tools: toList(tools).map(readTool),
    unread: [],
  }
}

function readTool(value: unknown): PromptTool {
  const fields = toFields(value)
  const { name, description, parameters, input_schema } = { ...fields, ...toFields(fields.function) }
  return {
    name: typeof name === 'string' ? name : typeof fields.type === 'string' ? fields.type : 'tool',
    description: typeof description === 'string' ? description : undefined,
    parameters: parameters ?? input_schema,
    value,
  }
}

function readSecret(value: unknown): string | undefined {
  const { type, id } = toFields(value)
  return type === 'secret' && Array.isArray(id) ? toTexts(id).join('.') : undefined
}

/** Class of a serialized object: the last part of its id, because paths differ by language and age. */
function readType(value: unknown): string | undefined {
  const { id, type } = toFields(value)
  const last: unknown = Array.isArray(id) ? id.at(-1) : undefined
  return typeof last === 'string' && type !== 'secret' ? last : undefined
}

const readKwargs = (value: unknown): Fields => toFields(toFields(value).kwargs)

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const toTexts = (value: unknown): string[] => toList(value).filter((one): one is string => typeof one === 'string')
