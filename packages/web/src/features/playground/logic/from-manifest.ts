import type { ModelMessage, ModelMessagePart, ModelTool } from '@touchstone/contract'
import type { PromptDocument, PromptMessage, WrittenMessage } from '@touchstone/contract/prompt-manifest'
import { type RenderedFormat, splitTemplate, type TemplateFormat } from '@touchstone/formats/templates'
import { printJson } from '#features/prompts/print-json.ts'
import { readOutputSchema, readParameters, readTool, readToolChoice } from './from-run.ts'
import { readCall, readModelMessages } from './read-messages.ts'
import {
  asFields,
  asText,
  type JsonFields,
  newVariant,
  type OutputSchemaText,
  type RecoveryNote,
  toContent,
  toFields,
  toList,
  type Variant,
  type VariantMessage,
} from './variant.ts'

/** A variant of a prompt. */
export interface OpenedPrompt {
  readonly variant: Variant
  readonly notes: readonly RecoveryNote[]
  /** Values of variables that the prompt has itself. */
  readonly values: Readonly<Record<string, unknown>>
}

const SEQUENCES = new Set(['RunnableSequence', 'PromptPlayground'])

/** Class of a serialized object. */
export function readClass(value: unknown): string | undefined {
  const { id, type } = toFields(value)
  return type === 'secret' ? undefined : asText(toList(id).at(-1))
}

export const readKwargs = (value: unknown): JsonFields => toFields(toFields(value).kwargs)

export const serialize = (id: readonly string[], kwargs: JsonFields) => ({ lc: 1, type: 'constructor', id, kwargs })

/** The same object with some arguments changed; undefined removes one. */
export function withKwargs(value: unknown, change: JsonFields): unknown {
  const kwargs = Object.entries({ ...readKwargs(value), ...change }).filter(([, one]) => one !== undefined)
  return { ...toFields(value), kwargs: Object.fromEntries(kwargs) }
}

/** Whether two values are the same JSON. */
export const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Whether a manifest is a chain of a prompt and other steps. */
export const isSequence = (manifest: unknown): boolean => SEQUENCES.has(readClass(manifest) ?? '')

/** The prompt of a manifest, without the steps after it. */
export const getPromptPart = (manifest: unknown): unknown =>
  isSequence(manifest) ? readKwargs(manifest).first : manifest

/** Messages of a prompt as they are stored, in the order of its document. */
export function listStoredMessages(manifest: unknown): readonly unknown[] {
  const part = getPromptPart(manifest)
  return readClass(part) === 'PromptTemplate' ? [part] : toList(readKwargs(part).messages)
}

/**
 * A prompt as a variant. What the editor has no form for, such as the retries of a model or the steps after it, stays in the
 * manifest only; `manifestFromVariant` with the same manifest brings it back.
 */
export function variantFromManifest(document: PromptDocument, manifest: unknown, key = '1'): OpenedPrompt {
  const notes: RecoveryNote[] = []
  const format = chooseFormat(document.messages)
  const stored = listStoredMessages(manifest)
  const settings = readSettings(document)
  const tools = document.tools.map(({ value }): ModelTool => readTool(value, notes))
  const modelKwargs = asFields(settings.model_kwargs) ?? asFields(settings.extra_body)
  if (document.unread.length > 0) {
    notes.push({ where: 'Prompt', reason: `Not run here, and kept: ${document.unread.join(', ')}.` })
  }
  const variant = newVariant(key, {
    model: document.model?.name ?? '',
    format,
    messages: document.messages.map((message, at) => toVariantMessage(message, stored[at], format, at, notes)),
    tools: tools.length === 0 ? '' : printJson(tools),
    toolChoice: readToolChoice(settings, notes),
    output: readOutput(document, settings),
    parameters: readParameters(settings),
    extraBody: modelKwargs === undefined || Object.keys(modelKwargs).length === 0 ? '' : printJson(modelKwargs),
  })
  return { variant, notes, values: document.partials }
}

const readSettings = ({ model }: PromptDocument): JsonFields => ({ ...model?.settings })

function readOutput(document: PromptDocument, settings: JsonFields): OutputSchemaText | undefined {
  if (asFields(document.schema) === undefined) return readOutputSchema(settings)
  const title = asText(toFields(document.schema).title) ?? 'output'
  return {
    name: title.replaceAll(/[^\w-]+/g, '_').slice(0, 64) || 'output',
    schema: printJson(document.schema),
    strict: document.schemaOptions.strict !== false,
  }
}

/** The language of most messages; `none` when no message has a template that can be filled in here. */
function chooseFormat(messages: readonly PromptMessage[]): RenderedFormat {
  const formats = messages.flatMap((message) => (message.kind === 'message' ? [message.format] : []))
  const count = (format: TemplateFormat) => formats.filter((one) => one === format).length
  const [fString, mustache] = [count('f-string'), count('mustache')]
  if (mustache > fString) return 'mustache'
  if (fString > 0) return 'f-string'
  return formats.length > 0 ? 'none' : 'f-string'
}

