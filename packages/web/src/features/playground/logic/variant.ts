import type {
  ModelMessage,
  ModelMessagePart,
  ModelOutputSchema,
  ModelParameters,
  ModelTool,
  ModelToolChoice,
} from '@touchstone/contract'
import { parseExact } from '@touchstone/formats/edit-json'
import type { RenderedFormat } from '@touchstone/formats/templates'

/** Most variants side by side, as the server takes them. */
export const MAX_VARIANTS = 6
/** Most answers of one variant, as the server takes them. */
export const MAX_REPEATS = 10

export type JsonFields = Record<string, unknown>

/** A prompt and the model that it is sent to, as it is edited. JSON is kept as text, because it may be invalid meanwhile. */
export interface Variant {
  /** Stays while the variant is on the page; not sent. */
  readonly key: string
  readonly name: string
  /** Id of a model provider; empty while none is chosen. */
  readonly providerId: string
  readonly model: string
  /** `none`: braces are text, as in messages of a recorded run. */
  readonly format: RenderedFormat
  readonly messages: readonly VariantMessage[]
  /** JSON list of definitions; empty for none. */
  readonly tools: string
  readonly toolChoice: ModelToolChoice | undefined
  readonly output: OutputSchemaText | undefined
  readonly parameters: ModelParameters
  /** JSON object; empty for none. */
  readonly extraBody: string
  /** The commit that the variant was opened from. */
  readonly prompt: PromptSource | undefined
}

export interface OutputSchemaText {
  readonly name: string
  /** JSON object. */
  readonly schema: string
  readonly strict: boolean
}

export interface PromptSource {
  readonly owner: string
  readonly repo: string
  readonly commit: string
}

/** A message with a template, a place for a list of messages, or a part of a prompt that only the prompt keeps. */
export type VariantMessage = ModelMessage | MessagesPlaceholder | KeptMessage

export interface MessagesPlaceholder {
  readonly role: 'placeholder'
  readonly variable: string
  readonly optional: boolean
}

/** A message of a prompt that cannot be sent, such as examples that a program selects. */
export interface KeptMessage {
  readonly role: 'kept'
  readonly type: string
  readonly value: unknown
}

/** Something that could not be taken over as it was, and why. */
export interface RecoveryNote {
  readonly where: string
  readonly reason: string
}

export type Content = string | readonly ModelMessagePart[]

export const ROLES = ['system', 'user', 'assistant', 'tool'] as const

