import {
  canSplit,
  listOptionalVariables,
  listVariables,
  TEMPLATE_FORMATS,
  type TemplateFormat,
} from '@touchstone/formats/templates'
import type {
  MessagePlaceholder,
  PromptDocument,
  PromptMessage,
  PromptPart,
  ReadManifest,
  UnknownMessage,
  WrittenMessage,
} from './document.ts'
import { readSteps } from './read-model.ts'
import { type Fields, readKwargs, readType, SEQUENCES, toFields, toList, toTexts } from './serialized.ts'

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

function readSequence(kwargs: Fields, type: string): ReadManifest {
  const firstType = readType(kwargs.first)
  if (firstType === undefined || SEQUENCES.has(firstType)) {
    return { problem: `The first step of the ${type} is not a prompt.` }
  }
  const read = readPrompt(kwargs.first, firstType)
  if ('problem' in read) return read
  const { unread, ...found } = readSteps(listSteps(kwargs))
  return { document: { ...read.document, ...found, unread: [...read.document.unread, ...unread] } }
}

/** The steps of a chain after the first one. */
export function listSteps({ middle, last }: Fields): readonly unknown[] {
  return [...toList(middle), ...(last == null ? [] : [last])]
}

function readPrompt(manifest: unknown, type: string): ReadManifest {
  const kwargs = readKwargs(manifest)
  if (type === 'PromptTemplate') {
    // The values that it has itself are those of the prompt.
    const message = readTemplates([manifest], 'prompt', { hasPartials: false })
    if (message === undefined) return { problem: 'The PromptTemplate has no template.' }
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
  const isOpen = messages.some((message) => message.kind === 'unknown' || hasUnknownVariables(message))
  const listed = isOpen ? toTexts(kwargs.input_variables) : []
  const variables = new Set([...used, ...listed].filter((name) => !given.has(name)))
  const { name: _, ...schemaOptions } = toFields(kwargs.structured_output_kwargs)
  return {
    kind,
    type,
    messages,
    variables: [...variables],
    optionalVariables: [...new Set(messages.flatMap(listOptionalOfMessage))].filter(
      (name) => !given.has(name) && !variables.has(name),
    ),
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
  const { format, partials = {}, listed = [] } = message
  const names = listTexts(message).flatMap((text) => listVariables(text, format))
  return [...new Set([...names, ...listed])].filter((name) => !Object.hasOwn(partials, name))
}

function listOptionalOfMessage(message: PromptMessage): string[] {
  if (message.kind !== 'message' || message.format === undefined) return []
  const { format, partials = {} } = message
  return listTexts(message)
    .flatMap((text) => listOptionalVariables(text, format, partials))
    .filter((name) => !Object.hasOwn(partials, name))
}

function hasUnknownVariables(message: WrittenMessage | MessagePlaceholder): boolean {
  if (message.kind === 'placeholder' || message.format === undefined) return false
  const { format } = message
  return listTexts(message).some((text) => !canSplit(text, format))
}

/** The templates of a message. */
function listTexts({ parts }: WrittenMessage): string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'unknown') return []
    return part.kind === 'image' && part.detail !== undefined ? [part.text, part.detail] : [part.text]
  })
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
  if (type.endsWith('PromptTemplate'))
    return readTemplates([kwargs.prompt].flat(), role, { name: kwargs.name, hasPartials: true }) ?? unknown
  const toolCalls = toList(kwargs.tool_calls ?? toFields(kwargs.additional_kwargs).tool_calls)
  const { name, tool_call_id } = kwargs
  return {
    kind: 'message',
    role,
    parts: readContent(kwargs.content),
    format: undefined,
    toolCalls,
    ...(isText(name) && { name }),
    ...(isText(tool_call_id) && { toolCallId: tool_call_id }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** A message of templates in one language. */
function readTemplates(
  values: readonly unknown[],
  role: string,
  { name, hasPartials }: { readonly name?: unknown; readonly hasPartials: boolean },
): WrittenMessage | undefined {
  const templates = values.map(readTemplate)
  const formats = new Set(templates.flatMap((template) => template?.format ?? []))
  if (templates.length === 0 || templates.includes(undefined) || formats.size > 1) return undefined
  const parts = templates.flatMap((template) => (template === undefined ? [] : [template.part]))
  const [format = 'f-string'] = formats
  const message = { kind: 'message', role, parts, format, toolCalls: [], ...(isText(name) && { name }) } as const
  const partials = Object.fromEntries(
    values.flatMap((value) => Object.entries(toFields(readKwargs(value).partial_variables))),
  )
  const listed = hasUnknownVariables(message)
    ? values.flatMap((value) => toTexts(readKwargs(value).input_variables))
    : []
  return {
    ...message,
    ...(hasPartials && Object.keys(partials).length > 0 && { partials }),
    ...(listed.length > 0 && { listed: [...new Set(listed)] }),
  }
}

interface Template {
  readonly part: PromptPart
  readonly format: TemplateFormat
}

/** A template of a text or an image. */
function readTemplate(value: unknown): Template | undefined {
  const { template, template_format } = readKwargs(value)
  const format = TEMPLATE_FORMATS.find((one) => one === (template_format ?? 'f-string'))
  const type = readType(value)
  if (format === undefined || type === undefined) return undefined
  if (type === 'ImagePromptTemplate') {
    const image = toImage(template)
    return image && { part: image, format }
  }
  if (type !== 'PromptTemplate' || typeof template !== 'string') return undefined
  return { part: { kind: 'text', text: template }, format }
}

function toImage(value: unknown): PromptPart | undefined {
  const { url, detail } = typeof value === 'string' ? { url: value } : (toFields(value) as Fields)
  return typeof url === 'string' ? { kind: 'image', text: url, ...(isText(detail) && { detail }) } : undefined
}

/** The content of a message without a template. */
function readContent(content: unknown): PromptPart[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  return toList(content).map((part): PromptPart => {
    if (typeof part === 'string') return { kind: 'text', text: part }
    const { type, text, image_url } = toFields(part)
    if (type === 'text' && typeof text === 'string') return { kind: 'text', text }
    const image = type === 'image_url' ? toImage(image_url) : undefined
    return image ?? { kind: 'unknown', value: part }
  })
}