function toVariantMessage(
  message: PromptMessage,
  stored: unknown,
  format: RenderedFormat,
  at: number,
  notes: RecoveryNote[],
): VariantMessage {
  const where = `Message ${at + 1}`
  if (message.kind === 'placeholder') {
    return { role: 'placeholder', variable: message.variable, optional: message.isOptional }
  }
  if (message.kind === 'unknown') {
    notes.push({ where, reason: `A ${message.type} is kept in the prompt and not sent.` })
    return { role: 'kept', type: message.type, value: message.value }
  }
  const convert = (text: string) => convertTemplate(text, message.format, format, where, notes)
  if (message.format === undefined) {
    const [read, ...others] = readModelMessages([stored], notes)
    if (read !== undefined && others.length === 0) return mapTexts(read, convert)
  }
  return fromParts(message, convert, where, notes)
}

const ROLES: ReadonlyMap<string, 'system' | 'user' | 'assistant'> = new Map([
  ['system', 'system'],
  ['user', 'user'],
  ['prompt', 'user'],
  ['assistant', 'assistant'],
])

function fromParts(
  message: WrittenMessage,
  convert: (text: string) => string,
  where: string,
  notes: RecoveryNote[],
): ModelMessage {
  const parts = message.parts.map((part): ModelMessagePart => {
    if (part.kind === 'text') return { type: 'text', text: convert(part.text) }
    if (part.kind === 'image') {
      const { detail } = toFields(part)
      const isKnown = detail === 'low' || detail === 'high' || detail === 'auto'
      return { type: 'image_url', image_url: { url: convert(part.text), ...(isKnown && { detail }) } }
    }
    return { type: 'raw', raw: asFields(part.value) ?? { value: part.value } }
  })
  const role = ROLES.get(message.role)
  if (role === undefined)
    notes.push({ where, reason: `The role “${message.role}” does not exist here. It is sent as “user”.` })
  if (role !== 'assistant') return { role: role ?? 'user', content: toContent(parts) }
  const calls = message.toolCalls.flatMap((call) => readCall(toFields(call)) ?? [])
  return { role, content: toContent(parts), ...(calls.length > 0 && { tool_calls: calls }) }
}

/** A text of one language in another. Texts without variables get the braces that the other one needs. */
export function convertTemplate(
  text: string,
  from: TemplateFormat | 'none' | undefined,
  to: RenderedFormat,
  where = '',
  notes: RecoveryNote[] = [],
): string {
  if (from === to || (from === undefined && to === 'none')) return text
  if (from === 'jinja2') {
    notes.push({ where, reason: 'A jinja2 template is sent as it is written.' })
    return text
  }
  if (from === undefined || from === 'none') {
    if (to === 'f-string') return text.replaceAll(/[{}]/g, '$&$&')
    if (to === 'mustache' && text.includes('{{')) {
      notes.push({ where, reason: 'Its braces become variables, because mustache cannot write them as text.' })
    }
    return text
  }
  const pieces = splitTemplate(text, from)
  if (to === 'none') {
    const isFixed = from === 'f-string' && pieces.every(({ kind }) => kind === 'text')
    return isFixed ? text.replaceAll('{{', '{').replaceAll('}}', '}') : text
  }
  if (pieces.some(({ kind }) => kind === 'section')) {
    notes.push({ where, reason: 'Its sections are sent as they are written, because other messages are f-strings.' })
    return text.replaceAll(/[{}]/g, '$&$&')
  }
  return pieces.map((piece) => convertPiece(piece, from)).join('')
}

function convertPiece(
  { kind, text, name }: { kind: string; text: string; name?: string },
  from: TemplateFormat,
): string {
  if (from === 'mustache') return kind === 'variable' ? `{${name}}` : text.replaceAll(/[{}]/g, '$&$&')
  return kind === 'variable' ? `{{${name}}}` : text.replaceAll('{{', '{').replaceAll('}}', '}')
}

/** A message with its texts and addresses of images changed. */
export function mapTexts<Message extends VariantMessage>(message: Message, change: (text: string) => string): Message {
  if (message.role === 'placeholder' || message.role === 'kept' || message.content == null) return message
  const { content } = message
  if (typeof content === 'string') return { ...message, content: change(content) }
  const parts = content.map((part) => {
    if (part.type === 'text') return { ...part, text: change(part.text) }
    if (part.type !== 'image_url' || part.image_url.url.startsWith('data:')) return part
    return { ...part, image_url: { ...part.image_url, url: change(part.image_url.url) } }
  })
  return { ...message, content: parts }
}

/** The same variant in another language. Braces of texts are doubled or not, so that they stay text. */
export function withFormat(variant: Variant, format: RenderedFormat): Variant {
  const change = (text: string) => convertTemplate(text, variant.format, format)
  return { ...variant, format, messages: variant.messages.map((message) => mapTexts(message, change)) }
}