export function newVariant(key: string, more: Partial<Omit<Variant, 'key'>> = {}): Variant {
  return {
    key,
    name: nameVariant(key),
    providerId: '',
    model: '',
    format: 'f-string',
    messages: [
      { role: 'system', content: '' },
      { role: 'user', content: '' },
    ],
    tools: '',
    toolChoice: undefined,
    output: undefined,
    parameters: {},
    extraBody: '',
    prompt: undefined,
    ...more,
  }
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** `A` for the first variant, then `B`. */
function nameVariant(key: string): string {
  return LETTERS[Number(key) - 1] ?? key
}

/** The parts of a message; a text is one part. */
export function listParts(content: Content | null | undefined): readonly ModelMessagePart[] {
  if (content == null || content === '') return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** Parts as content: one text as a text. */
export function toContent(parts: readonly ModelMessagePart[]): string | ModelMessagePart[] {
  const [only, ...others] = parts
  if (only === undefined) return ''
  return others.length === 0 && only.type === 'text' ? only.text : [...parts]
}

/** The texts of a message, joined. */
export function getText(content: Content | null | undefined): string {
  return listParts(content)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
}

/** What a variant sends, without the names of provider and model. */
export interface SentVariant {
  readonly messages: readonly (ModelMessage | MessagesPlaceholder)[]
  readonly tools: readonly ModelTool[] | null
  readonly tool_choice: ModelToolChoice | null
  readonly output_schema: ModelOutputSchema | null
  readonly parameters: ModelParameters
  readonly extra_body: JsonFields | null
}

/** Why a variant cannot be sent, each with the part that has to change. */
export interface VariantProblem {
  readonly field: 'model' | 'messages' | 'tools' | 'output' | 'extraBody'
  readonly message: string
}

/** Reads the JSON texts of a variant. Messages that only a prompt keeps are not sent. */
export function readVariant(variant: Variant): { sent: SentVariant } | { problems: readonly VariantProblem[] } {
  const problems: VariantProblem[] = []
  const refuse = (field: VariantProblem['field'], message: string) => void problems.push({ field, message })
  if (variant.providerId === '' || variant.model.trim() === '') refuse('model', 'Choose a provider and a model.')
  const messages = variant.messages.filter((message) => message.role !== 'kept')
  if (messages.length === 0) refuse('messages', 'Add a message.')
  const tools = readJson(variant.tools, (value) => (Array.isArray(value) ? (value as ModelTool[]) : undefined))
  if (tools === INVALID) refuse('tools', 'The tools are not a JSON list.')
  const unnamed = tools === INVALID ? undefined : tools?.find((tool) => findToolProblem(tool) !== undefined)
  if (unnamed !== undefined) refuse('tools', findToolProblem(unnamed) ?? '')
  const schema = readJson(variant.output?.schema ?? '', asFields)
  if (schema === INVALID) refuse('output', 'The output schema is not a JSON object.')
  if (variant.output !== undefined && variant.output.schema.trim() === '')
    refuse('output', 'The output schema is empty.')
  if (variant.output !== undefined && !/^[\w-]{1,64}$/.test(variant.output.name)) {
    refuse('output', 'The name of the output schema has 1 to 64 letters, digits, “_” and “-”.')
  }
  const extra = readJson(variant.extraBody, asFields)
  if (extra === INVALID) refuse('extraBody', 'The extra body is not a JSON object.')
  if (problems.length > 0 || tools === INVALID || schema === INVALID || extra === INVALID) return { problems }
  return {
    sent: {
      messages,
      tools: tools === undefined || tools.length === 0 ? null : tools,
      tool_choice: tools === undefined || tools.length === 0 ? null : (variant.toolChoice ?? null),
      output_schema:
        variant.output === undefined || schema === undefined
          ? null
          : { name: variant.output.name, schema, strict: variant.output.strict },
      parameters: dropEmpty(variant.parameters),
      extra_body: extra ?? null,
    },
  }
}

/** Why a definition of a tool cannot be sent; undefined for one that can. */
export function findToolProblem(tool: unknown): string | undefined {
  const { type, function: definition, raw } = toFields(tool)
  if (type === 'raw') return asFields(raw) === undefined ? 'A tool of the type “raw” has no object “raw”.' : undefined
  const { name, parameters } = toFields(definition)
  if (type !== 'function') return 'A tool has neither the type “function” nor “raw”.'
  if (typeof name !== 'string' || name === '') return 'A tool has no name.'
  return parameters == null || asFields(parameters) !== undefined
    ? undefined
    : `The parameters of ${name} are not a JSON object.`
}

/** The tools that have a form; undefined while the text is no list of them. A function may have no name yet. */
export function readTools(text: string): readonly ModelTool[] | undefined {
  if (text.trim() === '') return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every(hasForm) ? value : undefined
  } catch {
    return undefined
  }
}

function hasForm(tool: unknown): tool is ModelTool {
  const { type, function: definition, raw } = toFields(tool)
  if (type === 'raw') return asFields(raw) !== undefined
  const { name, description } = toFields(definition)
  return type === 'function' && typeof name === 'string' && (description == null || typeof description === 'string')
}

const INVALID = Symbol('invalid')

/** The value of a JSON text that may be empty. */
function readJson<Value>(text: string, accept: (value: unknown) => Value | undefined) {
  if (text.trim() === '') return undefined
  try {
    return accept(parseExact(text)) ?? INVALID
  } catch {
    return INVALID
  }
}

/** The value if it is an object. */
export function asFields(value: unknown): JsonFields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : undefined
}

/** The fields of a value; none for one that is not an object. */
export const toFields = (value: unknown): JsonFields => asFields(value) ?? {}
export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Parameters without those that are not set. */
export function dropEmpty(parameters: ModelParameters): ModelParameters {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value != null))
}

/** What decides the answer of a variant. Two variants with the same text give the same answers, up to chance. */
export function printFingerprint(variant: Variant): string {
  const { key: _key, name: _name, prompt: _prompt, ...rest } = variant
  return JSON.stringify({ ...rest, parameters: Object.entries(dropEmpty(rest.parameters)).sort() })
}
